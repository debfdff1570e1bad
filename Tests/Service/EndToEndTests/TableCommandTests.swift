import Foundation
import LinkRouting
import TestSupport
import Testing

/// `fingerpost table` beside a running server that signs tables.
@Suite(.timeLimit(.minutes(15)))
struct TableCommandTests {
    private func table(_ arguments: [String]) async throws -> (status: Int32, text: String) {
        let tool = RunningServer.products.appending(path: "fingerpost").path
        let result = try await runBeside("sh", ["-c", #""$0" "$@" 2>&1"#, tool, "table"] + arguments)
        return (result.status, String(decoding: result.output, as: UTF8.self))
    }

    /// The public keys in the output of `table keys`: the current one and the next one.
    private func keys(in text: String) -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("current ") || $0.hasPrefix("next ") }.compactMap {
            $0.split(separator: " ").dropFirst().first.map(String.init)
        }
    }

    private func publicKeys(_ keys: [String]) -> [String] { keys.flatMap { ["--public-key", $0] } }

    /// An app that pins both keys of its release accepts the tables before and after one rotation.
    @Test func pinnedKeysOutlastARotation() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory + "/table.jwk"
            let made = try await table(["keys", "create", file])
            #expect(made.status == 0, "\(made.text)")
            let pinned = keys(in: made.text)
            #expect(pinned.count == 2)
            for path in [file, file + ".next"] {
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                #expect(mode == 0o600)
            }
            let again = try await table(["keys", "create", file])
            #expect(again.status == 74 && again.text.contains("rotate"), "\(again.text)")

            let configuration = directory + "/fingerpost.yaml"
            try "tables: {signingKey: \"\(file)\"}\n".write(toFile: configuration, atomically: true, encoding: .utf8)
            let server = try RunningServer(directory: directory + "/data", flags: ["--config", configuration])
            defer { server.killNow() }
            try server.ops("/metrics") { $0.text.contains("fingerpost_app_tables_signed_total{result=\"ok\"}") }
            let address = ["--app", "ios", "--server", "http://127.0.0.1:\(server.publicPort)"]
            let output = directory + "/shop.table"
            func export() async throws -> (status: Int32, text: String) {
                try await table(["export", "shop", "--output", output] + address + publicKeys(pinned))
            }
            // The tables are signed one after the other.
            try await eventually { try await export().status == 0 }
            let valid = try await table(
                ["verify", output, "--tenant", "shop", "--app", "ios"] + publicKeys([pinned[0]])
            )
            #expect(valid.status == 0 && valid.text.contains("revision 1"), "\(valid.text)")
            let healthy = try await table(["doctor", "shop"] + address + publicKeys(pinned))
            #expect(healthy.status == 0 && healthy.text.contains("no problems found"), "\(healthy.text)")

