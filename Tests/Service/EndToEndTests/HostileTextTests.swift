import Foundation
import LinkRouting
import TestSupport
import Testing

/// Text from strangers, other tenants and files, printed by the command line or executed by a shell.
@Suite(.timeLimit(.minutes(15)))
struct HostileTextTests {
    /// Terminal control sequences: colours, line breaks, C1 controls and bidirectional overrides.
    private static let poison = "x\u{1B}[31m\u{9B}2J\u{202E}\u{2066}\u{200F}\u{61C}\u{2028}\u{85}\u{7F}y"

    private func expectPlain(_ bytes: Data, _ what: String) {
        let text = String(decoding: bytes, as: UTF8.self)
        let bad = text.unicodeScalars.filter { scalar in
            switch scalar.value {
            case 0x0A: false
            case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
            default: false
            }
        }
        #expect(bad.isEmpty, "\(what): \(bad.map(\.value)) in \(text.debugDescription)")
    }

    private func fingerpost(_ arguments: [String], errors: String) async throws -> (status: Int32, output: Data) {
        let tool = RunningServer.products.appending(path: "fingerpost").path
        let command = ["-c", #"f=$1; shift; exec "$@" 2>"$f""#, "sh", errors, tool] + arguments
        let result = try await runBeside("sh", command)
        return (result.status, result.output + (FileManager.default.contents(atPath: errors) ?? Data()))
    }

    @Test func nothingThatAServerHoldsReachesTheTerminalAsACommand() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory + "/data")
            defer { server.killNow() }
            let open = try HTTPConnection(port: server.publicPort)
            for url in ["yourapp://%C2%9B2J%E2%80%AEx/1", "yourapp://sale/a?utm_source=%C2%9B31mX%E2%80%AE%0A"] {
                let body = JSONNode.object(["url": .string(url)]).json()
                #expect(try open.request("POST", "/resolve", body: body).status == 200)
            }
            let admin = try HTTPConnection(port: server.adminPort)
            let key = try #require(server.key)
            func send(_ method: String, _ path: String, _ body: JSONNode?) throws -> HTTPConnection.Response {
                try admin.request(
                    method,
                    "/admin/v1/\(path)",
                    headers: ["Authorization": "Bearer \(key)", "Content-Type": "application/json"],
                    body: body?.json() ?? ""
                )
            }
            let table = JSONNode.object(["removeOthers": .bool(true), "table": .object(["routes": .array([])])])
            #expect(try send("POST", "tenants/shop/apply", table).status == 201)
            let message = JSONNode.object(["message": .string("\(Self.poison)\n9  forged")])
            #expect(try send("POST", "tenants/shop/revisions/1/rollback", message).status == 201)
            let scopes = JSONNode.array([.string("publish")])
            let name = JSONNode.object(["name": .string("\(Self.poison)\nforged"), "scopes": scopes])
            #expect(try send("POST", "keys", name).status == 201)

