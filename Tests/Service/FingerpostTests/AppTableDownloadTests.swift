import LinkRouting
import LinkTable
import Networking
import TestSupport
import Testing
import fingerpost

/// A download of an app's table sends a key only if the server asks for one.
@Suite(.timeLimit(.minutes(15)))
struct AppTableDownloadTests {
    private static let table = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\ntable"
    private static let missingKey =
        "HTTP/1.1 401 Unauthorized\r\nContent-Length: 22\r\nConnection: close\r\n\r\n{\"code\":\"missing_key\"}"

    private func scope() throws -> TableScope {
        TableScope(tenant: try #require(TenantID("acme")), app: try #require(AppID("ios")))
    }

    private func isAuthorized(_ request: String) -> Bool { request.lowercased().contains("authorization: bearer") }

    @Test func keyIsNotSentIfNoneIsNeeded() async throws {
        let server = try SocketServer(.text(Self.table))
        defer { server.end() }
        let response = try await AppTableDownload(server: server.url(""), key: "fp_secret").table(of: try scope())
        #expect(response.status == 200)
        #expect(server.requests.map(isAuthorized) == [false])
    }

    @Test func keyIsSentIfTheServerAsks() async throws {
        let server = try SocketServer(.text(Self.missingKey), .text(Self.table))
        defer { server.end() }
        let response = try await AppTableDownload(server: server.url(""), key: "fp_secret").table(of: try scope())
        #expect(response.status == 200)
        #expect(server.requests.map(isAuthorized) == [false, true])
    }

    @Test func refusalWithoutAKeyNamesTheOption() async throws {
        let server = try SocketServer(.text(Self.missingKey))
        defer { server.end() }
        let response = try await AppTableDownload(server: server.url(""), key: nil).table(of: try scope())
        #expect(response.status == 401 && server.requests.count == 1)
        #expect(response.problem.contains("Use --key or FINGERPOST_KEY."))
    }
}
