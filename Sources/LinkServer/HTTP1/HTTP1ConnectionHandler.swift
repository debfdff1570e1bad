import HTTPTypes
import Metrics
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Enforces the limits of an HTTP/1 connection and passes on the requests that keep them.
///
/// A connection waits for bytes (`waiting`), reads a head (`head`), then a body (`body`), and waits again. Several
/// requests may be unanswered meanwhile (pipelining). The connection ends after a response if the client asked for
/// that, if the request was not read to its end, or if a request was refused here. It ends with a lingering close: the
/// response is sent, further input is discarded up to a bound, and the connection is closed. A refusal is sent after
/// the responses to earlier requests.
///
/// Each connection has one timer, which checks the deadline when it fires, so a request that arrives in one piece
/// schedules none.
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
    /// When the next request must begin, or the current head or body must be complete; nil while the client waits for
    /// the server.
    private var deadline: NIODeadline?
    private var timer: (task: Scheduled<Void>, at: NIODeadline)?
    private var unanswered = CircularBuffer<Asked>()
    /// Whether no further input is accepted: the connection ends when the accepted requests are answered.
    private(set) var isEnding = false
    private var refusal: Problem?
    private var isInputClosed = false
    /// Progress of the close: whether the last response is being sent, or is sent and the connection lingers.
    private var end = End.notBegun
    /// Whether flushes are deferred to the end of ``flushingOnce(_:)``, and whether one is due.
    private var isBatching = false
    private var wantsFlush = false
    /// Whether a read is deferred until the client has taken more of the responses, or the connection lingers.
    private var wantsRead = false
    /// Whether the connection ends after the request that is being read.
    private var isLastRequest = false
    /// Length of the first line of the current head, and whether it is complete: the decoder reports the same error for
    /// long targets and long fields.
    private var firstLine = FirstLine()
    private var lingered = 0
    /// Input bytes that have become no part of a request yet: blanks before a value, empty lines, chunk extensions. The
    /// decoder's limits count only what it understands, and it keeps the rest.
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
        /// Whether the method is HEAD; the decoder does not report the method of a head that it cannot read.
        var isOfHead = false
    }

    init(limits: ConnectionLimits, refusals: TransportErrorResponses, crowd: ConnectionRegistry, outflow: Outflow) {
        self.limits = limits
        self.refusals = refusals
        self.crowd = crowd
        self.outflow = outflow
    }

    // MARK: Connection

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
            // Requests received before are answered, including the one whose body is being read.
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

    // MARK: Inbound

    /// Whether a complete request may bypass the decoder.
    var mayTakeWhole: Bool { reading == .waiting && boundary.isReached && !isEnding }

    /// Whether input must wait until the client has taken more of the responses. The rest of a request that has begun
    /// need not wait.
    func mustWait(_ context: ChannelHandlerContext) -> Bool {
        reading == .waiting && !isEnding && !context.channel.isWritable
    }

    /// Accepts no further input and ends the connection when the accepted requests are answered.
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
        // A client that does not take its responses may be evicted, whatever it has requested meanwhile.
        if !context.channel.isWritable { startWaiting() } else if awaitsAnswer { seat?.stopWaiting() }
        if wantsRead, context.channel.isWritable { read(context: context) }
    }

    /// Whether a complete request is not answered yet.
    private var awaitsAnswer: Bool { unanswered.count > (reading == .body ? 1 : 0) }

    private func startWaiting() {
        seat?.startWaiting()
        crowd.makeRoomIfFull()
    }

    /// Protects the connection from eviction, unless the client does not take its responses.
    private func tookRequest() {
        if context?.channel.isWritable == true { seat?.stopWaiting() }
    }

    /// Registers a request that bypasses the decoder; it is answered like any other.
    func tookWhole() {
        deadline = nil
        unanswered.append(Asked())
        tookRequest()
        isEnding = unanswered.count >= ConnectionLimits.pipelined
    }

    /// Counts input and returns whether it goes to the decoder; false if it is discarded.
    func takes(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) -> Bool {
        guard !isEnding else {
            // Before the last response is sent, `read` stops at this bound; after it, exceeding the bound closes the
            // connection.
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

    /// Called when the decoder has consumed the bytes last passed to it.
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
            // Trailers are ignored.
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
        // A client that reads a response slowly may send nothing meanwhile; `Outflow` closes one that reads nothing.
        case .waiting: outflow.isEmpty ? context.close(promise: nil) : expect(within: limits.idleSeconds, context)
        case .head:
            refuse(Problem(.requestTimeout, "The head took longer than \(limits.headSeconds) seconds."), context)
        // The reader of the body answers.
        case .body: context.fireErrorCaught(LateBody(seconds: limits.bodySeconds))
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard reading != .body, !isEnding else {
            // The reader of the body answers; the rest of the body cannot be read.
            isEnding = isEnding || error is Problem
            return context.fireErrorCaught(reading == .body && !error.isOfBody ? LostBody() : error)
        }
        switch error {
        case let problem as Problem: refuse(problem, context)
        case HTTPParserError.invalidEOFState:
            // The input ends within a request; earlier requests are answered.
            isEnding = true
            if unanswered.isEmpty { finish(context) }
        case let error as HTTPParserError: refuse(Problem(error, firstLine: firstLine.bytes, limits), context)
        default: context.fireErrorCaught(error)
        }
    }

    // MARK: Outbound

    private func refuse(_ problem: Problem, _ context: ChannelHandlerContext) {
        isEnding = true
        refusal = problem
        if unanswered.isEmpty { finish(context) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var part = unwrapOutboundIn(data)
        let asked = unanswered.first ?? Asked()
        if case .head(var response) = part {
            // For an HTTP/1.0 client, only the end of the connection delimits a body of unknown length.
            if !asked.takesChunks, !response.headerFields.contains(.contentLength) { isEnding = true }
            if isLastAnswer() { response.headerFields[.connection] = "close" }
            part = .head(response)
        }
        writer.write(part, to: asked, promise: promise, context)
        if case .end = part { answered(context) }
    }

    /// Sends a whole response to a request that is not a HEAD.
    func send(_ answer: BufferedResponse) {
        // The connection is gone.
        guard let context else { return }
        writer.write(answer, isLast: isLastAnswer(), to: context)
        answered(context)
        if isBatching { wantsFlush = true } else { flush(context: context) }
    }

    /// Runs `body` and flushes all responses that it sends with ``send(_:)`` once, at its end.
    func flushingOnce(_ body: () -> Void) {
        guard !isBatching else { return body() }
        isBatching = true
        body()
        isBatching = false
        guard wantsFlush, let context else { return }
        wantsFlush = false
        flush(context: context)
    }

    /// Whether the connection ends after the response that begins.
    private func isLastAnswer() -> Bool {
        // The response begins before the request's body is complete: nothing after it is read.
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

    /// Closing the output means that no further response follows: finishes the connection instead of half-closing it
    /// here.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .output else { return context.close(mode: mode, promise: promise) }
        isEnding = true
        finish(context)
        promise?.succeed()
    }

    /// Sends the remaining output to its last byte, then starts the lingering close.
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

    /// Closes the output and keeps reading for a while (lingering close): a client that is cut off at once loses the
    /// response.
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

/// The properties of a request that determine the form of its response.
struct Asked {
    /// Whether the request is a HEAD, whose response has no body (RFC 9110 §9.3.2).
    var isHead = false
    /// False for HTTP/1.0, which has no chunked encoding.
    var takesChunks = true
}

extension Error {
    /// Whether the error concerns a body; other errors concern the connection.
    fileprivate var isOfBody: Bool { self is LateBody || self is Problem || self is HTTPParserError }
}

extension HTTPRequestHead {
    fileprivate var expectsContinue: Bool {
        version == .http1_1 && headers.first(name: "expect")?.lowercased() == "100-continue"
    }

    /// Whether the request asks for an upgrade. The decoder reads nothing after such a request, and no upgrade is
    /// granted, so an open connection would be of no use: behind a proxy that shares connections between its clients,
    /// the next request would be another client's.
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

    /// Describes the decoder's error for a head that it cannot read.
    fileprivate init(_ error: HTTPParserError, firstLine: Int, _ limits: ConnectionLimits) {
        switch error {
        case .headerOverflow where firstLine > limits.uriBytes:
            self.init(.uriTooLong, "The target is longer than \(limits.uriBytes) bytes, which is all that is allowed.")
        case .headerOverflow: self.init(headersOver: limits)
        default: self.init(.invalidRequest, "The request is not HTTP/1.1: \(error).")
        }
    }
}
