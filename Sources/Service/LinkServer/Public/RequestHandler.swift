import HTTPTransport
import HTTPTypes
import LinkCatalog
import NIOCore
import NIOHTTPTypes
import Networking

/// Answers the requests of an HTTP/1 connection, or the request of an HTTP/2 stream, on its event loop.
///
/// Requests are answered one at a time, in order; input that arrives meanwhile is queued. No response begins while the
/// client does not read the earlier ones.
///
///     idle ──head──▶ receiving ──end, or enough is known──▶ answering ──response──▶ idle
///
/// The connection's own handlers limit the time and the size of heads and bodies, and close the connection.
final class RequestHandler: ChannelInboundHandler, RequestReceiver {
    typealias InboundIn = HTTPRequestPart

    private enum State {
        case idle
        case receiving(Receiving)
        case answering
    }

    /// A request whose end has not been read.
    private struct Receiving {
        let request: PublicRequest
        var dispatch: PublicService.Dispatch
        var body = ByteBuffer()
    }

    private enum Inbound {
        case part(HTTPRequestPart)
        case error(any Error)

        /// The memory that it takes in the queue, roughly: a part of a body may have a single byte.
        var queuedBytes: Int {
            if case .part(.body(let bytes)) = self { bytes.readableBytes + 128 } else { 128 }
        }
    }

    private let service: PublicService
    private let sender: any ResponseSender
    /// Address of the peer, or the address that a PROXY header names.
    private let client: ClientAddress
    private var state = State.idle
    private var queue = CircularBuffer<Inbound>()
    /// Whether the parts up to the next end belong to a request that is already answered.
    private var isSkipping = false
    private var isTaking = false
    /// Bytes reserved for the body that is being received.
    private var reservedBytes = 0
    /// The client of the request that a task answers; nil while there is none.
    private var presence: ClientPresence?
    private var isInputClosed = false
    private var context: ChannelHandlerContext?

    init(_ service: PublicService, _ sender: any ResponseSender, client: ClientAddress) {
        self.service = service
        self.sender = sender
        self.client = client
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        presence?.end()
        while dequeue() != nil {}
        // The request is logged and counted, although no one reads its response.
        if case .receiving(let receiving) = state { fail(receiving, with: LostBody()) }
    }

