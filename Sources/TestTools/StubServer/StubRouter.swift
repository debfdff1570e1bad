import StubMatching

/// Decides which part of the server answers a request.
struct StubRouter: Sendable {
    let configuration: StubConfiguration
    let memory: MessageMemory
    let sessions: StubSessions
    let responder: Responder
    let admin: AdminAPI
    let adminCallers: AdminCallers

    @Sendable
    func handle(_ received: ReceivedRequest) -> Handling {
        let access = configuration.crossOrigin == .allowed ? CrossOriginAccess(for: received) : nil
        let target = Self.target(received.target)
        switch sessions.session(target: target, headers: received.headers) {
        case .unknown(let id):
            return .answer(
                .text(404, "There is no session '\(id)'. Create one with POST /__admin/sessions.\n")
            )
        case .session(let session, let target):
            if AdminAPI.isAdmin(target), let refusal = adminCallers.refusal(of: received) {
                return .answer(refusal)
            }
            guard let access, !AdminAPI.isAdmin(target) else { return handle(received, target, session) }
            return access.preflight.map { Handling.answer($0) }
                ?? handle(received, target, session).map(access.allowing)
        }
    }

    private func handle(_ received: ReceivedRequest, _ target: String, _ session: StubSession) -> Handling {
        guard received.isGzipped else { return handle(stubRequest(received, target), received, in: session) }
        return .asynchronous {
            let (handling, bytes) = await offEventLoop { decompressed(received, target, session) }
            let answer = await handling.answer()
            memory.remove(bytes)
            return answer
        }
    }

    private func handle(_ request: StubRequest, _ received: ReceivedRequest, in session: StubSession) -> Handling {
        guard !AdminAPI.isAdmin(request.path) else {
            let call = AdminRequest(request, in: session)
            return .blocking { admin.answer(call) }
        }
        let handling = responder.handle(request, in: session)
        guard configuration.compression == .gzip else { return handling }
        return AnswerCompression(for: received)?.apply(to: handling) ?? handling
    }

    /// Handles a request with its body decompressed, which may take long. `bytes` are those that it counted in `memory`.
    private func decompressed(
        _ received: ReceivedRequest,
        _ target: String,
        _ session: StubSession
    ) -> (handling: Handling, bytes: Int) {
        let limit = configuration.limits.bodyBytes
        do throws(BodyCoding.Failure) {
            let body = try BodyCoding.gunzip(received.body, limit: limit)
            let bytes = MessageMemory.counted(body.count)
            guard memory.add(bytes) else { return (.answer(memory.exhausted), 0) }
            return (handle(stubRequest(received, target, decompressed: body), received, in: session), bytes)
        } catch {
            switch error {
            case .damaged:
                let text = "The request's body is not gzip, as its Content-Encoding says; send it uncompressed.\n"
                return (.answer(.text(400, text)), 0)
            case .tooLarge:
                let text = "The request's body has more than \(limit) bytes when it is decompressed.\n"
                return (.answer(.text(413, text)), 0)
            }
        }
    }

    /// Path and query of a request target, which may be an absolute URL.
    private static func target(_ target: String) -> String {
        let target = target.firstIndex(of: "#").map { String(target[..<$0]) } ?? target
        guard !target.utf8.starts(with: "/".utf8), let scheme = target.firstRange(of: "://") else { return target }
        let rest = target[scheme.upperBound...]
        return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
    }

    private func stubRequest(
        _ received: ReceivedRequest,
        _ target: String,
        decompressed: [UInt8]? = nil
    ) -> StubRequest {
        let authority = received.headers.first { $0.has(name: "host") }?.value ?? configuration.host
        let (host, port) = ReceivedRequest.hostAndPort(authority)
        // Jetty drops the question mark of an empty query.
        let target = target.hasSuffix("?") ? String(target.dropLast()) : target
        return StubRequest(
            id: configuration.environment.newID(),
            method: received.method,
            target: target,
            scheme: received.scheme,
            host: host,
            port: port ?? received.localPort,
            absoluteURL: "\(received.scheme)://\(authority)\(target)",
            version: received.version,
            headers: received.headers,
            body: decompressed ?? received.body,
            encodedBody: decompressed == nil ? nil : received.body,
            clientAddress: received.clientAddress,
            receivedAt: configuration.environment.now()
        )
    }
}
