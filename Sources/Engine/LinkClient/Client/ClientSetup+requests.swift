import LinkRouting
import LinkTable

/// The requests of a client.
extension ClientSetup {
    private static let timeout = Duration.seconds(30)

    /// `GET /_fp/table`.
    func tableRequest(_ server: String, entityTag: String?) -> LinkRequest {
        var request = LinkRequest(
            method: .get,
            url: "\(server)/_fp/table?tenant=\(scope.tenant)&environment=\(scope.environment)&app=\(scope.app)",
            headers: headers(accepting: SignedTable.mediaType),
            maximumBytes: SignedTable.maximumBytes,
            timeout: Self.timeout
        )
        request.headers["If-None-Match"] = entityTag
        return request
    }

    /// `POST /_fp/events`.
    func eventRequest(_ server: String, _ batch: [OutboxEvent], install: String) -> LinkRequest {
        let sender = EventBatch.Sender(tenant: scope.tenant, environment: scope.environment, install: install)
        return post("\(server)/_fp/events", EventBatch.body(batch, from: sender))
    }

    /// `POST /_fp/installs`.
    func installRequest(
        _ server: String,
        _ evidence: InstallEvidence,
        install: String,
        _ context: LinkContext
    ) -> LinkRequest {
        var writer = JSONWriter(reservingCapacity: 512)
        writer.beginObject()
        writer.member("tenant", scope.tenant.rawValue)
        writer.member("environment", scope.environment.rawValue)
        writer.member("app", scope.app.rawValue)
        writer.member("install", install)
        switch evidence {
        case .token(let token): writer.member("token", token)
        case .pasted(let link): writer.member("link", link)
        }
        writer.key("context")
        // The server uses its own clock.
        var context = context
        context.now = nil
        context.write(to: &writer)
        writer.endObject()
        return post("\(server)/_fp/installs", writer.finish())
    }

    /// `POST /resolve`.
    func resolveRequest(_ server: String, _ subject: ServerAnswer.Subject, _ context: LinkContext) -> LinkRequest {
        post("\(server)/resolve", ServerAnswer.request(subject, context, environment: scope.environment))
    }

    private func post(_ url: String, _ body: [UInt8]) -> LinkRequest {
        var request = LinkRequest(
            method: .post,
            url: url,
            headers: headers(accepting: "application/json"),
            body: body,
            maximumBytes: 1 << 20,
            timeout: Self.timeout
        )
        request.headers["Content-Type"] = "application/json"
        return request
    }

    private func headers(accepting type: String) -> [String: String] {
        var headers = ["Accept": type]
        if let key = configuration.clientKey { headers["Authorization"] = "Bearer \(key)" }
        return headers
    }
}

extension LinkResponse {
    /// The server's explanation of an error, shortened.
    var problem: String { document?["detail"]?.text.map { String($0.prefix(300)) } ?? "without an explanation." }

    /// The code of a problem.
    var code: String? { document?["code"]?.text }

    private var document: JSONNode? {
        let limits = JSONReader.Limits(maximumBytes: 64 << 10, maximumDepth: 16, maximumValues: 10_000)
        return try? JSONReader.parse(body, limits: limits)
    }
}