    // MARK: Inbound

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            isInputClosed = true
            endPresenceLater()
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Ends work for a client that has closed its output, which is usually gone.
    private func endPresenceLater() {
        guard isInputClosed, let presence, let context else { return }
        context.eventLoop.scheduleTask(in: .seconds(ClientPresence.patienceSeconds)) { presence.end() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { receive(unwrapInboundIn(data)) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The rest of an answered request. Its response is sent, then the connection ends.
        guard !isSkipping else { return }
        if queue.isEmpty, canTake { take(error) } else { enqueue(.error(error)) }
    }

    func receive(_ part: HTTPRequestPart) {
        // The rest of an answered request is dropped at once: its response may wait for the log, and the client may send
        // any amount meanwhile.
        if isSkipping, queue.isEmpty {
            switch part {
            case .head: break
            case .body: return
            case .end:
                isSkipping = false
                return
            }
        }
        if queue.isEmpty, canTake { take(part) } else { enqueue(.part(part)) }
    }

    /// Number of parts that wait for the response to an earlier request; for tests.
    var queuedParts: Int { queue.count }

    func channelReadComplete(context: ChannelHandlerContext) {
        answerEarly()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        context.fireChannelWritabilityChanged()
        takeQueued()
    }

    private var canTake: Bool {
        switch state {
        // No response begins before the client has read nearly all of the earlier ones.
        case .idle: context.map { $0.channel.isWritable || !$0.channel.isActive } ?? false
        case .receiving: true
        case .answering: false
        }
    }

    /// Queues input that comes while no response may begin. The connection ends if the budget does not suffice.
    private func enqueue(_ inbound: Inbound) {
        guard (try? service.buffers.reserve(inbound.queuedBytes)) != nil else {
            context?.close(promise: nil)
            return
        }
        queue.append(inbound)
    }

    private func dequeue() -> Inbound? {
        guard let inbound = queue.popFirst() else { return nil }
        service.buffers.release(inbound.queuedBytes)
        return inbound
    }

    private func takeQueued() {
        guard !isTaking, !queue.isEmpty else { return }
        isTaking = true
        sender.flushingOnce {
            while canTake, let inbound = dequeue() {
                switch inbound {
                case .part(let part): take(part)
                case .error(let error): take(error)
                }
            }
            if queue.isEmpty { answerEarly() }
            // The flush that follows may make the channel writable, which continues here.
            isTaking = false
        }
    }

    private func take(_ part: HTTPRequestPart) {
        switch (part, state) {
        case (.head(let head), _):
            isSkipping = false
            let (request, dispatch) = service.begin(head, from: client)
            state = .receiving(Receiving(request: request, dispatch: dispatch))
        case (.body(let bytes), .receiving(var receiving)):
            state = .idle
            append(bytes, to: &receiving)
            state = .receiving(receiving)
        case (.end, .receiving(let receiving)): answer(receiving)
        case (.end, _): isSkipping = false
        case (.body, _): break
        }
    }

    private func take(_ error: any Error) {
        switch state {
        // The error says why the body cannot be read.
        case .receiving(let receiving): fail(receiving, with: error)
        default: context?.close(promise: nil)
        }
    }

    // MARK: Request

    private func append(_ bytes: ByteBuffer, to receiving: inout Receiving) {
        guard case .endpoint(_, let limit?) = receiving.dispatch else { return }
        do {
            guard bytes.readableBytes <= limit - receiving.body.readableBytes else { throw Problem(bodyOver: limit) }
            try service.buffers.reserve(bytes.readableBytes)
            reservedBytes += bytes.readableBytes
            if receiving.body.readableBytes == 0 {
                receiving.body = bytes
            } else {
                receiving.body.writeImmutableBuffer(bytes)
            }
        } catch {
            receiving.dispatch = .failure(error)
        }
    }

    /// Answers a request before its end if the response does not depend on the rest of it.
    private func answerEarly() {
        guard case .receiving(let receiving) = state else { return }
        if case .endpoint(_, .some) = receiving.dispatch { return }
        isSkipping = true
        answer(receiving)
    }

    private func fail(_ receiving: Receiving, with error: any Error) {
        isSkipping = true
        answer(Receiving(request: receiving.request, dispatch: .failure(error)))
    }

    // MARK: Response

    private func answer(_ receiving: Receiving) {
        state = .answering
        let (request, buffers, reserved) = (receiving.request, service.buffers, reservedBytes)
        reservedBytes = 0
        do {
            let result =
                switch receiving.dispatch {
                case .endpoint(let endpoint, _): try endpoint.handle(request, receiving.body)
                case .failure(let error): throw error
                }
            switch result {
            case .response(let response):
                buffers.release(reserved)
                finish(request) { response }
            case .later(let start):
                let responder = try responder(to: request)
                buffers.release(reserved)
                start(responder)
            case .async(let respond):
                let responder = try responder(to: request)
                let presence = ClientPresence()
                self.presence = presence
                endPresenceLater()
                TraceContext.$current.withValue(request.scope.trace) {
                    ClientPresence.$current.withValue(presence) {
                        _ = Task {
                            let result: Result<BufferedResponse, any Error>
                            do { result = .success(try await respond()) } catch { result = .failure(error) }
                            // The bytes of the body, which the task needs no longer.
                            buffers.release(reserved)
                            responder.send { try result.get() }
                        }
                    }
                }
            }
        } catch {
            buffers.release(reserved)
            finish(request) { throw error }
        }
    }

    private func responder(to request: PublicRequest) throws -> Responder {
        guard let context else { throw LostBody() }
        return .connection(NIOLoopBound(self, eventLoop: context.eventLoop), request)
    }

    /// Sends the response that `build` returns, or the one to its error.
    func finish(_ request: PublicRequest, _ build: () throws -> BufferedResponse) {
        var response: BufferedResponse
        do { response = try build() } catch { response = service.response(to: error, request) }
        service.end(request, &response)
        presence = nil
        // The connection is closed; the request is recorded all the same.
        guard context != nil else { return }
        state = .idle
        sender.send(response)
        takeQueued()
    }
}
