import Foundation
import LinkRouting
import TestSupport
import Testing

/// Resolves links, edits the draft, and compares them with `fingerpost replay`: in both ways on a running server, and
/// on the data directory after it has stopped.
struct ReplayCommandTests {
    @Test func replaysReportTheChangesOfADraft() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory)
            let key = try #require(server.key)
            for url in ["yourapp://product/1", "https://yourappdomain.com/product/2", "yourapp://settings"] {
                try curl("http://127.0.0.1:\(server.publicPort)/resolve", "-d", #"{"url":"\#(url)"}"#)
            }
            let admin = "http://127.0.0.1:\(server.adminPort)"
            let draft = "\(admin)/admin/v1/tenants/shop/draft"
            let authorized = ["-H", "Authorization: Bearer \(key)", "-H", "Content-Type: application/json"]
            let flags = ["--server", admin, "--key", key]
            #expect(try await replay(flags).status == 1, "there is no draft yet")

            let table = try curl([draft] + authorized)
            try curl([draft, "-X", "PUT", "-d", table] + authorized)
            let (unchanged, text) = try await replay(flags)
            #expect(unchanged == 0, "\(text)")
            #expect(text.contains("replayed 3: 0 change, 3 stay"))

            let edited = table.replacing(#"{"screen":"Settings"}"#, with: #"{"screen":"Preferences"}"#)
            #expect(edited != table)
            try curl([draft, "-X", "PUT", "-d", edited] + authorized)
            let byKey = try await replay(flags)
            #expect(byKey.status == 2)
            #expect(byKey.output.contains("replayed 3: 1 change, 2 stay"), "\(byKey.output)")
            #expect(byKey.output.contains("screen: Settings → Preferences"), "\(byKey.output)")

            let bySocket = try await replay(["--data", directory, "--since", "1h", "--json"])
            #expect(bySocket.status == 2)
            try expectOneChange(in: bySocket.output)
            server.send(SIGTERM)
            #expect(server.wait().status == 0)
            let offline = try await replay(["--data", directory, "--json"])
            #expect(offline.status == 2)
            try expectOneChange(in: offline.output)
        }
    }

    @Test(arguments: [
        ["--since", "1w"], ["--since", "0h"], ["--since", "400d"], ["--limit", "0"], ["--purpose", "x"],
    ])
    func wrongUsageIsSixtyFour(_ flags: [String]) async throws {
        #expect(try await replay(flags).status == 64)
    }

    private func expectOneChange(in output: String) throws {
        let report = try JSONReader.parse(output, limits: JSONReader.Limits(maximumBytes: 1 << 20))
        #expect(report["replayed"]?.int == 3)
        let change = try #require(report["changes"]?.elements?.first)
        #expect(change["count"]?.int == 1)
        #expect(change["from"]?["route"]?.text == "settings")
        #expect(change["samples"]?.elements?.first?["link"]?.text == "yourapp://settings")
    }

    private func replay(_ flags: [String]) async throws -> (status: Int32, output: String) {
        let program = RunningServer.products.appending(path: "fingerpost").path
        let (status, output) = try await runBeside(program, ["replay", "shop"] + flags)
        return (status, String(decoding: output, as: UTF8.self))
    }

    @discardableResult
    private func curl(_ arguments: String...) throws -> String { try curl(arguments) }

    @discardableResult
    private func curl(_ arguments: [String]) throws -> String {
        let (status, output) = try run("curl", ["-sS", "--fail-with-body"] + arguments)
        let text = String(decoding: output, as: UTF8.self)
        #expect(status == 0, "\(text)")
        return text
    }
}
