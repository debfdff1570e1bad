import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import OutboundHTTP

/// Answers a connection's requests on its event loop where ``Lane`` can, and lets all others pass to who stands behind.
///
/// One request is answered at a time, whoever answers it, and what comes meanwhile waits: so answers leave in the order of
/// their requests. None is answered while its client does not take the answers before it. While something waits, nothing more is
/// read.
///
///     free ──head for the lane──▶ collecting ──its end, or its failure──▶ answering ──answer──▶ free
///      │                             │
///      │                             └──longer than the lane reads: as below
///      └──any other head──▶ passing ──its end──▶ passed ──answer from behind──▶ free
///
/// What ends the connection, and how long a body may take, is the affair of ``HTTP1ConnectionHandler``, which stands before and counts the
/// requests of both.
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

    /// Nil where who stands behind answers everything.
    private let lane: Lane?
    private let gate: HTTP1ConnectionHandler
    private let turns: LoopTurns
    /// Adds who stands behind, when the first request passes; nil where somebody does already.
    private var addOrdinary: ((_ source: NetworkAddress?) throws -> Void)?
    /// Whom a proxy has opened the connection for.
    private var source: NetworkAddress?
    private var client: ClientAddress
    private var state = State.free
    private var waiting = CircularBuffer<Inbound>()
    /// Bytes of the body that is collected.
    private var reservedBytes = 0
    private var isTaking = false
    private var waitsForTurn = false
    private var mayRead = false
    private var context: ChannelHandlerContext?

    /// - Parameters:
    ///   - gate: Sends the answers.
    ///   - client: The socket's peer.
    ///   - addOrdinary: Adds who answers what passes; called once at most.
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

    // MARK: What comes in

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { receive(.part(unwrapInboundIn(data)), context) }

    /// A request that has passed the decoder by; false where it is none for the lane.
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
        // No answer begins before its client has taken those before it, or nearly so.
        case .free: context.channel.isWritable || !context.channel.isActive
        case .collecting, .passing: true
        case .answering, .passed: false
        }
    }

    /// What has waited; one after the other, and not too many of them in one turn.
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
        // It came in a read that is long over; who stands behind waits for the end of it.
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
            // It says why the body cannot be read.
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

    /// Answers a request whose body is not read to its end, and lets none come after those that have.
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

    // MARK: What goes out

    /// Of who stands behind.
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
        // Nobody is there any more; what was asked is recorded all the same.
        guard let context else { return }
        gate.send(answer)
        isFree(context)
    }
}

/// For whom a proxy has opened the connection; told to its handlers before anything else of it.
struct ProxiedClient: Sendable {
    let address: NetworkAddress
}
