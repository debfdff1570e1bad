import HTTPTypes
import LinkCatalog
import NIOCore
import NIOHTTPTypes
import OutboundHTTP

/// Sends the responses of a connection or a stream.
protocol ResponseSender: AnyObject {
    func send(_ response: BufferedResponse)
    /// Runs `body` and flushes all responses that it sends once, at its end.
    func flushingOnce(_ body: () -> Void)
}

/// Answers the requests of an HTTP/1 connection, or the request of an HTTP/2 stream, on its event loop.
///
/// Requests are answered one at a time, in order; input that arrives meanwhile is queued. No response begins while the
/// client does not read the earlier ones.
///
///     idle ──head──▶ receiving ──end, or enough is known──▶ answering ──response──▶ idle
///
/// The connection's own handlers limit the time and the size of heads and bodies, and close the connection.
final class RequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPRequestPart

    private enum State {
        case idle
        case receiving(Receiving)
        case answering
    }

    /// A request whose end has not been read.
    private struct Receiving {
        let head: HTTPRequest
        var scope: RequestScope
        var route: String?
        var target: Result<Target, any Error>
    }

    /// An endpoint that is permitted to answer, and what it is called with.
    private struct Target {
        let endpoint: PublicEndpoint
        let grant: KeyGrant?
        /// Nil if the endpoint ignores bodies.
        let bodyLimit: Int?
        var body = ByteBuffer()
    }

    private enum Inbound {
        case part(HTTPRequestPart)
        case error(any Error)
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
    private var context: ChannelHandlerContext?

    init(_ service: PublicService, _ sender: any ResponseSender, client: ClientAddress) {
        self.service = service
        self.sender = sender
        self.client = client
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        queue.removeAll()
        // The request is logged and counted, although no one reads its response.
        if case .receiving(let request) = state { finish(request, failingWith: LostBody()) }
    }

    // MARK: Inbound

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { receive(.part(unwrapInboundIn(data))) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { receive(.error(error)) }

    func channelReadComplete(context: ChannelHandlerContext) {
        answerEarly()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        context.fireChannelWritabilityChanged()
        takeQueued()
    }

    private func receive(_ inbound: Inbound) {
        if queue.isEmpty, canTake { take(inbound) } else { queue.append(inbound) }
    }

    private var canTake: Bool {
        switch state {
        // No response begins before the client has read nearly all of the earlier ones.
        case .idle: isSkipping || context.map { $0.channel.isWritable || !$0.channel.isActive } ?? false
        case .receiving: true
        case .answering: false
        }
    }

    private func takeQueued() {
        guard !isTaking, !queue.isEmpty else { return }
        isTaking = true
        sender.flushingOnce {
            while canTake, let inbound = queue.popFirst() { take(inbound) }
            if queue.isEmpty { answerEarly() }
        }
        isTaking = false
    }

    private func take(_ inbound: Inbound) {
        switch (inbound, state) {
        case (.part(.head(let head)), _): begin(head)
        case (.part(.body(let bytes)), .receiving(var request)):
            state = .idle
            append(bytes, to: &request)
            state = .receiving(request)
        case (.part(.end), .receiving(let request)): finish(request)
        case (.part(.end), _): isSkipping = false
        case (.part(.body), _): break
        // The error says why the body cannot be read.
        case (.error(let error), .receiving(let request)): finish(request, failingWith: error)
        case (.error, _): context?.close(promise: nil)
        }
    }

    // MARK: Request

    private func begin(_ head: HTTPRequest) {
        isSkipping = false
        var request = Receiving(head: head, scope: RequestScope(client: client), target: .failure(LostBody()))
        service.instrumentation.begin(head, &request.scope)
        request.target = Result { try target(of: &request) }
        state = .receiving(request)
    }

    /// Returns the endpoint of a request whose head permits an answer.
    private func target(of request: inout Receiving) throws -> Target {
        let head = request.head
        try service.admission.enter(head, &request.scope, service.keys)
        switch service.router.match(head.method, head.path ?? "") {
        case .refused(let problem, let route):
            request.route = route
            throw problem
        case .endpoint(let endpoint):
            request.route = endpoint.path
            let grant = endpoint.acceptsKey ? try service.keys.optionalGrant(in: head.headerFields) : nil
            let bodyLimit = endpoint.bodyLimit?()
            if let bodyLimit { try head.checkBody(upTo: bodyLimit) }
            return Target(endpoint: endpoint, grant: grant, bodyLimit: bodyLimit)
        }
    }

    private func append(_ bytes: ByteBuffer, to request: inout Receiving) {
        guard case .success(var target) = request.target, let limit = target.bodyLimit else { return }
        request.target = .failure(LostBody())
        do {
            guard bytes.readableBytes <= limit - target.body.readableBytes else {
                throw Problem(bodyOver: limit)
            }
            try service.buffers.reserve(bytes.readableBytes)
            reservedBytes += bytes.readableBytes
            if target.body.readableBytes == 0 { target.body = bytes } else { target.body.writeImmutableBuffer(bytes) }
            request.target = .success(target)
        } catch {
            request.target = .failure(error)
        }
    }

    /// Answers a request before its end if the response does not depend on the rest of it.
    private func answerEarly() {
        guard case .receiving(let request) = state else { return }
        if case .success(let target) = request.target, target.bodyLimit != nil { return }
        isSkipping = true
        finish(request)
    }

    private func finish(_ request: Receiving, failingWith error: any Error) {
        var request = request
        request.target = .failure(error)
        isSkipping = true
        finish(request)
    }

    private func finish(_ request: Receiving) {
        state = .answering
        defer {
            service.buffers.release(reservedBytes)
            reservedBytes = 0
        }
        answer(request) {
            let target = try request.target.get()
            return try target.endpoint.handle(
                PublicRequest(head: request.head, body: target.body, grant: target.grant, scope: request.scope)
            )
        }
    }

    // MARK: Response

    private func answer(_ request: Receiving, with result: () throws -> HandlerResult) {
        TraceContext.$current.withValue(request.scope.trace) {
            do {
                switch try result() {
                case .response(let response): send(response, to: request)
                case .later(let start):
                    let respond = responder(to: request)
                    start(respond)
                case .async(let respond):
                    let done = responder(to: request)
                    Task {
                        let result: Result<BufferedResponse, any Error>
                        do { result = .success(try await respond()) } catch { result = .failure(error) }
                        done { try result.get() }
                    }
                }
            } catch {
                send(service.response(to: error, request.scope), to: request)
            }
        }
    }

    private func responder(to request: Receiving) -> HandlerResult.Respond {
        guard let loop = context?.eventLoop else { return { _ in } }
        let handler = NIOLoopBound(self, eventLoop: loop)
        let (head, scope, route) = (request.head, request.scope, request.route)
        return { response in
            loop.execute {
                let request = Receiving(head: head, scope: scope, route: route, target: .failure(LostBody()))
                handler.value.answer(request) { .response(try response()) }
            }
        }
    }

    private func send(_ response: BufferedResponse, to request: Receiving) {
        var response = response
        service.instrumentation.end(
            request.head,
            request.scope,
            route: request.route,
            response.status,
            &response.headers
        )
        response.headers.append(HTTPField(name: .date, value: service.date.now))
        // The connection is closed; the request is recorded all the same.
        guard context != nil else { return }
        state = .idle
        sender.send(request.head.method == .head ? response.withoutBody : response)
        takeQueued()
    }
}

extension HTTPRequest {
    /// Throws if the head announces a body that is encoded or longer than `limit` bytes.
    fileprivate func checkBody(upTo limit: Int) throws(Problem) {
        guard headerFields[.contentEncoding].map({ $0.lowercased() == "identity" }) ?? true else {
            throw Problem.encodedBody
        }
        // A Content-Length consists of digits and may not fit into an integer.
        if let length = headerFields[.contentLength], Int(length).map({ $0 > limit }) ?? true {
            throw Problem(bodyOf: length, over: limit)
        }
    }
}
