import HTTPTypes
import Metrics
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Holds a connection of HTTP/1 to its limits, and hands on what keeps them.
///
/// A connection waits (`waiting`) until bytes come, reads a head (`head`), then a body (`body`), and waits again; several
/// requests may be unanswered meanwhile. It ends after an answer when the client wants it to, when its request had not been
/// read to its end, or when a request was refused here: the answer goes out, what the client still sends is thrown away up to
/// a bound, and then it is closed. A refusal waits for the answers to earlier requests.
///
/// One timer runs, which looks at the deadline when it ends, so a request that comes in one piece sets none.
final class HTTP1ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = ByteBuffer

    fileprivate enum Reading: Equatable {
        case waiting, head, body
    }

    private let limits: ConnectionLimits
    private let refusals: TransportErrorResponses
    private let crowd: ConnectionRegistry
    private let outflow: Outflow
    private var seat: ConnectionRegistry.Registration?

    private var reading = Reading.waiting
    /// Until when the next request must begin, or the head or body that is being read must be whole; nil while the client waits
    /// for us.
    private var deadline: NIODeadline?
    private var timer: (task: Scheduled<Void>, at: NIODeadline)?
    private var unanswered = CircularBuffer<Asked>()
    /// Nothing more is taken in: the connection ends when what was taken in is answered.
    private(set) var isEnding = false
    private var refusal: Problem?
    private var isInputClosed = false
    /// Whether the last answer waits for its last byte, and whether that is gone and the client may come to read it.
    private var end = End.notBegun
    /// Whether whole answers are flushed together, and whether there are some.
    private var isBatching = false
    private var wantsFlush = false
    /// A read that waits until the client takes what was answered.
    private var wantsRead = false
    /// Whether the client wants no further answer after the request that is being read.
    private var isLastRequest = false
    /// The bytes of the first line of the head that is being read, and whether it has ended: the decoder gives one error for
    /// long targets and long fields.
    private var firstLine = FirstLine()
    private var lingered = 0
    /// Bytes that have become no part of a request: blanks before a value, empty lines, extensions of chunks. The decoder's limits
    /// count only what it understands, and it keeps the rest.
    private var undecoded = 0
    private var boundary = MessageBoundary()
    private var writer = HTTP1ResponseWriter()
    private var context: ChannelHandlerContext?

    private enum End {
        case notBegun, sending, lingering
    }

    private struct FirstLine {
        var bytes = 0
        var hasEnded = false
        /// The head that is being read begins with it; the decoder does not say it of what it cannot read.
        var isOfHead = false
    }

    init(limits: ConnectionLimits, refusals: TransportErrorResponses, crowd: ConnectionRegistry, outflow: Outflow) {
        self.limits = limits
        self.refusals = refusals
        self.crowd = crowd
        self.outflow = outflow
    }

    // MARK: The connection

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        seat = crowd.enter(context.channel)
        expect(within: limits.idleSeconds, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        if let seat { crowd.leave(seat) }
        seat = nil
        timer?.task.cancel()
        timer = nil
        self.context = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent:
            // What was asked is answered, the request that is coming in too.
            if reading == .body { isLastRequest = true } else { isEnding = true }
            guard unanswered.isEmpty else { break }
            if outflow.isEmpty { context.close(promise: nil) } else { finish(context) }
        case ChannelEvent.inputClosed as ChannelEvent:
            isInputClosed = true
            isEnding = isEnding || reading != .body
            if unanswered.isEmpty { finish(context) }
            context.fireUserInboundEventTriggered(event)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    // MARK: What comes in

    /// Whether a request that came whole may pass the decoder by.
    var mayTakeWhole: Bool { reading == .waiting && boundary.isReached && !isEnding }

    /// Whether what comes must wait until the client takes what was answered. What of a request is there already does not.
    func mustWait(_ context: ChannelHandlerContext) -> Bool {
        reading == .waiting && !isEnding && !context.channel.isWritable
    }

    /// More came than may wait: what was taken in is answered, and nothing else.
    func endAfterAnswers(_ context: ChannelHandlerContext) {
        isEnding = true
        if unanswered.isEmpty { finish(context) }
    }

    func read(context: ChannelHandlerContext) {
        wantsRead = !context.channel.isWritable || (lingered > ConnectionLimits.lingerBytes && end != .lingering)
        if !wantsRead { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        context.fireChannelWritabilityChanged()
        // A client that does not take what was answered keeps us waiting, whatever it has asked meanwhile.
        if !context.channel.isWritable { startWaiting() } else if awaitsAnswer { seat?.stopWaiting() }
        if wantsRead, context.channel.isWritable { read(context: context) }
    }

    /// Whether a whole request is not answered yet.
    private var awaitsAnswer: Bool { unanswered.count > (reading == .body ? 1 : 0) }

    private func startWaiting() {
        seat?.startWaiting()
        crowd.makeRoomIfFull()
    }

    /// The client waits for us, if it takes what was answered.
    private func tookRequest() {
        if context?.channel.isWritable == true { seat?.stopWaiting() }
    }

    /// A request has passed the decoder by; it is answered as any other.
    func tookWhole() {
        deadline = nil
        unanswered.append(Asked())
        tookRequest()
        isEnding = unanswered.count >= ConnectionLimits.pipelined
    }

    /// What goes to the decoder; false for what is thrown away.
    func takes(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) -> Bool {
        guard !isEnding else {
            // Until the last answer is gone, no more than that is read; then it is enough.
            lingered += bytes.readableBytes
            if lingered > ConnectionLimits.lingerBytes, end == .lingering { context.close(promise: nil) }
            return false
        }
        guard undecoded <= ConnectionLimits.undecodedBytes else {
            context.fireErrorCaught(Problem(undecodedOf: reading, limits))
            return false
        }
        undecoded += bytes.readableBytes
        if reading == .waiting {
            reading = .head
            deadline = nil
            firstLine = FirstLine(isOfHead: bytes.readableBytesView.starts(with: "HEAD ".utf8))
        }
        if reading == .head, !firstLine.hasEnded {
            let line = bytes.readableBytesView.prefix { $0 != UInt8(ascii: "\n") }.count
            firstLine.bytes += line
            firstLine.hasEnded = line < bytes.readableBytes
        }
        boundary.enter(bytes.readableBytesView)
        return true
    }

    /// The decoder has read what was taken last.
    func settle() { boundary.settle() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isEnding else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            firstLine.isOfHead = head.method == .HEAD
            do {
                let request = try HTTPRequest(head, limits: limits)
                reading = .body
                deadline = nil
                undecoded = 0
                unanswered.append(Asked(isHead: head.method == .HEAD, takesChunks: head.version != .http1_0))
                isLastRequest =
                    !head.isKeepAlive || head.asksForAnotherProtocol || unanswered.count >= ConnectionLimits.pipelined
                if unanswered.count == 1, head.expectsContinue {
                    writer.write(.head(HTTPResponse(status: .continue)), to: Asked(), promise: nil, context)
                    flush(context: context)
                }
                context.fireChannelRead(wrapInboundOut(.head(request)))
            } catch {
                refuse(error, context)
            }
        case .body(let bytes):
            undecoded = max(0, undecoded - ConnectionLimits.wrapping * bytes.readableBytes)
            boundary.foundBody(bytes.readableBytes)
            context.fireChannelRead(wrapInboundOut(.body(bytes)))
        case .end:
            boundary.foundEnd()
            reading = .waiting
            firstLine.isOfHead = false
            deadline = nil
            undecoded = 0
            tookRequest()
            isEnding = isLastRequest
            // Trailers are for nobody here.
            context.fireChannelRead(wrapInboundOut(.end(nil)))
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if deadline == nil, !isEnding {
            switch reading {
            case .waiting: break
            case .head: expect(within: limits.headSeconds, context)
            case .body: expect(within: limits.bodySeconds, context)
            }
        }
        context.fireChannelReadComplete()
    }

    private func expect(within seconds: Int, _ context: ChannelHandlerContext) {
        let deadline = NIODeadline.now() + .seconds(Int64(seconds))
        self.deadline = deadline
        if let timer, timer.at <= deadline { return }
        timer?.task.cancel()
        watch(until: deadline, context)
    }

    private func watch(until deadline: NIODeadline, _ context: ChannelHandlerContext) {
        let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.timer = nil
            guard let deadline = self.deadline else { return }
            if deadline > .now() { self.watch(until: deadline, context) } else { self.isLate(context) }
        }
        timer = (task, deadline)
    }

    private func isLate(_ context: ChannelHandlerContext) {
        deadline = nil
        switch reading {
        // Who takes an answer slowly asks for nothing meanwhile; who does not take it at all is the outflow's affair.
        case .waiting: outflow.isEmpty ? context.close(promise: nil) : expect(within: limits.idleSeconds, context)
        case .head:
            refuse(Problem(.requestTimeout, "The head took longer than \(limits.headSeconds) seconds."), context)
        // Whoever reads the body answers.
        case .body: context.fireErrorCaught(LateBody(seconds: limits.bodySeconds))
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard reading != .body, !isEnding else {
            // Whoever reads the body answers; nothing of it can be read from here on.
            isEnding = isEnding || error is Problem
            return context.fireErrorCaught(reading == .body && !error.isOfBody ? LostBody() : error)
        }
        switch error {
        case let problem as Problem: refuse(problem, context)
        case HTTPParserError.invalidEOFState:
            // It ends within a request; those before it are answered.
            isEnding = true
            if unanswered.isEmpty { finish(context) }
        case let error as HTTPParserError: refuse(Problem(error, firstLine: firstLine.bytes, limits), context)
        default: context.fireErrorCaught(error)
        }
    }

    // MARK: What goes out

    private func refuse(_ problem: Problem, _ context: ChannelHandlerContext) {
        isEnding = true
        refusal = problem
        if unanswered.isEmpty { finish(context) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var part = unwrapOutboundIn(data)
        let asked = unanswered.first ?? Asked()
        if case .head(var response) = part {
            // Only the end of the connection tells an old client where a body ends whose length is not known.
            if !asked.takesChunks, !response.headerFields.contains(.contentLength) { isEnding = true }
            if isLastAnswer() { response.headerFields[.connection] = "close" }
            part = .head(response)
        }
        writer.write(part, to: asked, promise: promise, context)
        if case .end = part { answered(context) }
    }

    /// Sends a whole answer at once, of a request that is no HEAD.
    func send(_ answer: BufferedResponse) {
        // Nobody is there any more.
        guard let context else { return }
        writer.write(answer, isLast: isLastAnswer(), to: context)
        answered(context)
        if isBatching { wantsFlush = true } else { flush(context: context) }
    }

    /// Flushes the whole answers that `body` sends once, at its end.
    func flushingOnce(_ body: () -> Void) {
        guard !isBatching else { return body() }
        isBatching = true
        body()
        isBatching = false
        guard wantsFlush, let context else { return }
        wantsFlush = false
        flush(context: context)
    }

    /// Whether the connection ends after the answer that begins.
    private func isLastAnswer() -> Bool {
        // The answer to a request whose body still comes: nothing after it is read.
        if unanswered.count == 1, reading == .body { isEnding = true }
        return isEnding && unanswered.count == 1
    }

    private func answered(_ context: ChannelHandlerContext) {
        _ = unanswered.popFirst()
        guard unanswered.isEmpty else { return }
        startWaiting()
        if isEnding {
            finish(context)
        } else if reading == .waiting {
            expect(within: limits.idleSeconds, context)
        }
    }

    func flush(context: ChannelHandlerContext) {
        writer.flush(to: context)
        context.flush()
    }

    /// Whoever answers has no more to say.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .output else { return context.close(mode: mode, promise: promise) }
        isEnding = true
        finish(context)
        promise?.succeed()
    }

    /// Sends what is left to its last byte, then ends the connection.
    private func finish(_ context: ChannelHandlerContext) {
        deadline = nil
        if let refusal {
            self.refusal = nil
            let asked = Asked(isHead: firstLine.isOfHead)
            for part in refusals.lastParts(for: refusal) { writer.write(part, to: asked, promise: nil, context) }
        }
        flush(context: context)
        guard end == .notBegun else { return }
        end = .sending
        timer?.task.cancel()
        timer = nil
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenSuccess { self.linger(context) }
        outflow.afterLastByte(sent)
    }

    /// Reads on for a while, so that the client comes to read what was sent: a peer that is cut off loses it.
    private func linger(_ context: ChannelHandlerContext) {
        guard end == .sending else { return }
        end = .lingering
        guard !isInputClosed else { return context.close(promise: nil) }
        context.close(mode: .output, promise: nil)
        context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(ConnectionLimits.lingerSeconds)) {
            context.close(promise: nil)
        }
        if wantsRead { read(context: context) }
    }
}

