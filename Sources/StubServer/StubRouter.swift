import StubMatching

/// Decides which part of the server answers a request.
struct StubRouter: Sendable {
    let configuration: StubConfiguration
    let sessions: StubSessions
    let responder: Responder
    let admin: AdminAPI

    @Sendable
    func handle(_ received: ReceivedRequest) -> Handling {
        let target = Self.target(received.target)
        switch sessions.session(target: target, headers: received.headers) {
        case .unknown(let id):
            return .answer(
                .text(404, "There is no session '\(id)'. Create one with POST /__admin/sessions.\n")
            )
        case .session(let session, let target):
            let request = stubRequest(received, target)
            guard AdminAPI.isAdmin(request.path) else { return responder.handle(request, in: session) }
            let call = AdminRequest(request, in: session)
            return .blocking { admin.answer(call) }
        }
    }

    /// Path and query of a request target, which may be an absolute URL.
    private static func target(_ target: String) -> String {
        let target = target.firstIndex(of: "#").map { String(target[..<$0]) } ?? target
        guard !target.utf8.starts(with: "/".utf8), let scheme = target.firstRange(of: "://") else { return target }
        let rest = target[scheme.upperBound...]
        return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
    }

    private func stubRequest(_ received: ReceivedRequest, _ target: String) -> StubRequest {
        let authority = received.headers.first { $0.has(name: "host") }?.value ?? configuration.host
        let (host, port) = Self.hostAndPort(authority)
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
            body: received.body,
            clientAddress: received.clientAddress,
            receivedAt: configuration.environment.now()
        )
    }

    /// `example.org:81` or `[::1]:81`.
    private static func hostAndPort(_ authority: String) -> (host: String, port: Int?) {
        guard let colon = authority.lastIndex(of: ":"), let port = Int(authority[authority.index(after: colon)...])
        else {
            return (authority, nil)
        }
        return (String(authority[..<colon]), port)
    }
}
