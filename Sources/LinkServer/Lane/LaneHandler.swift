import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import OutboundHTTP

/// Answers a connection's requests on its event loop where ``Lane`` can, and passes all others to the next handler.
///
/// Requests are answered one at a time, and later input is queued meanwhile, so responses leave in the order of their
/// requests. No response begins while the client does not take the earlier ones. While input is queued, nothing more is
/// read.
///
///     free ──head for the fast path──▶ collecting ──end or error──▶ answering ──response──▶ free
///      │                                  │
///      │                                  └──body too long for the fast path: as below
///      └──any other head──▶ passing ──end──▶ passed ──response from the next handler──▶ free
///
/// ``HTTP1ConnectionHandler``, which comes before, closes the connection, limits the time of a body and counts the
/// requests of both paths.
final class LaneHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private enum State {
        case free
        case collecting(Lane.Endpoint, HTTPRequest, ByteBuffer)
        case answering
        case passing
        case passed
    }

    private enum Inbound {
        case part(HTTPRequestPart)
        case whole(Lane.Endpoint, HTTPRequest, ByteBuffer)
        case error(any Error)
        case event(Any)
    }

    /// The fast path; nil where the next handler answers everything.
    private let lane: Lane?
    private let gate: HTTP1ConnectionHandler
    private let turns: LoopTurns
    /// Adds the next handler for the first request that is passed on; nil once that handler is there.
    private var addOrdinary: ((_ source: NetworkAddress?) throws -> Void)?
    /// The client for which a proxy opened the connection.
    private var source: NetworkAddress?
    private var client: ClientAddress
    private var state = State.free
    private var waiting = CircularBuffer<Inbound>()
    /// Bytes reserved for the body that is being collected.
    private var reservedBytes = 0
    private var isTaking = false
    private var waitsForTurn = false
    private var mayRead = false
    private var context: ChannelHandlerContext?

    /// - Parameters:
    ///   - gate: Sends the responses.
    ///   - client: Address of the socket's peer.
    ///   - addOrdinary: Adds the handler for requests that are passed on; called at most once.
    init(
        _ lane: Lane?,
        _ gate: HTTP1ConnectionHandler,
        _ turns: LoopTurns,
        client: ClientAddress,
        addOrdinary: ((_ source: NetworkAddress?) throws -> Void)?
    ) {
        self.lane = lane
        self.gate = gate
        self.turns = turns
        self.client = client
        self.addOrdinary = addOrdinary
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        releaseBody()
        waiting.removeAll()
        addOrdinary = nil
    }

    // MARK: Inbound

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { receive(.part(unwrapInboundIn(data)), context) }

    /// Takes a request that bypasses the decoder; returns false if it is not for the fast path.
    func takeWhole(_ request: HTTPRequest, _ body: ByteBuffer) -> Bool {
        guard let context, let endpoint = lane?.endpoint(for: request) else { return false }
        gate.tookWhole()
        receive(.whole(endpoint, request, body), context)
        return true
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { receive(.error(error), context) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ProxiedClient {
            client = ClientAddress(event.address)
            source = event.address
        }
        receive(.event(event), context)
    }

    func read(context: ChannelHandlerContext) {
        mayRead = !waiting.isEmpty
        if waiting.isEmpty { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        context.fireChannelWritabilityChanged()
        if context.channel.isWritable { takeWaiting(context) }
    }

    private func receive(_ inbound: Inbound, _ context: ChannelHandlerContext) {
        if waiting.isEmpty, canTake(context) { take(inbound, context) } else { waiting.append(inbound) }
    }

    private func canTake(_ context: ChannelHandlerContext) -> Bool {
        switch state {
        // No response begins before the client has taken nearly all of the earlier ones.
        case .free: context.channel.isWritable || !context.channel.isActive
        case .collecting, .passing: true
        case .answering, .passed: false
        }
    }

    /// Processes queued input in order, with at most ``LoopTurns/requests`` responses in one turn.
    private func takeWaiting(_ context: ChannelHandlerContext) {
        guard !isTaking, !waitsForTurn, !waiting.isEmpty else { return }
        isTaking = true
        var answered = 0
        gate.flushingOnce {
            while canTake(context), answered < LoopTurns.requests, let inbound = waiting.popFirst() {
                take(inbound, context)
                if case .free = state { answered += 1 }
            }
            isTaking = false
        }
        if answered == LoopTurns.requests, !waiting.isEmpty { waitForTurn() }
        // The read that brought this input is over; the next handler waits for its end.
        context.fireChannelReadComplete()
        if waiting.isEmpty, mayRead {
            mayRead = false
            context.read()
        }
    }

    private func waitForTurn() {
        guard !waitsForTurn else { return }
        waitsForTurn = true
        turns.wait {
            self.waitsForTurn = false
            if let context = self.context { self.takeWaiting(context) }
        }
    }

    private func take(_ inbound: Inbound, _ context: ChannelHandlerContext) {
        switch inbound {
        case .part(let part): take(part, context)
        case .whole(let endpoint, let head, let body):
            state = .answering
            answer(endpoint, head, .success(body), context)
        case .error(let error):
            guard case .collecting(let endpoint, let head, _) = state else { return context.fireErrorCaught(error) }
            // The error says why the body cannot be read.
            state = .answering
            answer(endpoint, head, .failure(error), context)
        case .event(let event):
            passWhatIsUnfinished(context)
            context.fireUserInboundEventTriggered(event)
        }
    }

    private func take(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        switch (state, part) {
        case (.free, .head(let head)):
            if let endpoint = lane?.endpoint(for: head) {
                state = .collecting(endpoint, head, ByteBuffer())
            } else {
                state = .passing
                pass(part, context)
            }
        case (.collecting(let endpoint, let head, var body), .body(var bytes)):
            do {
                try lane?.resolve.buffers.reserve(bytes.readableBytes)
                reservedBytes += bytes.readableBytes
            } catch {
                return refuse(endpoint, head, error, context)
            }
            state = .free
            if body.readableBytes == 0 { body = bytes } else { body.writeBuffer(&bytes) }
            state = .collecting(endpoint, head, body)
            if body.readableBytes > lane?.bodyBytes ?? 0 { passWhatIsUnfinished(context) }
        case (.collecting(let endpoint, let head, let body), .end):
            state = .answering
            answer(endpoint, head, .success(body), context)
        default:
            if case .end = part { state = .passed }
            pass(part, context)
        }
    }

    private func releaseBody() {
        if reservedBytes > 0 { lane?.resolve.buffers.release(reservedBytes) }
        reservedBytes = 0
    }

    /// Answers a request without reading the rest of its body. Requests received before are answered, and no further
    /// ones are accepted.
    private func refuse(
        _ endpoint: Lane.Endpoint,
        _ head: HTTPRequest,
        _ error: any Error,
        _ context: ChannelHandlerContext
    ) {
        gate.endAfterAnswers(context)
        var isOver = false
        waiting.removeAll { inbound in
            guard !isOver, case .part(let part) = inbound else { return false }
            if case .end = part { isOver = true }
            return true
        }
        state = .answering
        answer(endpoint, head, .failure(error), context)
    }

    private func passWhatIsUnfinished(_ context: ChannelHandlerContext) {
        guard case .collecting(_, let head, let body) = state else { return }
        releaseBody()
        state = .passing
        pass(.head(head), context)
        if body.readableBytes > 0 { pass(.body(body), context) }
    }

    private func pass(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        if let addOrdinary {
            self.addOrdinary = nil
            do { try addOrdinary(source) } catch { return context.close(promise: nil) }
        }
        context.fireChannelRead(wrapInboundOut(part))
    }

    // MARK: Outbound

    /// Writes from the next handler.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        context.write(data, promise: promise)
        if case .end = unwrapOutboundIn(data), case .passed = state { isFree(context) }
    }

    private func isFree(_ context: ChannelHandlerContext) {
        state = .free
        takeWaiting(context)
    }

    private func answer(
        _ endpoint: Lane.Endpoint,
        _ head: HTTPRequest,
        _ body: Result<ByteBuffer, any Error>,
        _ context: ChannelHandlerContext
    ) {
        guard let lane else { return }
        defer { releaseBody() }
        var scope = RequestScope(client: client)
        lane.frame.begin(head, &scope)
        TraceContext.$current.withValue(scope.trace) {
            do {
                switch try lane.begin(endpoint, head, body.get(), &scope) {
                case .answer(let answer): send(answer, endpoint, head, scope)
                case .record(let passages, let then):
                    let (loop, handler) = (context.eventLoop, NIOLoopBound(self, eventLoop: context.eventLoop))
                    lane.resolving.record(passages, arrivedAt: scope.arrival) { [scope] result in
                        loop.execute { handler.value.send(Result { try then(result.get()) }, endpoint, head, scope) }
                    }
                }
            } catch {
                send(lane.answer(to: error, scope), endpoint, head, scope)
            }
        }
    }

    private func send(
        _ result: Result<BufferedResponse, any Error>,
        _ endpoint: Lane.Endpoint,
        _ head: HTTPRequest,
        _ scope: RequestScope
    ) {
        guard let lane else { return }
        TraceContext.$current.withValue(scope.trace) {
            switch result {
            case .success(let answer): send(answer, endpoint, head, scope)
            case .failure(let error): send(lane.answer(to: error, scope), endpoint, head, scope)
            }
        }
    }

    private func send(_ answer: BufferedResponse, _ endpoint: Lane.Endpoint, _ head: HTTPRequest, _ scope: RequestScope)
    {
        guard let lane else { return }
        var answer = answer
        lane.frame.end(head, scope, route: endpoint.route, answer.status, &answer.headers)
        answer.headers.append(HTTPField(name: .date, value: lane.date.now))
        // The connection is gone; the request is recorded all the same.
        guard let context else { return }
        gate.send(answer)
        isFree(context)
    }
}