/// What of a request decides how it is answered.
struct Asked {
    /// No answer to it has a body (RFC 9110 §9.3.2).
    var isHead = false
    /// A client of HTTP/1.0 does not know chunks.
    var takesChunks = true
}

/// The body of a request was not there in time.
struct LateBody: Error {
    let seconds: Int
}

/// The connection broke within the body of a request; nobody reads the answer.
struct LostBody: Error {}

extension Error {
    /// Whether it says what is wrong with a body; others say that the connection is.
    fileprivate var isOfBody: Bool { self is LateBody || self is Problem || self is HTTPParserError }
}

extension HTTPRequestHead {
    fileprivate var expectsContinue: Bool {
        version == .http1_1 && headers.first(name: "expect")?.lowercased() == "100-continue"
    }

    /// The decoder reads nothing after such a request. None is granted, so a connection that stayed open would be of no use:
    /// behind a proxy, which shares connections between its clients, the next request would be somebody else's.
    fileprivate var asksForAnotherProtocol: Bool { headers.contains(name: "upgrade") }
}

extension Problem {
    fileprivate init(undecodedOf reading: HTTP1ConnectionHandler.Reading, _ limits: ConnectionLimits) {
        switch reading {
        case .body: self.init(.bodyTooLarge, "What is wrapped around the body's chunks is larger than the body.")
        case .waiting, .head: self.init(headersOver: limits)
        }
    }

    private init(headersOver limits: ConnectionLimits) {
        self.init(
            .headersTooLarge,
            "The header fields are more than \(limits.headerFields) or have more than \(limits.headerBytes) bytes."
        )
    }

    /// What the decoder makes of a head that it cannot read.
    fileprivate init(_ error: HTTPParserError, firstLine: Int, _ limits: ConnectionLimits) {
        switch error {
        case .headerOverflow where firstLine > limits.uriBytes:
            self.init(.uriTooLong, "The target is longer than \(limits.uriBytes) bytes, which is all that is allowed.")
        case .headerOverflow: self.init(headersOver: limits)
        default: self.init(.invalidRequest, "The request is not HTTP/1.1: \(error).")
        }
    }
}
