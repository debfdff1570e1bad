import HTTPTypes
import Metrics
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import Networking

/// Applies the rules of ``HTTP1ConnectionStateMachine`` to a channel: passes requests on, writes responses, measures
/// time, and closes the connection.
///
/// Each connection has one timer, which checks the deadline when it fires, so a request that arrives in one piece
/// schedules none.
package final class HTTP1ConnectionHandler: ChannelDuplexHandler, ResponseSender {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = ByteBuffer

    private let limits: ConnectionLimits
    private let refusals: TransportErrorResponses
    private let registry: ConnectionRegistry
    private let slowReaderHandler: SlowReaderHandler
    private var registration: ConnectionRegistry.Registration?

    private var machine: HTTP1ConnectionStateMachine
    private var responses = HTTP1ResponseWriter()
    /// When the next request must begin, or the current head or body must be complete; nil while the client waits for
    /// the server.
    private var deadline: NIODeadline?
    private var timer: (task: Scheduled<Void>, at: NIODeadline)?
    /// Whether flushes are deferred to the end of ``flushingOnce(_:)``, and whether one is due.
    private var isBatching = false
    private var wantsFlush = false
    /// Whether a read is deferred until the client has taken more of the responses, or the connection lingers.
    private var wantsRead = false
    /// Whether the client has taken nearly all of the responses. Asking the channel costs more.
    private var isWritable = true
    private var context: ChannelHandlerContext?

    /// Takes the requests; nil if the next handler does.
    package var receiver: (any RequestReceiver)?
    /// Called when held input can be passed to the decoder.
    var onReadyForInput: () -> Void = {}
    /// Number of requests that have begun, for ``HTTP1InputLimiter``.
    private(set) var requests = 0

    init(
        limits: ConnectionLimits,
        refusals: TransportErrorResponses,
        registry: ConnectionRegistry,
        slowReaderHandler: SlowReaderHandler
    ) {
        self.limits = limits
        self.refusals = refusals
        self.registry = registry
        self.slowReaderHandler = slowReaderHandler
        machine = HTTP1ConnectionStateMachine(limits: limits)
    }

    // MARK: Connection

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        isWritable = context.channel.isWritable
        registration = registry.enter(context.channel)
        expect(within: limits.idleSeconds, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        if let registration { registry.leave(registration) }
        registration = nil
        timer?.task.cancel()
        timer = nil
        onReadyForInput = {}
        receiver = nil
        self.context = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent: perform(machine.shutDown(hasSentAll: slowReaderHandler.isEmpty), context)
        case ChannelEvent.inputClosed as ChannelEvent:
            perform(machine.closeInput(), context)
            context.fireUserInboundEventTriggered(event)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    /// Accepts no further input and ends the connection when the accepted requests are answered.
    func endAfterResponses(_ context: ChannelHandlerContext) { perform(machine.drain(), context) }

    private func perform(_ action: HTTP1ConnectionStateMachine.Action, _ context: ChannelHandlerContext) {
        switch action {
        case .none: break
        case .waitForRequest: expect(within: limits.idleSeconds, context)
        case .finish(let refusal, let isHead): finish(refusal, isHead: isHead, context)
        case .close: context.close(promise: nil)
        case .linger: linger(context)
        case .failBody: context.fireErrorCaught(LateBody(seconds: limits.bodySeconds))
        }
    }

    // MARK: Inbound

    /// Whether input is passed to the decoder now.
    var takesInput: Bool { machine.takesInput(isWritable: isWritable) }

    /// Counts input and returns whether it goes to the decoder; false if it is discarded.
    func receive(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) -> Bool {
        if machine.reading == .idle { deadline = nil }
        switch machine.receive(bytes.readableBytesView) {
        case .decode: return true
        case .discard: return false
        case .close: context.close(promise: nil)
        case .refuse(let problem): context.fireErrorCaught(problem)
        }
        return false
    }

    func read(context: ChannelHandlerContext) {
        wantsRead = !machine.mayRead(isWritable: isWritable)
        if !wantsRead { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        isWritable = context.channel.isWritable
        context.fireChannelWritabilityChanged()
        // A client that does not read its responses may be evicted, whatever it has requested meanwhile.
        if !isWritable { startWaiting() } else if machine.awaitsResponse { registration?.stopWaiting() }
        if wantsRead, isWritable { read(context: context) }
    }

    private func startWaiting() {
        registration?.startWaiting()
        registry.makeRoomIfFull()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard machine.isOpen else { return }
        let part: HTTPRequestPart
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard let request = accepted(head.trimmingFieldValues, context) else { return }
            part = .head(request)
        case .body(let bytes):
            machine.receiveBody(bytes.readableBytes)
            part = .body(bytes)
        case .end:
            deadline = nil
            machine.receiveEnd()
            // Protects the connection from eviction, unless the client does not read its responses.
            if isWritable { registration?.stopWaiting() }
            // Trailers are ignored.
            part = .end(nil)
        }
        if let receiver { receiver.receive(part) } else { context.fireChannelRead(wrapInboundOut(part)) }
    }

    /// Returns the request of a head; nil if it is refused.
    private func accepted(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) -> HTTPRequest? {
        let isHead = head.method == .HEAD
        do {
            let request = try HTTPRequest(head, limits: limits)
            deadline = nil
            requests += 1
            let mayContinue = machine.receiveHead(
                RequestForm(isHead: isHead, takesChunks: head.version != .http1_0),
                isLast: !head.isKeepAlive || head.asksForAnotherProtocol
            )
            if mayContinue, head.expectsContinue {
                responses.write(.head(HTTPResponse(status: .continue)), to: RequestForm(), promise: nil, context)
                flush(context: context)
            }
            return request
        } catch {
            perform(machine.refuse(error, isHead: isHead), context)
            return nil
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let failure: HTTP1ConnectionStateMachine.InputError
        switch error {
        case let problem as Problem: failure = .refusal(problem)
        case HTTPParserError.invalidEOFState: failure = .endOfInput
        case let error as HTTPParserError: failure = .refusal(Problem(error, firstLine: machine.firstLineBytes, limits))
        default:
            // The connection is broken.
            return context.fireErrorCaught(machine.reading == .body && !(error is LateBody) ? LostBody() : error)
        }
        if let action = machine.fail(with: failure) { return perform(action, context) }
        // Discarded input changes nothing: the responses before it are still sent.
        guard machine.reading == .body else { return }
        context.fireErrorCaught(error)
    }

    // MARK: Deadlines

    func channelReadComplete(context: ChannelHandlerContext) {
        if deadline == nil, machine.isOpen {
            switch machine.reading {
            case .idle: break
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
            guard deadline <= .now() else { return self.watch(until: deadline, context) }
            self.deadline = nil
            self.perform(self.machine.deadlinePassed(hasSentAll: self.slowReaderHandler.isEmpty), context)
        }
        timer = (task, deadline)
    }

    // MARK: Outbound

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var part = unwrapOutboundIn(data)
        let form = machine.form
        if case .head(var response) = part {
            // For an HTTP/1.0 client, only the end of the connection delimits a body of unknown length.
            let isDelimited = form.takesChunks || response.headerFields.contains(.contentLength)
            if machine.beginResponse(isDelimited: isDelimited) { response.headerFields[.connection] = "close" }
            part = .head(response)
        }
        responses.write(part, to: form, promise: promise, context)
        if case .end = part { endResponse(context) }
    }

    package func send(_ response: BufferedResponse) {
        // The connection is closed.
        guard let context else { return }
        responses.write(response, isLast: machine.beginResponse(), to: context)
        if isBatching { wantsFlush = true }
        endResponse(context)
        if !isBatching { flush(context: context) }
    }

    package func flushingOnce(_ body: () -> Void) {
        guard !isBatching else { return body() }
        isBatching = true
        body()
        isBatching = false
        guard wantsFlush, let context else { return }
        wantsFlush = false
        flush(context: context)
    }

    private func endResponse(_ context: ChannelHandlerContext) {
        let action = machine.endResponse()
        if !machine.awaitsResponse { startWaiting() }
        perform(action, context)
        if !machine.awaitsResponse { onReadyForInput() }
    }

    func flush(context: ChannelHandlerContext) {
        responses.flush(to: context)
        context.flush()
    }

    /// Closing the output means that no further response follows: finishes the connection instead of half-closing it
    /// here.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .output else { return context.close(mode: mode, promise: promise) }
        perform(machine.endOutput(), context)
        promise?.succeed()
    }

    /// Sends the remaining output to its last byte.
    private func finish(_ refusal: Problem?, isHead: Bool, _ context: ChannelHandlerContext) {
        deadline = nil
        timer?.task.cancel()
        timer = nil
        if let refusal {
            let form = RequestForm(isHead: isHead)
            for part in refusals.lastParts(for: refusal) { responses.write(part, to: form, promise: nil, context) }
        }
        flush(context: context)
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenSuccess { self.perform(self.machine.sentLastByte(), context) }
        slowReaderHandler.afterLastByte(sent)
    }

    /// Closes the output and keeps reading for a while (lingering close): a client that is cut off at once loses the
    /// response.
    private func linger(_ context: ChannelHandlerContext) {
        context.close(mode: .output, promise: nil)
        context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(ConnectionLimits.lingerSeconds)) {
            context.close(promise: nil)
        }
        if wantsRead { read(context: context) }
    }
}

extension HTTPRequestHead {
    fileprivate var expectsContinue: Bool {
        version == .http1_1 && headers.first(name: "expect")?.lowercased() == "100-continue"
    }

    /// Whether the request asks for an upgrade or a tunnel. The decoder reads nothing after such a request, and no upgrade is
    /// granted, so an open connection would be of no use: behind a proxy that shares connections between its clients,
    /// the next request would be another client's.
    fileprivate var asksForAnotherProtocol: Bool { method == .CONNECT || headers.contains(name: "upgrade") }
}

extension Problem {
    /// Describes the decoder's error for a head that it cannot read.
    fileprivate init(_ error: HTTPParserError, firstLine: Int, _ limits: ConnectionLimits) {
        switch error {
        case .headerOverflow where firstLine > limits.uriBytes:
            self.init(.uriTooLong, "The request target has more than \(limits.uriBytes) bytes, which is the maximum.")
        case .headerOverflow: self.init(headersOver: limits)
        default: self.init(.invalidRequest, "The request is not valid HTTP/1.1: \(error).")
        }
    }
}
