import Foundation
import GRDB
import LinkRouting
import TestSupport
import Testing

/// Domains that no tenant may claim, stored before the list of public suffixes had them.
struct RefusedClaimTests {
    @Test func storedDomainStaysWithAWarning() async throws {
        try await withTemporaryDirectory { path in
            let first = try RunningServer(directory: path + "/data", log: "critical")
            let key = try #require(first.key)
            first.send(SIGTERM)
            #expect(first.wait().status == 0)
            let queue = try DatabaseQueue(path: path + "/data/service/catalog.db")
            try await queue.write { db in
                for column in ["settings SET content = replace(content,", "domain SET host = replace(host,"] {
                    try db.execute(sql: "UPDATE \(column) 'farechoice.taxi', 'co.uk')")
                }
            }
            try queue.close()

            let log = path + "/log"
            let server = try RunningServer(directory: path + "/data", launcher: RunningServer.logging(to: log))
            defer {
                server.send(SIGTERM)
                _ = server.wait()
            }
            try waitUntil("the warning is logged") {
                try String(contentsOfFile: log, encoding: .utf8).contains("taxi co.uk")
            }
            let file = try HTTPConnection(port: server.publicPort)
                .request("GET", "/.well-known/apple-app-site-association", host: "co.uk")
            #expect(file.status == 200)
            let settings = "/admin/v1/tenants/taxi/settings"
            let headers = ["Authorization": "Bearer \(key)"]
            let stored = try HTTPConnection(port: server.adminPort).request("GET", settings, headers: headers).json()
            let content = try #require(stored["settings"]?.json())
            // A file from `pull` has these settings, and is applied for its table.
            let applied = try HTTPConnection(port: server.adminPort)
                .request(
                    "POST",
                    "/admin/v1/tenants/taxi/apply",
                    headers: headers.merging(["Content-Type": "application/json"]) { $1 },
                    body: #"{"settings":\#(content)}"#
                )
            #expect(applied.status < 300, "\(applied.text)")
            let written = try HTTPConnection(port: server.adminPort)
                .request("PUT", settings, headers: headers, body: content)
            #expect(written.status == 422 && written.text.contains("'co.uk' is a public suffix"), "\(written.text)")
        }
    }
}
