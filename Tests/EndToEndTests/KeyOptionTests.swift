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

    /// Runs a command in `directory`. Returns its exit code and all output.
    private func fingerpost(
        _ command: String,
        _ variables: [String: String] = [:],
        in directory: String
    ) async throws -> (status: Int32, text: String) {
        let tool = RunningServer.products.appending(path: "fingerpost").path
        let names = ["FINGERPOST_KEY", "FINGERPOST_SERVER", "FINGERPOST_PUBLIC_SERVER"]
        let environment = names.flatMap { ["-u", $0] } + variables.map { "\($0.key)=\($0.value)" }
        let script = #"cd "$0" && exec env "$@" 2>&1 </dev/null"#
        let words = command.split(separator: " ").map(String.init)
        let result = try await runBeside("sh", ["-c", script, directory] + environment + [tool] + words)
        return (result.status, String(decoding: result.output, as: UTF8.self))
    }

    private func withServer(_ body: (RunningServer, String) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            try Self.tenant.write(toFile: "\(directory)/acme.yaml", atomically: true, encoding: .utf8)
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
            ] as [(String, String, [String: String], Int32, String)] {
                let words = key.isEmpty ? command : "\(command) --key \(key)"
                let result = try await fingerpost(words, variables, in: directory)
                #expect(result.status == status && result.text.contains(advice), "\(command): \(result)")
                #expect(!result.text.contains("Authorization"), "\(command): \(result.text)")
            }
        }
    }
}
