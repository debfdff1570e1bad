import Foundation
import GRDB
import LinkRouting
import TestSupport
import Testing

/// Documents of a tenant that cannot be read, because of damage or an older version, affect only that tenant and can be
/// replaced through the API.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct UnreadableTenantTests {
    /// Nested deeper than the reader's limit. SQLite's own JSON check accepts it, so it can be stored.
    private static let unreadable = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)

    @Test func unreadableTenantAffectsNoOtherTenant() async throws {
        try await withTemporaryDirectory { path in
            let key = try Self.begin(path)
            let settings = try Self.withServer(path) {
                try Self.send($0, key, "GET", "blogs/settings").json()["settings"]
            }
            try Self.change(path) { db in
                try db.execute(
                    sql: "UPDATE settings SET content = ? WHERE tenant = 'blogs'",
                    arguments: [Self.unreadable]
                )
                try db.execute(sql: #"UPDATE revision_content SET content = '{"routes": 5}' WHERE tenant = 'taxi'"#)
            }
            try Self.withServer(path) { server in
                #expect(try server.ops("/readyz").status == 200)
                let text = try server.ops("/readyz?verbose").text
                #expect(
                    text.contains("blogs/production") && text.contains("taxi/production") && !text.contains("shop/")
                )
                let metrics = try server.ops("/metrics").text
                #expect(metrics.contains(#"fingerpost_table_unreadable{tenant="blogs",environment="production"} 1"#))
                #expect(metrics.contains("fingerpost_tables_unreadable 2"))
                #expect(try Self.outcome(server, "yourapp://product/123") == "matched")
                // The other tenants can publish and change settings.
                #expect(try Self.send(server, key, "PUT", "shop/draft/routes/new", Self.route).status == 201)
                #expect(try Self.send(server, key, "POST", "shop/draft/publish").status == 201)
                #expect(try Self.outcome(server, "yourapp://new") == "matched")
                #expect(try Self.send(server, key, "GET", "").text.contains("blogs"))
                // New settings replace unreadable settings, and a new table replaces an unreadable table.
                #expect(try Self.send(server, key, "GET", "blogs/settings").json()["code"]?.text == "unreadable")
                let mended = try Self.send(server, key, "PUT", "blogs/settings", settings?.json() ?? "")
                #expect(mended.status == 200, "\(mended.text)")
                let table = #"{"routes":[{"id":"a","path":"/{rest...}","open":{"screen":"A"}}]}"#
                #expect(try Self.send(server, key, "PUT", "taxi/draft", table).status == 200)
                let published = try Self.send(
                    server,
                    key,
                    "POST",
                    "taxi/draft/publish",
                    #"{"override":{"reason":"mend"}}"#
                )
                #expect(published.status == 201, "\(published.text)")
                #expect(try server.ops("/metrics").text.contains("fingerpost_tables_unreadable 0"))
            }
        }
    }

    @Test func draftThatCannotBeReadIsReplacedAndRemoved() async throws {
        try await withTemporaryDirectory { path in
            let key = try Self.begin(path)
            try Self.withServer(path) { server in
                for name in ["main", "other"] {
                    let route = try Self.send(server, key, "PUT", "shop/draft/routes/new?draft=\(name)", Self.route)
                    #expect(route.status == 201)
                }
            }
            try Self.change(path) { db in
                try db.execute(sql: "UPDATE draft SET content = ?", arguments: [Self.unreadable])
            }
            try Self.withServer(path) { server in
                let read = try Self.send(server, key, "GET", "shop/draft")
                #expect(try read.status == 500 && read.json()["code"]?.text == "unreadable", "\(read.text)")
                let list = try Self.send(server, key, "GET", "shop/drafts")
                #expect(try list.status == 200 && list.json()["drafts"]?.elements?.count == 2)
                #expect(try Self.send(server, key, "PUT", "shop/draft", #"{"routes":[]}"#).status == 200)
                #expect(try Self.send(server, key, "GET", "shop/draft").status == 200)
                #expect(try Self.send(server, key, "DELETE", "shop/draft?draft=other").status == 204)
            }
        }
    }

    /// The service refuses to start only if no tenant can be served.
    @Test func catalogOfWhichNothingCanBeReadIsRefusedByName() async throws {
        try await withTemporaryDirectory { path in
            _ = try Self.begin(path)
            try Self.change(path) { db in
                try db.execute(sql: "UPDATE settings SET content = ?", arguments: [Self.unreadable])
            }
            let start = try await runBeside(
                "sh",
                ["-c", #""$0" "$@" 2>&1"#] + RunningServer.command(path + "/data")
            )
            #expect(start.status == 65)
            let text = String(decoding: start.output, as: UTF8.self)
            #expect(text.contains("blogs") && text.contains("corrupt-file.md"), "\(text)")
        }
    }

    /// A completed change is answered again with the same response, even if the store could not keep that response.
    @Test func changeWithAnUnstorableResponseIsStillMadeOnce() async throws {
        try await withTemporaryDirectory { path in
            let key = try Self.begin(path)
            try Self.change(path) { db in
                try db.execute(
                    sql: """
                        CREATE TRIGGER full BEFORE INSERT ON repeated_request
                        BEGIN SELECT raise(ABORT, 'database or disk is full'); END
                        """
                )
            }
            try Self.withServer(path) { server in
                let header = ["Idempotency-Key": "one"]
                let first = try Self.send(server, key, "PUT", "shop/draft/routes/new", Self.route, header)
                let again = try Self.send(server, key, "PUT", "shop/draft/routes/new", Self.route, header)
                #expect(first.status == 201 && again.status == 201, "\(first.text) \(again.text)")
                #expect(again.header("Idempotency-Replayed") == "true" && again.body == first.body)
            }
        }
    }

    // MARK: Service

    private static let route = #"{"path":"/new","open":{"screen":"New"}}"#

    /// Creates the directory with the example tenants. Returns the key.
    private static func begin(_ path: String) throws -> String {
        try withServer(path) { try #require($0.key) }
    }

    private static func withServer<Result>(_ path: String, _ body: (RunningServer) throws -> Result) throws -> Result {
        let server = try RunningServer(directory: path + "/data", log: "critical")
        defer {
            server.send(SIGTERM)
            _ = server.wait()
        }
        return try body(server)
    }

    private static func change(_ path: String, _ body: (Database) throws -> Void) throws {
        let queue = try DatabaseQueue(path: path + "/data/service/catalog.db")
        try queue.write(body)
        try queue.close()
    }

    private static func send(
        _ server: RunningServer,
        _ key: String,
        _ method: String,
        _ path: String,
        _ body: String = "",
        _ headers: [String: String] = [:]
    ) throws -> HTTPConnection.Response {
        try HTTPConnection(port: server.adminPort).request(
            method,
            path.isEmpty ? "/admin/v1/tenants" : "/admin/v1/tenants/\(path)",
            headers: headers.merging(["Authorization": "Bearer \(key)"]) { $1 },
            body: body
        )
    }

    private static func outcome(_ server: RunningServer, _ link: String) throws -> String? {
        let body = #"{"url":"\#(link)","context":{"platform":"ios"}}"#
        return try HTTPConnection(port: server.publicPort).request("POST", "/resolve", body: body)
            .json()["outcome"]?.text
    }
}
