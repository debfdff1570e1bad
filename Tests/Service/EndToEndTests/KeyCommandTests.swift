import Foundation
import LinkCatalog
import LinkRouting
import TestSupport
import Testing

/// `fingerpost keys` beside a running server, which applies the changes.
@Suite(.timeLimit(.minutes(15)))
struct KeyCommandTests {
    private func keys(_ arguments: [String]) async throws -> (status: Int32, text: String) {
        let tool = RunningServer.products.appending(path: "fingerpost").path
        let result = try await runBeside("sh", ["-c", #""$0" "$@" 2>&1"#, tool, "keys"] + arguments)
        return (result.status, String(decoding: result.output, as: UTF8.self))
    }

    private func status(of key: String, at server: RunningServer) throws -> Int {
        try HTTPConnection(port: server.adminPort).request(
            "GET",
            "/admin/v1/tenants",
            headers: ["Authorization": "Bearer \(key)"]
        ).status
    }

    @Test(arguments: [[], ["--alone"]]) func revokedKeyIsRefusedAtOnce(_ flags: [String]) async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory + "/data")
            defer { server.killNow() }
            let made = try await keys(["create", "--name", "ci", "--scope", "admin", "--data", server.directory])
            #expect(made.status == 0, "\(made.text)")
            let key = String(made.text.prefix { !$0.isNewline })
            #expect(try status(of: key, at: server) == 200)
            let listed = try await keys(["list", "--data", server.directory])
            let row = try #require(listed.text.split(separator: "\n").first { $0.contains("  ci  ") })
            let id = String(row.prefix { $0 != " " })

            let child = try HTTPConnection(port: server.adminPort).request(
                "POST",
                "/admin/v1/keys",
                headers: ["Authorization": "Bearer \(key)"],
                body: #"{"name":"child","scopes":["keys"]}"#
            )
            let childID = try #require(child.text.firstMatch(of: /"id": ?"([^"]+)"/), "\(child.text)").output.1

            // An id may start with a dash.
            let revoked = try await keys(["revoke"] + flags + ["--data", server.directory, "--", id])
            #expect(revoked.status == 0 && revoked.text.hasPrefix("\(id): revoked since "), "\(revoked.text)")
            let rest = flags.isEmpty ? "revoked with it: \(childID)\n" : "keys that it created stay valid: \(childID)\n"
            #expect(revoked.text.hasSuffix(rest), "\(revoked.text)")
            #expect(try status(of: key, at: server) == 401)
        }
    }

    @Test func leakedKeyIsRevokedByItselfAndNeverRepeated() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory + "/data")
            defer { server.killNow() }
            let made = try await keys(["create", "--scope", "admin", "--data", server.directory])
            let key = String(made.text.prefix { !$0.isNewline })
            let damaged = String(key.dropLast())
            for (arguments, expected) in [
                (["revoke", damaged], Int32(1)), (["rotate", damaged, "--key", "k"], 1), (["list", key], 64),
                (["create", key], 64), (["revoke", key, damaged], 64),
            ] {
                let refused = try await keys(arguments)
                #expect(refused.status == expected, "\(refused.text)")
                #expect(!refused.text.contains(damaged.suffix(20)), "\(refused.text)")
            }
            #expect(try status(of: key, at: server) == 200)
            let revoked = try await keys(["revoke", key, "--data", server.directory])
            #expect(revoked.status == 0 && revoked.text.contains(": revoked since "), "\(revoked.text)")
            #expect(!revoked.text.contains(damaged.suffix(20)), "\(revoked.text)")
            #expect(try status(of: key, at: server) == 401)
        }
    }

    /// The first keys may be created before the first tenant.
    @Test func keyOfAllTenantsMayPrecedeThem() async throws {
        try await withTemporaryDirectory { directory in
            let made = try await keys([
                "create", "--init", "--scope", "publish", "--environment", "staging", "--data", directory + "/data",
            ])
            #expect(made.status == 0 && made.text.contains("  environments: staging\n"), "\(made.text)")
        }
    }

    /// The line of the runbook that reads the id out of a key.
    @Test(arguments: ["production", "my_env", "a_b-c.d_"]) func runbookReadsTheID(environment: String) async throws {
        let page = try String(contentsOf: Repository.file("deploy/runbooks/key-leak.md"), encoding: .utf8)
        let line = try #require(page.split(separator: "\n").first { $0.hasPrefix("ID=") })
        let random = Data((0..<UInt8(APIKey.randomBytes)).map { $0 &* 41 })
        let name = try #require(EnvironmentID(environment))
        let key = try #require(APIKey(environment: name, random: random))
        let result = try await runBeside("sh", ["-c", "LEAKED=$0; \(line); echo $ID", key.token])
        #expect(String(decoding: result.output, as: UTF8.self) == "\(key.id)\n")
    }

    @Test func allPermissionsOnAllTenantsAreGrantedOnlyExplicitly() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory + "/data")
            defer { server.killNow() }
            let refused = try await keys(["create", "--name", "ops", "--data", server.directory])
            #expect(refused.status == 64 && refused.text.contains("--scope admin"), "\(refused.text)")
            for grant in [["--scope", "admin"], ["--tenant", "shop"]] {
                let made = try await keys(["create", "--name", "ops"] + grant + ["--data", server.directory])
                #expect(made.status == 0, "\(made.text)")
            }
            let listed = try await keys(["list", "--data", server.directory])
            #expect(listed.text.contains("  ops   all tenants  admin"), "\(listed.text)")
            #expect(listed.text.contains("  ops   shop         admin"), "\(listed.text)")
        }
    }

    @Test func refusalsNameNoPlaceOfTheMessage() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory + "/data")
            defer { server.killNow() }
            let revoked = try await keys(["revoke", "nobody", "--data", server.directory])
            #expect(revoked.status == 1)
            #expect(revoked.text.hasPrefix("fingerpost: there is no key 'nobody'"), "\(revoked.text)")
            let made = try await keys(["create", "--scope", "admin", "--name", "", "--data", server.directory])
            #expect(made.status == 1 && made.text.contains("1 to 128 bytes"), "\(made.text)")
            #expect(!made.text.contains("line 1, column"), "\(made.text)")
        }
    }
}
