import NIOCore

/// Stands at the socket of a connection and knows what its client has not taken yet. It closes the connection when the client takes
/// nothing for too long, however little waits for it: otherwise it would be kept for ever, and a shutdown would wait for it.
final class Outflow: ChannelDuplexHandler {
    typealias InboundIn = Any
    typealias InboundOut = Any
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// What a client must take within the time, where more waits for it: one byte now and then is as good as nothing.
    static let leastTaken = 16 << 10

    private let unsent: UnsentAnswers
    private let port: PortRole
    private let limit: TimeAmount
    /// What was written from the beginning, and what of it the system has taken.
    private var written = 0
    private var taken = 0
    /// What streams of HTTP/2 hold, for which the client has opened no window.
    private var ofStreams = 0
    private var window = (start: NIODeadline.now(), taken: 0)
    private var look: Scheduled<Void>?
    private var isNoted = false
    private var context: ChannelHandlerContext?

    /// - Parameter limit: For how long a client may take nothing of what waits for it.
    init(_ unsent: UnsentAnswers, port: PortRole, stalledAfter limit: TimeAmount) {
        self.unsent = unsent
        self.port = port
        self.limit = limit
    }

    /// Nothing waits for the client.
    var isEmpty: Bool { buffered == 0 }

    /// Whether more may be answered.
    var mayAnswer: Bool { buffered + ofStreams <= UnsentAnswers.perConnection }

    private var buffered: Int {
        guard let context, context.channel.isActive else { return 0 }
        return (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    /// Succeeds when the system has taken all that was written until now.
    func afterLastByte(_ promise: EventLoopPromise<Void>) {
        guard let context else { return promise.fail(ChannelError.ioOnClosedChannel) }
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer())), promise: promise)
        note(context)
    }

    /// A stream of HTTP/2 holds so much more, or less.
    func streams(hold bytes: Int) {
        ofStreams += bytes
        if let context { note(context) }
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        look?.cancel()
        look = nil
        if isNoted { unsent.note(0, for: context.channel, of: port, hasMoved: false) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        written += unwrapOutboundIn(data).readableBytes
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        note(context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        note(context)
        context.fireChannelWritabilityChanged()
    }

    private func note(_ context: ChannelHandlerContext) {
        let buffered = buffered
        let waiting = buffered + ofStreams
        guard waiting > 0 || isNoted else {
            taken = written
            return
        }
        let hasMoved = written - buffered > taken
        taken = written - buffered
        isNoted = waiting > 0
        unsent.note(waiting, for: context.channel, of: port, hasMoved: hasMoved)
        if waiting > 0, look == nil {
            window = (.now(), taken)
            watch(context)
        }
    }

    /// Looks until nothing waits any more.
    private func watch(_ context: ChannelHandlerContext) {
        let pause = min(TimeAmount.seconds(1), TimeAmount.nanoseconds(limit.nanoseconds / 4))
        look = context.eventLoop.assumeIsolated().scheduleTask(in: pause) {
            self.note(context)
            self.look = nil
            guard self.isNoted else { return }
            let now = NIODeadline.now()
            // A stream has a time of its own.
            if self.isEmpty || self.taken - self.window.taken >= Self.leastTaken { self.window = (now, self.taken) }
            if self.window.start + self.limit <= now { context.close(promise: nil) } else { self.watch(context) }
        }
    }
}
