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
    var problem: String {
        let limits = JSONReader.Limits(maximumBytes: 64 << 10, maximumDepth: 16, maximumValues: 10_000)
        guard let node = try? JSONReader.parse(body, limits: limits), let detail = node["detail"]?.text else {
            return "without an explanation."
        }
        return String(detail.prefix(300))
    }
}
