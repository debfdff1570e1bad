import LinkRouting
package import LinkTable
import NIOCore
package import Networking

/// Fetches signed tables from the public port of a server.
package struct AppTableDownload: Sendable {
    private let server: String
    private let key: String?

    package init(server: String, key: String?) {
        self.server = server
        self.key = key
    }

    /// Asks for the table of an app. The key is sent only if the server asks for one: it may be the administrator's, and
    /// most tenants need none. Throws an exit code if the server does not respond.
    package func table(
        of scope: TableScope,
        headers: [(String, String)] = []
    ) async throws -> OutboundHTTP.Response {
        let query = "tenant=\(scope.tenant)&environment=\(scope.environment)&app=\(scope.app)"
        let url = "\(server)/_fp/table?\(query)"
        let response = try await send(url, headers)
        guard response.status == 401, let key else { return response }
        return try await send(url, [("Authorization", "Bearer \(key)")] + headers)
    }

    private func send(_ url: String, _ headers: [(String, String)]) async throws -> OutboundHTTP.Response {
        do {
            return try await OutboundHTTP(timeout: .seconds(30), maximumBytes: SignedTable.maximumBytes + 1).send(
                .get,
                url,
                headers,
                nil
            )
        } catch {
            throw fail(error.description, .unavailable)
        }
    }
}

extension OutboundHTTP.Response {
    /// The problem that the server describes.
    package var problem: String {
        let node = try? JSONReader.parse(body, limits: JSONReader.Limits(maximumBytes: 1 << 20))
        return ServerRefusal(status: status, body: node ?? .null).text
    }
}
