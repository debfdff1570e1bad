import Foundation
import TestSupport
import Testing

/// Keys and addresses of servers as options and as variables, and what commands say about a key that is refused.
@Suite(.timeLimit(.minutes(15)))
struct KeyOptionTests {
    private static let tenant = """
        formatVersion: 1
        tenant: acme
        settings:
          clientKey: required
          schemes: [acme]
          apps: [{id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.acme}]
        table:
          routes: [{id: home, path: /, open: {screen: Home}}]

        """
    private static let suite = "formatVersion: 1\ncases:\n  - {link: \"acme://\", expect: {route: home}}\n"

    /// Runs a command in `directory`, in which `''` is an empty word. Returns its exit code and all output.
    private func fingerpost(
        _ command: String,
        _ variables: [String: String] = [:],
        in directory: String
    ) async throws -> (status: Int32, text: String) {
        let tool = RunningServer.products.appending(path: "fingerpost").path
        let names = ["FINGERPOST_KEY", "FINGERPOST_SERVER", "FINGERPOST_PUBLIC_SERVER"]
        let environment = names.flatMap { ["-u", $0] } + variables.map { "\($0.key)=\($0.value)" }
        let script = #"cd "$0" && exec env "$@" 2>&1 </dev/null"#
        let words = command.split(separator: " ").map { $0 == "''" ? "" : String($0) }
        let result = try await runBeside("sh", ["-c", script, directory] + environment + [tool] + words)
        return (result.status, String(decoding: result.output, as: UTF8.self))
    }

