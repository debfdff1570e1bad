package import NIOCore

/// Counts the response bytes that the client of a connection has not received yet, and closes the connection if the
/// client stops reading, even if only a few bytes wait. Without this, the connection would stay open forever, and a
/// shutdown would wait for it.
package final class SlowReaderHandler: ChannelDuplexHandler {
    package typealias InboundIn = Any
    package typealias InboundOut = Any
    package typealias OutboundIn = IOData
    package typealias OutboundOut = IOData

    /// Minimum number of bytes that a client must receive within the limit while more wait for it. A client that reads
    /// one byte now and then counts as stalled.
    static let leastTaken = 16 << 10

    private let unsent: UnsentResponses
    private let port: PortRole
    private let limit: TimeAmount
    /// Bytes written since the connection began, and how many of them the kernel has accepted.
    private var written = 0
    private var taken = 0
    /// Bytes held by HTTP/2 streams for which the client has opened no window.
    private var ofStreams = 0
    private var window = (start: NIODeadline.now(), taken: 0)
    private var nextCheck: Scheduled<Void>?
    private var isNoted = false
    private var context: ChannelHandlerContext?
    /// The options of the channel; nil for a handler that is not in a pipeline.
    private var options: (any NIOSynchronousChannelOptions)?

    /// - Parameter limit: Maximum time in which a client may receive fewer than ``leastTaken`` bytes while more wait.
    package init(_ unsent: UnsentResponses, port: PortRole, stalledAfter limit: TimeAmount) {
        self.unsent = unsent
        self.port = port
        self.limit = limit
    }

    /// Whether no bytes wait for the client.
    var isEmpty: Bool { buffered == 0 }

    /// Whether another request may be answered now.
    var mayAnswer: Bool { buffered + ofStreams <= UnsentResponses.perConnection }

    /// A closed channel has no options: nothing waits.
    private var buffered: Int { (try? options?.getOption(.bufferedWritableBytes)) ?? 0 }

    /// Succeeds `promise` when the kernel has accepted all bytes written so far.
    func afterLastByte(_ promise: EventLoopPromise<Void>) {
        guard let context else { return promise.fail(ChannelError.ioOnClosedChannel) }
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer())), promise: promise)
        note(context)
    }

    /// Adds `bytes`, which may be negative, to the count of bytes that HTTP/2 streams hold.
    func streams(hold bytes: Int) {
        ofStreams += bytes
        if let context { note(context) }
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        options = context.channel.syncOptions
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        options = nil
        nextCheck?.cancel()
        nextCheck = nil
        if isNoted { unsent.note(0, for: context.channel, of: port, hasMoved: false) }
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        written += unwrapOutboundIn(data).readableBytes
        context.write(data, promise: promise)
    }

    package func flush(context: ChannelHandlerContext) {
        context.flush()
        note(context)
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
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
        if waiting > 0, nextCheck == nil {
            window = (.now(), taken)
            watch(context)
        }
    }

    /// Checks at intervals for a stall, until no bytes wait.
    private func watch(_ context: ChannelHandlerContext) {
        let pause = min(TimeAmount.seconds(1), TimeAmount.nanoseconds(limit.nanoseconds / 4))
        nextCheck = context.eventLoop.assumeIsolated().scheduleTask(in: pause) {
            self.note(context)
            self.nextCheck = nil
            guard self.isNoted else { return }
            let now = NIODeadline.now()
            // Streams have a deadline of their own.
            if self.isEmpty || self.taken - self.window.taken >= Self.leastTaken { self.window = (now, self.taken) }
            if self.window.start + self.limit <= now { context.close(promise: nil) } else { self.watch(context) }
        }
    }
}