            let rotated = try await table(["keys", "rotate", file])
            #expect(rotated.status == 0 && keys(in: rotated.text).first == pinned[1], "\(rotated.text)")
            let repeated = try await table(["keys", "rotate", file])
            #expect(repeated.status == 1 && repeated.text.contains("use --released"), "\(repeated.text)")
            server.send(SIGHUP)
            try await eventually {
                _ = try await export()
                return try await table(
                    ["verify", output, "--tenant", "shop", "--app", "ios"] + publicKeys([pinned[1]])
                ).status == 0
            }
            let old = try await table(["verify", output, "--tenant", "shop", "--app", "ios"] + publicKeys([pinned[0]]))
            #expect(old.status == 1 && old.text.contains("unknown_key"), "\(old.text)")
            let outdated = try await table(["doctor", "shop"] + address + publicKeys([pinned[0]]))
            #expect(outdated.status == 1 && outdated.text.contains("unknown_key"), "\(outdated.text)")
        }
    }

    @Test func fileIsSignedWithoutAServer() async throws {
        try await withTemporaryDirectory { directory in
            let (file, output) = (directory + "/table.jwk", directory + "/shop.table")
            let made = try await table(["keys", "create", file])
            let example = Repository.file("config/examples/shop.yaml").path
            let signed = try await table([
                "sign", example, "--app", "ios", "--signing-key", file, "--revision", "7", "--settings-revision", "3",
                "--output", output,
            ])
            #expect(signed.status == 0, "\(signed.text)")
            // The private key is not replaced by the signed table.
            let secret = try Data(contentsOf: URL(filePath: file))
            let lost = try await table([
                "sign", example, "--app", "ios", "--signing-key", file, "--revision", "7", "--settings-revision", "3",
                "--output", file,
            ])
            #expect(lost.status == 64 && lost.text.contains("is a file that this command reads"), "\(lost.text)")
            #expect(try Data(contentsOf: URL(filePath: file)) == secret)
            let verify =
                ["verify", output, "--tenant", "shop", "--app", "ios", "--json"] + publicKeys(keys(in: made.text))
            let valid = try await table(verify)
            #expect(valid.status == 0 && valid.text.contains(#""revision": 7"#), "\(valid.text)")
            let dashed = "-" + String(repeating: "A", count: 42)
            let foreign = try await table(
                ["verify", output, "--tenant", "shop", "--app", "ios", "--public-key", dashed]
            )
            #expect(foreign.status == 1 && foreign.text.contains("unknown_key"), "\(foreign.text)")
            var bytes = try Data(contentsOf: URL(filePath: output))
            bytes[bytes.count / 2] ^= 1
            try bytes.write(to: URL(filePath: output))
            let damaged = try await table(verify)
            #expect(damaged.status == 1 && damaged.text.contains("bad_signature"), "\(damaged.text)")
            let unknown = try await table([
                "sign", example, "--app", "tv", "--signing-key", file, "--revision", "7", "--settings-revision", "3",
                "--output", output,
            ])
            #expect(unknown.status == 65 && unknown.text.contains("'tv'"), "\(unknown.text)")
            chmod(file, 0o644)
            let open = try await table(["keys", "show", file])
            #expect(open.status == 65 && open.text.contains("chmod 600"), "\(open.text)")
        }
    }

    /// `check` without a server knows the engine that the settings name, but not the apps in use.
    @Test(arguments: [("0.9", true), ("1.0", false)])
    func checkRefusesATableThatTheOldestAppCannotRead(version: String, isRefused: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let file = directory + "/acme.yaml"
            try """
            formatVersion: 1
            tenant: acme
            settings: {schemes: [acme], minimumClient: "\(version)"}
            table: {routes: [{id: item, path: "/item/{id:int}", open: {screen: Item}}]}
            """.write(toFile: file, atomically: true, encoding: .utf8)
            let tool = RunningServer.products.appending(path: "fingerpost").path
            let result = try await runBeside(tool, ["check", "--json", file])
            let text = String(decoding: result.output, as: UTF8.self)
            #expect(text.contains(#""old_client""#) == isRefused, "\(text)")
            #expect(result.status == (isRefused ? 1 : 0), "\(text)")
        }
    }

    /// A program signs instead of the server.
    @Test func agentSigns() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory + "/table.jwk"
            let pinned = keys(in: try await table(["keys", "create", file]).text)
            // Without a program that signs with Ed25519, the agent gives an answer that is no signature.
            let agent = directory + "/agent"
            // The server calls it again after each failure: its files are replaced, so that none is read half written.
            try """
            #!/bin/sh
            cat > "\(directory)/message.$$" && mv "\(directory)/message.$$" "\(directory)/message"
            printf %s "$1" > "\(directory)/kid.$$" && mv "\(directory)/kid.$$" "\(directory)/kid"
            head -c 64 /dev/zero
            """
            .write(toFile: agent, atomically: true, encoding: .utf8)
            chmod(agent, 0o755)
            let configuration = directory + "/fingerpost.yaml"
            try "tables: {agent: \"\(agent)\", agentKey: \"\(pinned[0])\"}\n".write(
                toFile: configuration,
                atomically: true,
                encoding: .utf8
            )
            let server = try RunningServer(
                directory: directory + "/data",
                flags: ["--config", configuration],
                log: "critical"
            )
            defer { server.killNow() }
            let failed = /fingerpost_app_tables_signed_total\{result="failed"\} [1-9]/
            try server.ops("/metrics") { $0.text.contains(failed) }
            #expect(try String(contentsOfFile: directory + "/kid", encoding: .utf8).count == 43)
            #expect(try Data(contentsOf: URL(filePath: directory + "/message")).contains(UInt8(ascii: "{")))
            let table = try HTTPConnection(port: server.publicPort).request("GET", "/_fp/table?tenant=shop&app=ios")
            #expect(table.status == 503, "a wrong signature is never served")
        }
    }

    /// Repeats the check until it holds. The limit only ends a test that hangs.
    private func eventually(_ check: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + HangLimit.duration
        while try await !check() {
            try #require(ContinuousClock.now < deadline, "the check does not hold within \(HangLimit.seconds) seconds")
        }
    }
}