            let flags = ["--server", "http://127.0.0.1:\(server.adminPort)", "--key", key]
            let errors = directory + "/errors"
            for command in [
                ["stats", "unmatched", "shop"], ["stats", "top", "shop", "utmSource"], ["stats", "totals", "shop"],
                ["revisions", "list", "shop"], ["audit", "list"], ["events", "shop", "--after", "0"],
                ["revisions", "diff", "shop", "1"],
                ["stats", "top", "shop", "\u{9B}2J\u{202E}"], ["suites", "show", "shop", Self.poison],
            ] {
                for json in command[1] == "show" ? [[]] : [[], ["--json"]] {
                    let result = try await fingerpost(command + json + flags, errors: errors)
                    expectPlain(result.output, "\(command + json)")
                    #expect(!result.output.isEmpty)
                }
            }
            for json in [[], ["--json"]] {
                let keys = try await fingerpost(["keys", "list", "--data", server.directory] + json, errors: errors)
                expectPlain(keys.output, "keys")
                #expect(keys.status == 0)
            }
            let listed = try await fingerpost(["revisions", "list", "shop"] + flags, errors: errors)
            let lines = String(decoding: listed.output, as: UTF8.self).split(separator: "\n")
            #expect(lines.count == 4, "\(lines)")
            #expect(!lines.contains { $0.hasPrefix("9  forged") })
            #expect(lines[1].contains("\\u{9B}2J\\u{202E}"))
        }
    }

    @Test func nothingOfAFileReachesTheTerminalAsACommand() async throws {
        try await withTemporaryDirectory { directory in
            let errors = directory + "/errors"
            let table = directory + "/table.json"
            let suite = directory + "/suite.json"
            let wrong = JSONNode.object([
                "routes": .array([
                    .object(["id": .string("a"), "path": .string("/a"), "wéb\(Self.poison)\nforged": .string("x")])
                ])
            ])
            try wrong.json().write(toFile: table, atomically: true, encoding: .utf8)
            let cases = JSONNode.object([
                "formatVersion": .int(1),
                "cases": .array([
                    .object([
                        "link": .string("yourapp://product/1\(Self.poison)"),
                        "expect": .object(["route": .string("product")]),
                    ])
                ]),
            ])
            try cases.json().write(toFile: suite, atomically: true, encoding: .utf8)
            let shop = ScenarioTests.examples.appending(path: "shop.yaml").path
            for command in [
                ["check", table], ["check", table, "--json"], ["resolve", "yourapp://a", "--table", table],
                ["test", suite, "--table", shop], ["test", suite, "--table", shop, "--json"],
                ["test", suite, "--table", shop, "--junit", directory + "/report.xml"],
                ["association", "validate", table],
                ["association", "simulate", table, "https://a.example/\(Self.poison)"],
            ] {
                let result = try await fingerpost(command, errors: errors)
                #expect(!result.output.isEmpty)
                expectPlain(result.output, "\(command.prefix(2))")
            }
            expectPlain(FileManager.default.contents(atPath: directory + "/report.xml") ?? Data(), "report")
        }
    }

    /// The lines are meant to be pasted into a shell. The author of the suite controls the links.
    @Test func printedCommandsRunNothingOfTheSuitesAuthor() async throws {
        try await withTemporaryDirectory { directory in
            let attack = "$(touch${IFS}\(directory)/ran)"
            let links = [
                "https://www.yourappdomain.com/product/\u{600}'\(attack)\u{600}'",
                "https://www.yourappdomain.com/product/'\u{301}\(attack)'\u{301}",
                "yourapp://product/1\ntouch \(directory)/ran", "yourapp://product/1\r\ntouch \(directory)/ran\n",
                "yourapp://product/`touch \(directory)/ran`;touch \(directory)/ran", "'; touch \(directory)/ran #",
                "yourapp://product/1\u{2028}touch \(directory)/ran", "yourapp://product/\\'\(attack)\\'",
            ]
            let cases = links.map { link in
                JSONNode.object(["link": .string(link), "expect": .object(["route": .string("product")])])
            }
            let suite = directory + "/suite.json"
            try JSONNode.object(["formatVersion": .int(1), "cases": .array(cases)]).json()
                .write(toFile: suite, atomically: true, encoding: .utf8)
            let table = ScenarioTests.examples.appending(path: "shop.yaml").path
            let printed = try await fingerpost(
                ["test", suite, "--table", table, "--print-commands"],
                errors: directory + "/errors"
            )
            #expect(printed.status == 0)
            expectPlain(printed.output, "commands")
            let lines = String(decoding: printed.output, as: UTF8.self).split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("xcrun simctl") }, "\(lines)")
            #expect(lines.allSatisfy { line in ["# ", "xcrun ", "adb shell "].contains { line.hasPrefix($0) } })
            let script = directory + "/commands.sh"
            try printed.output.write(to: URL(filePath: script))
            // Neither program is installed. `adb` passes its words to the shell of a device.
            let shell = "xcrun() { :; }; adb() { shift; sh -c 'am() { :; }; '\"$*\"; }; . \"$0\""
            _ = try await runBeside("sh", ["-c", shell, script])
            #expect(!FileManager.default.fileExists(atPath: directory + "/ran"))
        }
    }
}
