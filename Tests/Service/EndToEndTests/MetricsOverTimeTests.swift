import Foundation
import TestSupport
import Testing

/// The metrics of the running process after events, and after a restart.
@Suite(.timeLimit(.minutes(15)))
struct MetricsOverTimeTests {
    @Test func refusedKeysAndPublicationsAreCounted() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory)
            defer { server.killNow() }
            let key = try #require(server.key)
            let fresh = try lines(server)
            #expect(fresh.contains(#"fingerpost_auth_failures_total{reason="invalid_key"} 0"#))
            #expect(fresh.contains(#"fingerpost_publish_total{result="published"} 0"#))
            #expect(fresh.contains(#"fingerpost_route_table_revision{tenant="shop",environment="production"} 1"#))
            #expect(!fresh.contains { $0.hasPrefix("fingerpost_backup_last_success_timestamp_seconds ") })

            let admin = try HTTPConnection(port: server.adminPort)
            func ask(_ method: String, _ path: String, key: String?, body: String = "") throws -> Int {
                let headers = key.map { ["Authorization": "Bearer \($0)"] } ?? [:]
                return try admin.request(method, "/admin/v1/tenants\(path)", headers: headers, body: body).status
            }
            #expect(try ask("GET", "", key: nil) == 401)
            #expect(try ask("GET", "", key: "fp_wrong") == 401)
            let table =
                #"{"removeOthers":true,"table":{"routes":[{"id":"only","path":"/only","open":{"screen":"Only"}}]}}"#
            #expect(try ask("POST", "/shop/apply", key: key, body: table) == 201)
            #expect(try ask("POST", "/shop/revisions/2/rollback", key: key, body: "{}") == 200)
            #expect(try ask("POST", "/shop/revisions/77/rollback", key: key, body: "{}") == 404)

            let later = try lines(server)
            #expect(later.contains(#"fingerpost_auth_failures_total{reason="invalid_key"} 1"#))
            #expect(later.contains(#"fingerpost_auth_failures_total{reason="missing_key"} 1"#))
            #expect(later.contains(#"fingerpost_publish_total{result="published"} 1"#))
            #expect(later.contains(#"fingerpost_publish_total{result="unchanged"} 1"#))
            #expect(later.contains(#"fingerpost_route_table_revision{tenant="shop",environment="production"} 2"#))
        }
    }

    @Test func agesOfBackupAndExportOutliveARestart() async throws {
        try await withTemporaryDirectory { directory in
            let (data, tool) = (directory + "/data", RunningServer.products.appending(path: "fingerpost").path)
            let began = Int(Date().timeIntervalSince1970)
            let server = try RunningServer(directory: data)
            let link = #"{"url":"yourapp://product/1"}"#
            #expect(try HTTPConnection(port: server.publicPort).request("POST", "/resolve", body: link).status == 200)
            for words in [["backup", directory + "/backup"], ["export", "shop"]] {
                let result = try await runBeside(tool, words + ["--data", data])
                #expect(result.status == 0)
            }
            server.killNow()

            let again = try RunningServer(directory: data)
            defer { again.killNow() }
            for name in [
                "backup_last_success_timestamp_seconds", #"export_last_success_timestamp_seconds{tenant="shop"}"#,
            ] {
                var line = ""
                // The exports are read from the ledger after the start.
                try waitUntil("the service knows \(name)") {
                    line = try lines(again).first { $0.hasPrefix("fingerpost_\(name) ") } ?? ""
                    return !line.isEmpty
                }
                let time = try #require(line.split(separator: " ").last.flatMap { Int($0) })
                #expect((began...Int(Date().timeIntervalSince1970)).contains(time))
            }
            let size = try #require(try value("fingerpost_disk_size_bytes", again))
            let free = try #require(try value("fingerpost_disk_free_bytes", again))
            #expect(size >= free && free > 0)
            #expect(try #require(try value("process_max_fds", again)) >= 256)
        }
    }

    private func lines(_ server: RunningServer) throws -> [String] {
        try server.ops("/metrics").text.split(separator: "\n").map(String.init)
    }

    private func value(_ name: String, _ server: RunningServer) throws -> Double? {
        try lines(server).first { $0.hasPrefix(name + " ") }?.split(separator: " ").last.flatMap { Double($0) }
    }
}
