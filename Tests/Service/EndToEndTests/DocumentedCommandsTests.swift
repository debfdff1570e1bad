import Foundation
import TestSupport
import Testing

/// The commands that the documents show work in a fresh shell, with the documents' own tenant on a server.
@Suite(.timeLimit(.minutes(15)))
struct DocumentedCommandsTests {
    private static let pages = [
        "short-links", "migrate-firebase", "routing", "tables", "association", "exports", "analytics", "app",
        "operations", "recipes",
    ]

    /// Commands that do not end, and those that need a real domain or a signed app.
    private static let notRun = [
        "fingerpost serve --data /var/lib/fingerpost", "fingerpost association doctor www.acme.com",
        "fingerpost association fingerprint app.apk", "curl -sN",
    ]

    /// The documents' placeholders, and what they stand for here.
    private struct Places {
        let server: RunningServer
        let publicKeys: [String]
        let keyID: String
        let window: String

        func command(_ line: String) -> String {
            [
                ("http://127.0.0.1:8081", "http://127.0.0.1:\(server.adminPort)"), ("/var/lib/fingerpost", "data"),
                ("--data DIR", "--data data"), ("--data ./data", "--data data"),
                ("https://links.acme.com", "http://127.0.0.1:\(server.publicPort)"),
                ("/etc/fingerpost/table.jwk", "other.jwk"), ("create table.jwk", "create new.jwk"),
                ("\"/backups/$(date +%F)\"", "backup"),
                ("/backups/2026-11-21", "backup"), ("--public-key KEY", "--public-key \(publicKeys[0])"),
                ("--public-key CURRENT", "--public-key \(publicKeys[0])"),
                ("--public-key NEXT", "--public-key \(publicKeys[1])"), ("3f9a0c1b2d4e", keyID),
                ("events-20261121T110000.000Z", window), ("shop 7", "shop 2"),
                // The name of a removed tenant stays reserved, and other commands need 'shop'.
                ("tenants archive shop", "tenants archive spare"), ("tenants remove shop", "tenants remove spare"),
                ("export FINGERPOST_KEY=fp_production_…", "true"),
            ].reduce(line) { $0.replacing($1.0, with: $1.1) }
        }
    }

    /// The exit codes other than 0 that the documents describe.
    private func expected(_ command: String) -> Set<Int32> {
        // A plan says with 2 that something would change, and so does a replay.
        command.contains(" plan ") || command.contains(" replay ") ? [0, 2] : [0]
    }

    @Test func everyCommandWorks() async throws {
        try await withTemporaryDirectory { directory in
            let made = try await shell("fingerpost table keys create table.jwk", in: directory)
            try #require(made.status == 0, "\(made.text)")
            let publicKeys = made.text.split(separator: "\n").compactMap { $0.split(separator: " ").dropFirst().first }
            try "tables: {signingKey: \"\(directory)/table.jwk\"}\n"
                .write(toFile: directory + "/fingerpost.yaml", atomically: true, encoding: .utf8)
            let server = try RunningServer(
                directory: directory + "/data",
                flags: ["--config", directory + "/fingerpost.yaml"]
            )
            defer { server.killNow() }
            let key = try #require(server.key)
            let variables = [
                "FINGERPOST_KEY=\(key)", "FINGERPOST_SERVER=http://127.0.0.1:\(server.adminPort)",
                "FINGERPOST_PUBLIC_SERVER=http://127.0.0.1:\(server.publicPort)",
                "ADMIN=http://127.0.0.1:\(server.adminPort)",
                "T=http://127.0.0.1:\(server.adminPort)/admin/v1/tenants/shop",
            ]
            func run(_ command: String) async throws -> (status: Int32, text: String) {
                try await shell(command, variables, in: directory)
            }
            try await prepare(directory, run)
            let spare = try await run("fingerpost keys create --data data --name spare --scope resolve")
            let id = try #require(spare.text.firstMatch(of: /key (\S+) \(spare\)/), "\(spare.text)").output.1
            let exported = try await run("fingerpost export shop --json --data data")
            let window = try #require(exported.text.firstMatch(of: /events-[0-9TZ.]+Z/)).output.description
            let places = Places(
                server: server,
                publicKeys: publicKeys.map(String.init),
                keyID: String(id),
                window: window
            )
            var count = 0
            for page in Self.pages {
                for line in try Self.commands(of: page) where !Self.notRun.contains(where: line.hasPrefix) {
                    let command = places.command(line)
                    // A replay compares the drafts, which a publication removes.
                    if command.contains("replay shop --since 24h") { try await writeDrafts(run) }
                    var result = try await run(command)
                    // The tables are signed one after the other, soon after a publication.
                    let deadline = ContinuousClock.now + HangLimit.duration
                    while result.status != 0, command.contains("table export") || command.contains("table doctor"),
                        ContinuousClock.now < deadline
                    {
                        result = try await run(command)
                    }
                    #expect(expected(command).contains(result.status), "\(page): \(command): \(result)")
                    count += 1
                }
            }
            #expect(count > 55)
        }
    }