    private func withServer(_ body: (RunningServer, String) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            try Self.tenant.write(toFile: "\(directory)/acme.yaml", atomically: true, encoding: .utf8)
            try Self.tenant.replacing("acme", with: "fresh")
                .write(toFile: "\(directory)/fresh.yaml", atomically: true, encoding: .utf8)
            try Self.suite.write(toFile: "\(directory)/suite.yaml", atomically: true, encoding: .utf8)
            let made = try await fingerpost("table keys create table.jwk", in: directory)
            #expect(made.status == 0, "\(made.text)")
            try "tables: {signingKey: \"\(directory)/table.jwk\"}\n"
                .write(toFile: "\(directory)/fingerpost.yaml", atomically: true, encoding: .utf8)
            let server = try RunningServer(
                directory: directory + "/data",
                flags: ["--config", "\(directory)/fingerpost.yaml"]
            )
            defer { server.killNow() }
            try await body(server, directory)
        }
    }

    /// The variables suffice for commands of both ports.
    @Test func variablesReplaceTheOptions() async throws {
        try await withServer { server, directory in
            let variables = [
                "FINGERPOST_KEY": try #require(server.key),
                "FINGERPOST_SERVER": "http://127.0.0.1:\(server.adminPort)/",
                "FINGERPOST_PUBLIC_SERVER": "http://127.0.0.1:\(server.publicPort)/",
            ]
            let applied = try await fingerpost("apply -f acme.yaml --suite suite.yaml", variables, in: directory)
            #expect(applied.status == 0, "\(applied.text)")
            for command in ["pull acme", "tenants list", "stats totals acme", "codegen swift --tenant acme"] {
                let result = try await fingerpost(command, variables, in: directory)
                #expect(result.status == 0, "\(command): \(result.text)")
            }
            let tested = try await fingerpost("test suite.yaml", variables, in: directory)
            #expect(tested.status == 0 && tested.text.contains("1 passed, 0 failed"), "\(tested.text)")
            // The tables are signed one after the other.
            let deadline = ContinuousClock.now + HangLimit.duration
            var exported: (status: Int32, text: String)
            repeat {
                exported = try await fingerpost("table export acme --app ios --output t", variables, in: directory)
            } while exported.status != 0 && ContinuousClock.now < deadline
            #expect(exported.status == 0, "\(exported.text)")
            // An option has precedence.
            let other = try await fingerpost("tenants list --server http://127.0.0.1:9", variables, in: directory)
            #expect(other.status == 69 && other.text.contains("127.0.0.1:9"), "\(other.text)")
        }
    }

    /// As docs/tables.md and the help say.
    @Test func commandsThatOnlyReadNeedTheScopeToRead() async throws {
        try await withServer { server, directory in
            var variables = [
                "FINGERPOST_KEY": try #require(server.key),
                "FINGERPOST_SERVER": "http://127.0.0.1:\(server.adminPort)",
            ]
            #expect(try await fingerpost("apply -f acme.yaml", variables, in: directory).status == 0)
            let made = try await fingerpost("keys create --tenant acme --scope tables:read --data data", in: directory)
            variables["FINGERPOST_KEY"] = made.text.split(separator: "\n").first { $0.hasPrefix("fp_") }?.description
            for (command, text) in [
                ("pull acme", "tenant: acme\n"), ("plan -f acme.yaml", "nothing would change\n"),
                ("apply -f acme.yaml --dry-run", "nothing would change\n"),
            ] {
                let result = try await fingerpost(command, variables, in: directory)
                #expect(result.status == 0 && result.text.contains(text), "\(command): \(result)")
            }
        }
    }

    /// The command that is printed for a new tenant creates a key that can create the tenant.
    @Test func adviceForANewTenantWorks() async throws {
        try await withServer { server, directory in
            let address = ["FINGERPOST_SERVER": "http://127.0.0.1:\(server.adminPort)"]
            func key(_ command: String) async throws -> String {
                let made = try await fingerpost(command, in: directory)
                return try #require(made.text.split(separator: "\n").first { $0.hasPrefix("fp_") }).description
            }
            for scope in ["explain", "tables:read"] {
                let weak = try await key("keys create --scope \(scope) --data data")
                let refused = try await fingerpost("apply -f fresh.yaml --key \(weak)", address, in: directory)
                #expect(refused.status == 1, "\(refused)")
                #expect(refused.text.contains("'fingerpost keys create --data DIR --scope admin'"), "\(refused.text)")
            }
            let strong = try await key("keys create --data data --scope admin")
            let applied = try await fingerpost("apply -f fresh.yaml --key \(strong)", address, in: directory)
            #expect(applied.status == 0, "\(applied)")
        }
    }

    /// A file of secrets may end with a line break. A key with another wrong character is not shown.
    @Test func lineBreaksAroundAKeyAreRemoved() async throws {
        try await withServer { server, directory in
            let key = try #require(server.key)
            let address = ["FINGERPOST_SERVER": "http://127.0.0.1:\(server.adminPort)"]
            func list(_ variable: String, option: String? = nil) async throws -> (status: Int32, text: String) {
                let variables = address.merging(["FINGERPOST_KEY": variable]) { $1 }
                return try await fingerpost(
                    "tenants list" + (option.map { " --key \($0)" } ?? ""),
                    variables,
                    in: directory
                )
            }
            for text in ["\(key)\n", "\(key)\r\n", "\r\n\(key)\t"] {
                let variable = try await list(text)
                #expect(variable.status == 0, "\(variable.text)")
                let option = try await list("", option: text)
                #expect(option.status == 0, "\(option.text)")
            }
            let scheme = try await list("Bearer \(key)")
            #expect(scheme.status == 64 && scheme.text.contains("leave 'Bearer' out of --key"), "\(scheme.text)")
            #expect(!scheme.text.contains(key.suffix(12)))
            for text in ["\(key)\r\nX", "\(key)é"] {
                let refused = try await list(text)
                #expect(refused.status == 78 && refused.text.contains("a character that no key has"))
                #expect(!refused.text.contains(key.suffix(12)))
            }
        }
    }

    /// A person gives a key with an option or a variable, and not with a header field.
    @Test func refusedKeyNamesTheOption() async throws {
        try await withServer { server, directory in
            let key = try #require(server.key)
            let keyless = ["FINGERPOST_SERVER": "http://127.0.0.1:\(server.adminPort)"]
            let admin = keyless.merging(["FINGERPOST_KEY": key]) { $1 }
            let empty = keyless.merging(["FINGERPOST_KEY": ""]) { $1 }
            let open = ["FINGERPOST_PUBLIC_SERVER": "http://127.0.0.1:\(server.publicPort)"]
            #expect(try await fingerpost("apply -f acme.yaml", admin, in: directory).status == 0)
            let made = try await fingerpost(
                "keys create --tenant acme --scope tables:read --data data",
                in: directory
            )
            let weak = try #require(made.text.split(separator: "\n").first { $0.hasPrefix("fp_") }).description
            let unknown = String(key.dropLast(8)) + "AAAAAAAA"
            for (command, key, variables, status, advice) in [
                ("table export acme --app ios --output t", "", open, 1, "Use --key or FINGERPOST_KEY."),
                ("table export acme --app ios --output t", unknown, open, 1, "FINGERPOST_KEY with another key."),
                (
                    "table export acme --app ios --output t", weak, open, 1,
                    "FINGERPOST_KEY with a key that may do this;"
                ),
                ("test suite.yaml", "", open, 69, "Use --key or FINGERPOST_KEY."),
                ("test suite.yaml", weak, open, 69, "FINGERPOST_KEY with a key that may do this;"),
                ("pull acme", unknown, admin, 1, "FINGERPOST_KEY with another key."),
                ("drafts publish acme", weak, admin, 1, "FINGERPOST_KEY with a key that may do this;"),
                (
                    "apply -f acme.yaml --suite suite.yaml", weak, admin, 1,
                    "and this key lacks the scopes 'tables:write' and 'publish'."
                ),
                ("retention acme", weak, admin, 1, "'fingerpost keys list' shows what each may do."),
                ("pull acme", "", keyless, 78, "provide a key with --key"),
                // An empty key is a missing one, such as that of a variable that is not set.
                ("pull acme --key ''", "", keyless, 78, "provide a key with --key"),
                ("plan -f acme.yaml --key ''", "", admin, 78, "provide a key with --key"),
                ("apply -f acme.yaml", "", empty, 78, "provide a key with --key"),
                ("table export acme --app ios --output t --key ''", "", open, 1, "Use --key or FINGERPOST_KEY."),
                ("test suite.yaml --key ''", "", open, 69, "a key that has the scope 'resolve'. Use --key or"),
            ] as [(String, String, [String: String], Int32, String)] {
                let words = key.isEmpty ? command : "\(command) --key \(key)"
                let result = try await fingerpost(words, variables, in: directory)
                #expect(result.status == status && result.text.contains(advice), "\(command): \(result)")
                #expect(!result.text.contains("Authorization"), "\(command): \(result.text)")
            }
        }
    }
}
