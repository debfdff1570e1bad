import Foundation
import LinkRouting
import TestSupport
import Testing

/// Resolves links on a running server, then requests its counts and events through the command line, and tails the
/// events.
@Suite(.timeLimit(.minutes(15)))
struct AnalyticsCommandTests {
    private func resolve(_ url: String, at server: RunningServer) throws {
        let connection = try HTTPConnection(port: server.publicPort)
        #expect(try connection.request("POST", "/resolve", body: #"{"url":"\#(url)"}"#).status == 200)
    }

    private func fingerpost(_ arguments: [String], at server: RunningServer) async throws -> (
        status: Int32, text: String
    ) {
        let key = try #require(server.key)
        let flags = ["--server", "http://127.0.0.1:\(server.adminPort)", "--key", key]
        let tool = RunningServer.products.appending(path: "fingerpost").path
        let (status, output) = try await runBeside(tool, arguments + flags)
        return (status, String(decoding: output, as: UTF8.self))
    }

    @Test func countsAndEventsComeToTheTerminal() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory)
            defer { server.killNow() }
            for url in ["yourapp://product/1", "yourapp://product/2", "yourapp://settings", "yourapp://sale/today"] {
                try resolve(url, at: server)
            }
            let totals = try await fingerpost(["stats", "totals", "shop", "--by", "outcome,route"], at: server)
            #expect(totals.status == 0)
            #expect(
                totals.text == """
                    2   50.0 %  matched  product
                    1   25.0 %  fallback  -
                    1   25.0 %  matched  settings
                    4  100.0 %  total

                    """
            )
            let total = try await fingerpost(["stats", "totals", "shop"], at: server)
            #expect(total.text == "4  100.0 %  total\n")
            let unmatched = try await fingerpost(["stats", "unmatched", "shop"], at: server)
            #expect(unmatched.text.hasPrefix("1  100.0 %  /sale\n1  100.0 %  total\n"))
            #expect(unmatched.text.contains("only up to their first segment"))
            let top = try await fingerpost(["stats", "top", "shop", "country"], at: server)
            #expect(top.text.contains("4  100.0 %  (none)"))
            let series = try await fingerpost(["stats", "series", "shop", "--by", "outcome"], at: server)
            // The names, today, and how many days are left out.
            #expect(series.text.split(separator: "\n").count == 3 && series.text.contains("29 days before and after"))
            let revisions = try await fingerpost(["stats", "revisions", "shop", "--compare", "1"], at: server)
            #expect(revisions.text.contains("route product") && revisions.text.hasPrefix("revision"))
            let wrong = try await fingerpost(["stats", "top", "shop", "shoeSize"], at: server)
            #expect(wrong.status == 1)

            let explained = try await fingerpost(["explain", "2", "--tenant", "shop"], at: server)
            #expect(explained.text.contains("  link      yourapp://product/2\n"), "\(explained.text)")
            #expect(explained.text.contains("\nmatched: route 'product', "))
            let unknown = try await fingerpost(["explain", "99", "--tenant", "shop"], at: server)
            #expect(unknown.status == 1)

            let newest = try await fingerpost(["events", "shop", "--last", "2", "--json"], at: server)
            #expect(newest.text.split(separator: "\n").map { $0.prefix(9) } == ["{\"seq\":3,", "{\"seq\":4,"])
            let table = try await fingerpost(["events", "shop", "--from", "2026-01-01"], at: server)
            let rows = table.text.split(separator: "\n")
            #expect(rows.count == 5 && rows[0].hasPrefix("seq ") && rows[4].contains("yourapp://sale"), "\(table.text)")
            let earlier = try await fingerpost(["events", "shop", "--until", "2026-01-01"], at: server)
            #expect(earlier.status == 0 && earlier.text.isEmpty, "\(earlier.text)")
            let all = try await fingerpost(
                ["events", "shop", "--after", "0", "--outcome", "fallback", "--json"],
                at: server
            )
            #expect(all.text.hasPrefix("{\"seq\":4,") && all.text.split(separator: "\n").count == 1)
        }
    }

    /// A server's answers are shown like those of the file that it serves.
    @Test func serverAnswersLikeItsTableFile() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory)
            defer { server.killNow() }
            let tool = RunningServer.products.appending(path: "fingerpost").path
            let key = try #require(server.key)
            let link = ["resolve", "yourapp://settings", "--explain"]
            let address = ["--server", "http://127.0.0.1:\(server.publicPort)", "--key", key]
            let answered = try await runBeside(tool, link + address)
            let table = Repository.file("config/examples/shop.yaml").path
            let offline = try await runBeside(tool, link + ["--table", table])
            #expect(answered.status == 0 && offline.status == 0)
            #expect(String(decoding: answered.output, as: UTF8.self) == String(decoding: offline.output, as: UTF8.self))
        }
    }

    /// The stream ends with the server, which does not wait for its reader.
    @Test func tailStreamsUntilTheServerStops() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory)
            let reader = Process()
            let output = Pipe()
            reader.executableURL = URL(filePath: "/usr/bin/env")
            reader.arguments = [
                "curl", "-sN", "--max-time", "120", "-H", "Authorization: Bearer \(try #require(server.key))",
                "http://127.0.0.1:\(server.adminPort)/admin/v1/tenants/shop/events/tail",
            ]
            reader.standardOutput = output
            try reader.run()
            var text = ""
            func read(until part: String) throws {
                while !text.contains(part) {
                    let data = output.fileHandleForReading.availableData
                    text += String(decoding: data, as: UTF8.self)
                    try #require(!data.isEmpty, "the stream ended: \(text)")
                }
            }
            try read(until: ": nothing new")
            try resolve("yourapp://product/1", at: server)
            try read(until: "id: 1\ndata: {\"seq\":1,")
            server.send(SIGTERM)
            #expect(server.wait().status == 0)
            while !output.fileHandleForReading.availableData.isEmpty {}
            reader.waitUntilExit()
            #expect(reader.terminationStatus == 0)
        }
    }
}
