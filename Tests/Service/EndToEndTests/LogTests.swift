import Foundation
import LinkRouting
import TestSupport
import Testing

/// The log of the running process for any requests.
@Suite(.timeLimit(.minutes(15)))
struct LogTests {
    private static let secret = "s3cr3t-in-a-request"

    @Test(arguments: ["info", "trace"]) func everyLineIsOneObjectWithoutSecrets(_ level: String) async throws {
        try await withTemporaryDirectory { directory in
            let file = directory + "/log"
            let server = try RunningServer(
                directory: directory + "/data",
                launcher: RunningServer.logging(to: file),
                log: level,
                environment: ["FINGERPOST_LOG_REQUESTS": "all"]
            )
            let key = try #require(server.key)
            try askHostile(server, key: key)
            server.send(SIGTERM)
            #expect(server.wait().status == 0)

            let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
            let objects = try lines.map { line in
                try JSONReader.parse(String(line), limits: JSONReader.Limits(maximumBytes: 1 << 20))
            }
            for (line, object) in zip(lines, objects) {
                #expect(
                    object["ts"]?.text != nil && object["level"]?.text != nil && object["msg"]?.text != nil,
                    "\(line)"
                )
            }
            #expect(objects.first?["msg"]?.text == "starting")
            #expect(objects.first?["version"]?.text?.hasPrefix("0.1.0") == true)
            let requests = objects.filter { $0["event"]?.text == "request" }
            #expect(requests.count >= 8)
            #expect(requests.allSatisfy { $0["trace_id"]?.text?.utf8.count == 32 })
            #expect(requests.contains { $0["trace_id"]?.text == "4bf92f3577b34da6a3ce929d0e0e4736" })
            #expect(lines.allSatisfy { !$0.contains(key.suffix(40)) })
            #expect(objects.contains { $0["msg"]?.text == "stopped" })
            // The service's own addresses are in one line, and no caller's address is in any.
            let listening = objects.filter { $0["msg"]?.text == "listening" }
            #expect(listening.count == 1)
            #expect(listening.first?["public"]?.text == "http://127.0.0.1:\(server.publicPort)")
            #expect(listening.first?["admin"]?.text == "http://127.0.0.1:\(server.adminPort)")
            #expect(listening.first?["ops"]?.text == "http://127.0.0.1:\(server.opsPort)")
            let others = zip(lines, objects).filter { $0.1["msg"]?.text != "listening" }
            #expect(others.allSatisfy { !$0.0.contains("127.0.0.1:5") })
            // From level debug on, logs may hold links, as config/fingerpost.yaml says.
            if level == "info" { #expect(lines.allSatisfy { !$0.contains(Self.secret) }) }
        }
    }

    private func askHostile(_ server: RunningServer, key: String) throws {
        let secret = Self.secret
        let open = try HTTPConnection(port: server.publicPort)
        let trace = ["traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"]
        _ = try open.request(
            "POST",
            "/resolve",
            headers: trace,
            body: #"{"url":"yourapp://product/1?token=\#(secret)"}"#
        )
        _ = try open.request("POST", "/resolve", body: #"{"url":"\#(secret)\r\n\u0000\"}"#)
        _ = try open.request(
            "POST",
            "/resolve",
            headers: ["X-Request-ID": "a\u{9B}\"\(secret)"],
            body: "{\"\(secret)\""
        )
        _ = try open.request("GET", "/%0d%0a\(secret)?q=\(secret)", host: "\(secret).example")
        _ = try open.request("GET", "/\"\\\(secret)", headers: ["User-Agent": secret, "Referer": secret])
        _ = try open.request(secret.uppercased(), "/resolve")
        let admin = try HTTPConnection(port: server.adminPort)
        _ = try admin.request("GET", "/admin/v1/tenants/shop", headers: ["Authorization": "Bearer \(key)"])
        _ = try admin.request("GET", "/admin/v1/tenants/\(secret)", headers: ["Authorization": "Bearer \(secret)"])
        _ = try admin.request(
            "PUT",
            "/admin/v1/tenants/shop/draft?x=\(secret)",
            headers: ["Authorization": "Bearer \(key)"],
            body: "\(secret): ["
        )
    }
}
