import LinkRouting
package import LinkTable
import NIOCore
package import OutboundHTTP

/// Fetches signed tables from the public port of a server.
package struct AppTableDownload: Sendable {
    private let server: String
    private let key: String?

    package init(server: String, key: String?) {
        self.server = server
        self.key = key
    }

    /// Asks for the table of an app. Throws an exit code if the server does not respond.
    package func table(
        of scope: TableScope,
        headers: [(String, String)] = []
    ) async throws -> OutboundHTTP.Response {
        let query = "tenant=\(scope.tenant)&environment=\(scope.environment)&app=\(scope.app)"
        let authorization = key.map { [("Authorization", "Bearer \($0)")] } ?? []
        do {
            return try await OutboundHTTP(timeout: .seconds(30), maximumBytes: SignedTable.maximumBytes + 1).send(
                .get,
                "\(server)/_fp/table?\(query)",
                authorization + headers,
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
