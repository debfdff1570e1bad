import Foundation
import GRDB
import LinkRouting
import TestSupport
import Testing

/// An unauthorised caller is refused before the body is read, and nothing is written.
@Suite(.timeLimit(.minutes(10)))
struct AuthorisationFirstTests {
    @Test func unauthorizedKeyIsRefusedBeforeTheBodyIsRead() async throws {
        try await withTemporaryDirectory { path in
            let server = try RunningServer(directory: path + "/data")
            defer {
                server.send(SIGTERM)
                _ = server.wait()
            }
            let key = try Self.appKey(server)
            let before = try Self.rows(path)
            for (method, target) in [
                ("POST", "tenants/shop/draft/publish"), ("POST", "tenants/blogs/draft/publish"),
                ("PUT", "tenants/blogs/draft"), ("PUT", "tenants/blogs/settings"), ("POST", "tenants/blogs/draft/plan"),
                ("POST", "tenants/blogs/draft/routes"), ("PUT", "tenants/blogs/suites/a"), ("POST", "keys"),
                ("POST", "association/validate"), ("POST", "tenants/blogs/erasures"),
            ] {
                let connection = try HTTPConnection(port: server.adminPort)
                // Announces the body and sends only a part of it.
                try connection.begin(
                    """
                    \(method) /admin/v1/\(target) HTTP/1.1\r
                    Host: localhost\r
                    Authorization: Bearer \(key)\r
                    Idempotency-Key: one\r
                    Content-Length: 33554432\r
                    \r

                    """ + String(repeating: " ", count: 100_000)
                )
                let answer = try connection.response()
                #expect(answer.status == 403, "\(method) \(target): \(answer.text)")
            }
            #expect(try Self.rows(path) == before)
        }
    }

    /// Settings have their own size limit, which is checked before the body is read.
    @Test func limitOfAnEndpointIsCheckedFirst() async throws {
        try await withTemporaryDirectory { path in
            let server = try RunningServer(directory: path + "/data")
            defer {
                server.send(SIGTERM)
                _ = server.wait()
            }
            let key = try #require(server.key)
            for (method, target) in [
                ("PUT", "shop/settings"), ("POST", "shop/draft/publish"), ("POST", "shop/erasures"),
            ] {
                let connection = try HTTPConnection(port: server.adminPort)
                try connection.begin(
                    """
                    \(method) /admin/v1/tenants/\(target) HTTP/1.1\r
                    Host: localhost\r
                    Authorization: Bearer \(key)\r
                    Idempotency-Key: one\r
                    Content-Length: 2000000\r
                    \r

                    """
                )
                #expect(try connection.response().status == 413, "\(method) \(target)")
            }
        }
    }

    /// A key with the scopes of an app.
    private static func appKey(_ server: RunningServer) throws -> String {
        let made = try HTTPConnection(port: server.adminPort).request(
            "POST",
            "/admin/v1/keys",
            headers: ["Authorization": "Bearer \(server.key ?? "")"],
            body: #"{"name":"app","tenant":"blogs","scopes":["resolve"]}"#
        )
        return try #require(try made.json()["key"]?.text)
    }

    /// The number of stored requests and audit rows in the catalog.
    private static func rows(_ path: String) throws -> Int {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path + "/data/service/catalog.db", configuration: configuration)
        return try queue.read { db in
            let sql = "SELECT (SELECT count(*) FROM repeated_request) + (SELECT count(*) FROM audit)"
            return try Int.fetchOne(db, sql: sql) ?? 0
        }
    }
}