    /// Writes the files that the documents name, and publishes the tenant in both environments.
    private func prepare(
        _ directory: String,
        _ run: (String) async throws -> (status: Int32, text: String)
    ) async throws {
        let text = try Self.page("tables")
        let start = try #require(text.firstRange(of: "## The file")).upperBound
        let sample = try #require(text[start...].firstMatch(of: /```yaml\n((?:.|\n)*?)```/)).output.1
        let recipes = try Self.page("recipes").matches(of: /```yaml\n((?:.|\n)*?)```/).map { String($0.output.1) }
        try #require(recipes.count == 2)
        let moved = try Self.page("migrate-firebase")
        let firebase = try #require(moved.firstMatch(of: /```yaml\n((?:.|\n)*?)```/)).output.1
        let fingerprint =
            "D9:6E:66:DE:11:71:05:FC:9B:69:30:AB:AB:FD:0F:12:72:4C:B0:C8:1A:A8:AE:0A:D4:EC:16:14:C8:D0:CB:6D"
        let android = "{id: android, platform: android, package: com.acme, fingerprints: [\"\(fingerprint)\"]}"
        let shop = String(sample).replacing(
            "bundleID: com.acme}]",
            with: "bundleID: com.acme}, \(android)]\n  environments: [staging]"
        ).replacing("  routes:\n", with: "  routes:\n    - {id: go, path: \"/s/{code}\", follow: shortLinks}\n")
        let suite = "formatVersion: 1\ncases:\n  - {link: \"https://go.acme.com/item/7\", expect: {route: item}}\n"
        let spare = """
            formatVersion: 1
            tenant: spare
            settings: {schemes: [spare]}
            table: {routes: [{id: a, path: /a, open: {screen: A}}]}

            """
        let entitlements = """
            <plist version="1.0"><dict><key>com.apple.developer.associated-domains</key>
            <array><string>applinks:www.acme.com</string><string>applinks:go.acme.com</string></array></dict></plist>
            """
        let target = "https://www.acme.com/item/7"
        for (name, text) in [
            ("links.csv", "code,target,tags\nmay,\(target),\"mail, spring\"\n,\(target),\n"),
            ("takeout.csv", "Short Link,Deep Link,Link Name\nhttps://go.acme.com/AbC1,\(target),Old\n"),
            ("shop.yaml", shop), ("live.yaml", shop), ("draft.yaml", shop), ("shop.suite.yaml", suite),
            ("spare.yaml", spare), ("firebase.yaml", String(firebase)), ("recipes.yaml", recipes[0]),
            ("recipes.suite.yaml", recipes[1]),
            ("suites/shop.yaml", suite), ("App.entitlements", entitlements),
        ] {
            try FileManager.default.createDirectory(atPath: directory + "/suites", withIntermediateDirectories: true)
            try text.write(toFile: "\(directory)/\(name)", atomically: true, encoding: .utf8)
        }
        // The demo has a tenant of the same name, whose table is revision 1.
        for command in [
            "fingerpost check firebase.yaml", "fingerpost apply -f spare.yaml",
            "fingerpost apply -f shop.yaml --remove-others",
            "fingerpost apply -f shop.yaml --environment staging",
            "fingerpost association build --table shop.yaml --out files",
            "cp files/www.acme.com/.well-known/* . && cp apple-app-site-association old.json && cp old.json new.json",
            """
            { echo '<manifest package="com.acme"><application><activity android:name=".Main">'
            fingerpost association manifest shop.yaml --app android
            echo '</activity></application></manifest>'; } > AndroidManifest.xml
            """,
        ] {
            let result = try await run(command)
            try #require(result.status == 0, "\(command): \(result.text)")
        }
    }

    private func writeDrafts(_ run: (String) async throws -> (status: Int32, text: String)) async throws {
        for draft in ["main", "spring"] {
            let result = try await run(
                """
                curl -s --fail-with-body -H "Authorization: Bearer $FINGERPOST_KEY" -X PUT "$T/draft/routes/item?draft=\(draft)" \
                -d '{"path":"/item/{id:int}","open":{"screen":"Offer"}}'
                """
            )
            try #require(result.status == 0, "\(result.text)")
        }
    }

    private static func page(_ name: String) throws -> String {
        let file = Repository.file("docs/\(name).md")
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// The commands in the code blocks of a page. A line continues after a backslash.
    private static func commands(of name: String) throws -> [String] {
        let blocks = try page(name).matches(of: /```[a-z]*\n((?:.|\n)*?)```/).map { String($0.output.1) }
        return blocks.flatMap { block in
            block.replacing(/\\\n */, with: "").split(separator: "\n").map(String.init).filter { line in
                ["fingerpost ", "curl "].contains(where: line.hasPrefix)
            }
        }
    }

    private func shell(
        _ command: String,
        _ variables: [String] = [],
        in directory: String
    ) async throws -> (status: Int32, text: String) {
        let path = "PATH=\(RunningServer.products.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
        let script = #"cd "$0" && exec env "$@" 2>&1 </dev/null"#
        let words = [path] + variables + ["timeout", "60", "sh", "-c", command]
        let result = try await runBeside("sh", ["-c", script, directory] + words)
        return (result.status, String(decoding: result.output, as: UTF8.self))
    }
}
