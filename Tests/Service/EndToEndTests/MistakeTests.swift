import Foundation
import TestSupport
import Testing

/// Mistakes that people make on the command line: the message says what is wrong, where, and how to correct it.
@Suite(.timeLimit(.minutes(15)))
struct MistakeTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
        let arguments: String
        let status: Int32
        let message: String

        init(_ arguments: String, _ status: Int32, _ message: String) {
            (self.arguments, self.status, self.message) = (arguments, status, message)
        }

        var testDescription: String { arguments }
    }

    // MARK: Files

    private static let tenant = """
        formatVersion: 1
        tenant: acme
        settings:
          domains: [go.acme.test, {host: www.acme.test, serves: association}]
          schemes: [acme]
          apps:
            - {id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.acme}
            - {id: android, platform: android, package: com.acme, fingerprints: ["\(fingerprint)"]}
        table:
          defaults: {fallback: {web: "https://www.acme.test/"}}
          routes:
            - {id: home, path: /, open: {screen: Home}}
            - {id: item, path: "/item/{id:int}", open: {screen: Item, arguments: {id: "{id}"}}}

        """
    private static let fingerprint =
        "D9:6E:66:DE:11:71:05:FC:9B:69:30:AB:AB:FD:0F:12:72:4C:B0:C8:1A:A8:AE:0A:D4:EC:16:14:C8:D0:CB:6D"

    private static func suite(_ one: String) -> String { "formatVersion: 1\ncases:\n  - {\(one)}\n" }

    private static let files: KeyValuePairs<String, String> = [
        "acme.yaml": tenant, "empty.yaml": "", "notes.txt": "hello\n", "config.yaml": "public: {port: 8080}\n",
        "suite.yaml": suite(#"link: "https://go.acme.test/item/1", expect: {route: item}"#),
        "typo.yaml": suite(#"link: "https://go.acme.test/item/1", expect: {rout: item}"#),
        "wrong.yaml": suite(#"link: "https://go.acme.test/item/1", expect: {screen: Itme}"#),
        "bare.yaml": suite(#"link: "go.acme.test/item/1", expect: {route: item}"#),
        "context.yaml": suite(#"link: "https://go.acme.test/", context: {platfrom: ios}, expect: {route: home}"#),
        "nothing.yaml": "formatVersion: 1\ncases: []\n", "blank.ndjson": "\n \n",
        "site.html": "<!DOCTYPE html>\n<html></html>\n", "gone.json": #"{"status": 404, "detail": "No such tenant."}"#,
        "aasa.json": #"{"applinks": {"details": []}}"#, "list.ndjson": #"[{"id": "more", "path": "/more"}]"#,
        "comma.json": #"{"formatVersion": 1, "table": {"routes": [],}}"#,
        "version.yaml": tenant.replacing("formatVersion: 1", with: "formatVersion: 2"),
        "noversion.yaml": tenant.replacing("formatVersion: 1\n", with: ""),
        "twice.yaml": tenant + "table: {}\n", "route.yaml": tenant.replacing("  routes:", with: "  route:"),
        "url.yaml": tenant.replacing("\"/item/{id:int}\"", with: "\"https://go.acme.test/item/{id:int}\""),
        "query.yaml": tenant.replacing("/item/{id:int}", with: "/item?id={id:int}"),
        "rest.yaml": tenant.replacing("/item/{id:int}", with: "/item/{id...}/x"),
        "quotes.yaml": tenant.replacing("\"/item/{id:int}\"", with: "“/item/{id:int}”"),
        "screen.yaml": tenant.replacing(
            "screen: Home",
            with: "screen: Item}}\n    - {id: more, path: /more, open: {screen: Itme"
        ),
        "open.yaml": tenant.replacing("open: {screen: Home}", with: "open: Home"),
        "percent.yaml": tenant.replacing("path: /,", with: #"path: /, when: {rollout: "10%"},"#),
        "daily.yaml": tenant.replacing("settings:", with: "settings:\n  export: {schedule: daily}"),
        "page.yaml": tenant.replacing("https://www.acme.test/", with: "https://ww.acme.test/"),
        "setting.yaml": tenant.replacing("schemes: [acme]", with: "schemes: [acme]\n  retentionDays: never"),
        "double.yaml": tenant.replacing("id: item,", with: "id: home,"),
        "noroutes.yaml": "formatVersion: 1\ntenant: acme\ntable:\n  routes:\n",
        "colon.yaml": tenant.replacing(#"{id: "{id}"}"#, with: #"{id: ":id"}"#),
        "language.yaml": tenant.replacing("path: /,", with: "path: /, when: {locale: jp},"),
        "regex.yaml": tenant.replacing("/item/{id:int}", with: "^/item/[0-9]+$"),
        "nested.yaml": tenant.replacing("open: {screen: Home}", with: "screen: Home"),
        "iso.yaml": suite(#"link: "https://go.acme.test/item/1", app: iso, expect: {route: item}"#),
        "host.yaml": suite(#"link: "https://go.acme.tset/item/1", expect: {route: item}"#),
        "outcome.yaml": suite(#"link: "https://go.acme.test/item/1", expect: {outcome: match}"#),
        "other.yaml": "tenant: other\n" + suite(#"link: "https://go.acme.test/item/1", expect: {route: item}"#),
        "stagin.yaml": "environments: [stagin]\n" + suite(#"link: "acme://item/1", expect: {route: item}"#),
        "staging.yaml": tenant.replacing("schemes: [acme]", with: "schemes: [acme]\n  environments: [staging]"),
    ]

    private func run(
        _ arguments: [String],
        in directory: String,
        input: String = "</dev/null"
    ) async throws -> (status: Int32, text: String) {
        let tool = RunningServer.products.appending(path: "fingerpost").path
        let command =
            #"cd "$0" && unset FINGERPOST_KEY FINGERPOST_SERVER FINGERPOST_PUBLIC_SERVER && exec "$@" 2>&1 \#(input)"#
        let result = try await runBeside("sh", ["-c", command, directory, tool] + arguments)
        return (result.status, String(decoding: result.output, as: UTF8.self))
    }

    private func check(_ mistakes: [Mistake], _ more: [String] = [], in directory: String) async throws {
        for mistake in mistakes {
            let words = mistake.arguments.split(separator: " ").map { $0 == "''" ? "" : String($0) }
            let (status, text) = try await run(words + more, in: directory)
            #expect(
                status == mistake.status && text.contains(mistake.message),
                "\(mistake.arguments): \(status)\n\(text)"
            )
        }
    }

    private func withFiles(_ body: (String) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            for (name, text) in Self.files {
                try text.write(toFile: "\(directory)/\(name)", atomically: true, encoding: .utf8)
            }
            try await body(directory)
        }
    }

    // MARK: Arguments

    private static let arguments = [
        Mistake("srve", 64, "'srve' is not a command of 'fingerpost'; did you mean 'fingerpost serve'?"),
        Mistake(
            "list",
            64,
            "but a subcommand of: drafts, revisions, suites, tenants, links, keys, audit. Write 'fingerpost drafts list'."
        ),
        Mistake("deploy", 64, "did you mean 'fingerpost apply'?"),
        Mistake("version", 64, "did you mean 'fingerpost --version'?"),
        Mistake("lint acme.yaml", 64, "did you mean 'fingerpost check'?"),
        Mistake("apply -facme.yaml", 64, "write -f acme.yaml."),
        Mistake("plan -f acme.yaml --env staging", 64, "'--env'; did you mean '--environment'?"),
        Mistake("apply -f acme.yaml -m Sale", 64, "did you mean '--message'?"),
        Mistake("serve --port 8080", 64, "did you mean '--public'?"),
        Mistake("explain acme 3", 64, "the tenant is an option; write: fingerpost explain 3 --tenant acme"),
        Mistake("audit list acme", 64, "if it is the tenant, write --tenant acme."),
        Mistake("pull --tenant acme", 64, "the tenant is an argument, as in 'fingerpost pull acme'."),
        Mistake("promote acme staging", 64, "'staging' is not a revision; write its number, such as 7."),
        Mistake("promote acme staging", 64, "For an environment, write --from staging."),
        Mistake("frobnicate", 64, "'fingerpost --help' lists the commands."),
        Mistake("drafts lst acme", 64, "did you mean 'fingerpost drafts list'?"),
        Mistake(
            "stub . --prot 80",
            64,
            "'fingerpost stub run' has no option '--prot'; did you mean '--port'?"
        ),
        Mistake("stub --prot 80", 64, "'fingerpost stub run' has no option '--prot'; did you mean '--port'?"),
        Mistake("stub . --port eighty", 64, "The value 'eighty' is invalid for '--port <port>'"),
        Mistake("stub . --record-mappings", 64, "--record-mappings needs --proxy-all URL"),
        Mistake("stub . --proxy-all http://a.test --record-mappings --no-request-journal", 64, "needs the journal"),
        Mistake("stub . --match-headers Accept", 64, "--match-headers needs --record."),
        Mistake("stub . --https-port 0 --https-keystore a.jks", 64, "'fingerpost stub ca' prints"),
        Mistake("stub --strict --detach", 64, "--detach needs --pid-file, so that 'stub stop' finds the process."),
        Mistake("stub start st", 64, "'start' is not a command of 'fingerpost stub'; write 'fingerpost stub st'."),
        Mistake("stub . st", 64, "Unexpected argument 'st'\nUsage: fingerpost stub run"),
        Mistake("stub report 127.0.0.1:19130", 64, "is not the URL of a stub server; write http://127.0.0.1:19130."),
        Mistake("stub report ftp://127.0.0.1", 64, "is not the URL of a stub server; write one with http:// or"),
        Mistake("stub --bind-address no.invalid", 69, "the host no.invalid does not resolve to an address;"),
        Mistake("stub --bind-address 192.0.2.1", 69, "this machine has no address 192.0.2.1; choose another"),
        Mistake("stub stpo --pid-fil x", 64, "did you mean 'fingerpost stub stop'?"),
        Mistake(
            "testkit generate uiautomator suite.yaml --table acme.yaml --app ios",
            1,
            "acme.yaml: 'ios' is not an app that uiautomator can test; choose an app with --app: android."
        ),
        Mistake("testkit probe swift --out no/x.swift", 74, "its directory does not exist; create it, or check the"),
        Mistake("codegen swift acme.yaml --out acme.yaml", 64, "acme.yaml is a file that this command reads; choose"),
        Mistake("codegen swift acme.yaml --out suite.yaml", 64, "suite.yaml is a tenant file or a suite; choose"),
        Mistake("testkit probe swift --out acme.yaml", 64, "acme.yaml is a tenant file or a suite; choose"),
        Mistake("conformance export --out acme.yaml", 64, "acme.yaml is a tenant file or a suite; choose"),
        Mistake(
            "association migrate notes.txt --host go.acme.test --out acme.yaml",
            64,
            "choose another file to write, or use --force to replace it."
        ),
        Mistake("association build --table acme.yaml --out notes.txt", 74, "notes.txt is not a folder; choose another"),
        Mistake("plan acme.yaml", 64, "'fingerpost plan' reads its file from an option: write -f acme.yaml."),
        Mistake("apply acme.yaml --dry-run", 64, "write -f acme.yaml."),
        Mistake("help srve", 64, "'srve' is not a command of 'fingerpost'; did you mean 'fingerpost serve'?"),
        Mistake("help keys lst", 64, "did you mean 'fingerpost keys list'?"),
        Mistake("help keys list", 0, "USAGE: fingerpost keys list"),
        Mistake("association diff acme.yaml acme.yaml", 64, "provide links with --suite or --link"),
        Mistake(
            "revisions promote",
            64,
            "'promote' is not a command of 'fingerpost revisions'; write 'fingerpost promote', or use diff, list, "
                + "prune, rollback."
        ),
        Mistake("keys make", 64, "'make' is not a command of 'fingerpost keys'; use create, list, revoke, rotate."),
        Mistake("--data d serve", 64, "write the command before its options: fingerpost COMMAND --data …"),
        Mistake("retention acme --data d", 64, "it works through a server. Use --server ADDRESS and --key."),
        Mistake(
            "keys list --server http://x",
            64,
            "it works on a data directory, also on that of a running server. Use --data"
        ),
        Mistake("check acme.yaml --jsno", 64, "'fingerpost check' has no option '--jsno'; did you mean '--json'?"),
        Mistake("check acme.yaml --strict", 64, "'fingerpost check --help' lists its options."),
        Mistake("check", 64, "Missing expected argument '<table>'\nUsage: fingerpost check <table>"),
        Mistake("check acme.yaml more", 64, "Unexpected argument 'more'\nUsage: fingerpost check <table>"),
        Mistake("test suite.yaml", 64, "Use exactly one of --table and --server."),
        Mistake(
            "test suite.yaml --table acme.yaml --environment staging",
            64,
            "--key and --environment need --server."
        ),
        Mistake(
            "plan -f acme.yaml",
            78,
            "provide a key with --key or FINGERPOST_KEY; 'fingerpost keys create' creates one."
        ),
        Mistake("plan -f acme.yaml --server localhost:8081 --key k", 64, "write one with http:// or https://, such as"),
        Mistake(
            "plan -f acme.yaml --server http://127.0.0.1:9 --key k",
            69,
            "nothing accepts connections there; check that"
        ),
        Mistake("keys create --scope admins", 64, "'admins' is not a scope; use one of: resolve, explain, tables:read"),
        Mistake(
            "keys create --scope publish,keys",
            64,
            "'publish,keys' is several scopes; give each its own option: --scope publish --scope keys."
        ),
        Mistake("keys create --scope admin --name a\u{FFFD}", 64, "argument 6 is not UTF-8; write it as UTF-8."),
        Mistake("resolve yourapp://a --server http://127.0.0.1:9", 69, "nothing accepts connections there; check that"),
        Mistake(
            "testkit generate --server http://x",
            64,
            "'fingerpost testkit generate' has no option '--server': it reads a file. Use --table FILE;"
        ),
        Mistake("resolve yourapp://a --table a.yaml --server http://x", 64, "Use exactly one of --table and --server."),
        Mistake(
            "revisions rollback acme latest --key k",
            64,
            "'latest' is not a revision; write its number, such as 7."
        ),
        Mistake("revisions rollback acme -1 --key k", 64, "'-1' is not a revision; write its number, such as 7."),
        Mistake("promote acme last --from staging --key k", 64, "'last' is not a revision; write its number"),
        Mistake("tenants list --key abcdefghijkl", 64, "this is the id of a key; give the whole key, which"),
        Mistake("tenants list --key fp_production_abcdefghijkl_x", 64, "this is not a whole key; copy it again."),
        Mistake(
            "keys create --tenant acme --path-prefix item",
            64,
            "--path-prefix is 'item'; write a path of whole segments: '/item/'."
        ),
        Mistake("keys create --name ci", 64, "Say what the key may do: --scope admin for everything on all tenants"),
        Mistake(
            "keys create --scope admin --expires tomorrow",
            64,
            "--expires is 'tomorrow'; write a date such as 2030-01-31, or a time such as 2030-01-31T18:00:00Z."
        ),
        Mistake("keys create --scope admin --expires 2020-01-31", 64, "'2020-01-31', which is in the past; write"),
        Mistake("keys create --tenant My_Shop", 64, "use 1 to 64 of a-z, 0-9, '.', '_' and '-', starting with"),
        Mistake(
            "keys create --tenant acme --data nowhere",
            74,
            "There is no data directory at nowhere. Nothing was created"
        ),
        Mistake("events acme --last 0", 64, "--last must be a number from 1 to 1000."),
        Mistake("events acme --last -5", 64, "'-5' is not a valid value of --last; write a positive number."),
        Mistake("revisions prune acme --keep -1", 64, "'-1' is not a valid value of --keep; write a positive number."),
        Mistake("revisions prune acme --keep=-1", 64, "--keep is -1; write a number from 1 to 1000000."),
        Mistake("revisions prune acme --keep 0", 64, "--keep is 0; write a number from 1 to 1000000."),
        Mistake("keys rotate abc --grace-hours 100000", 64, "--grace-hours is 100000; write a number from 0 to 2160"),
        Mistake("drafts publish acme --override ''", 64, "--override needs a reason, which the audit log records;"),
        Mistake("apply -f acme.yaml --override ''", 64, "--override needs a reason"),
        Mistake("stats series acme --value DE", 64, "--value needs --dimension, such as --dimension country --value"),
        Mistake("retention acme --force ''", 64, "--force needs a reason, which the audit log records; write --force"),
        Mistake(
            "replay Acme",
            64,
            "'Acme' is not a tenant id; use 1 to 64 of a-z, 0-9, '.', '_' and '-', starting with"
        ),
        Mistake("replay acme --draft A", 64, "'A' is not a draft name; 'fingerpost drafts list acme' lists the drafts"),
        Mistake("replay acme --since 1w", 64, "--since is '1w'; write up to 366 days such as 90m, 24h or 7d."),
        Mistake("replay acme --data nowhere", 74, "There is no data directory at nowhere. Nothing was created: name"),
        Mistake("retention acme --aply", 64, "'fingerpost retention' has no option '--aply'; did you mean '--apply'?"),
        Mistake("export acme --since 2099-01-01", 64, "--since is '2099-01-01', which is in the future; write an"),
        Mistake("backup ~/backup", 64, "'~/backup': only a shell replaces '~', so write the whole path."),
        Mistake("backup http://a.test/backup", 64, "'http://a.test/backup' is a URL; name a folder of this machine."),
        Mistake("keys list --data ~/data", 78, "~/data: only a shell replaces '~', so write the whole path."),
        Mistake("keys list --data acme.yaml", 74, "acme.yaml is not a folder; name a data directory with --data."),
        Mistake("migrate --data made", 0, "made was created."),
        Mistake("migrate --data made", 0, "made is up to date."),
        Mistake("export Acme", 64, "'Acme' is not a tenant id; use 1 to 64 of"),
        Mistake("promote acme", 64, "add --from with the environment whose table you want, such as --from staging."),
        Mistake("promote acme --from production", 64, "--from and --to are both 'production'; name two environments."),
        Mistake("config --public 8080", 78, "--public is '8080'; write HOST:PORT."),
        Mistake("schema settings", 64, "Please provide one of 'tenant' and 'suite'."),
        Mistake("restore . --data new", 65, ". is not a backup, because it contains no backup.json."),
        Mistake("erase acme --key k", 65, "standard input contains no stickyKey; pipe it in"),
        Mistake("serve --data /proc/nowhere", 74, "check the path, and that this user may read and write there."),
    ]

    @Test func mistakeInTheArgumentsIsExplained() async throws {
        try await withFiles { try await check(Self.arguments, in: $0) }
    }

    /// A person's request is not answered with "done" for a mistyped key.
    @Test(
        arguments: [
            ("install-4\n", 1, "no event of this install was found, so nothing was erased."),
            (" install-4", 1, "The key must be exactly the stickyKey that the app sent"),
            ("install\u{FFFD}", 65, "standard input is not UTF-8"), (nil, 65, "standard input is closed"),
        ] as [(String?, Int32, String)]
    )
    func erasureThatFindsNothingSaysSo(_ key: String?, _ status: Int32, _ message: String) async throws {
        try await withFiles { directory in
            let server = try RunningServer(directory: directory + "/data")
            defer { server.killNow() }
            let options = ["--server", "http://127.0.0.1:\(server.adminPort)", "--key", server.key ?? ""]
            let settings = "settings:\n  privacy: {recordInstall: true}"
            try Self.tenant.replacing("settings:", with: settings)
                .write(toFile: directory + "/acme.yaml", atomically: true, encoding: .utf8)
            let applied = try await run(["apply", "-f", "acme.yaml"] + options, in: directory)
            #expect(applied.status == 0, "\(applied.text)")
            // The replacement character stands for a byte that is not UTF-8.
            let bytes = key.map { Data($0.utf8.filter { $0 != 0xBF && $0 != 0xBD }) }
            try bytes?.write(to: URL(filePath: directory + "/key"))
            let erased = try await run(["erase", "acme"] + options, in: directory, input: key == nil ? "<&-" : "<key")
            #expect(erased.status == status && erased.text.contains(message), "\(erased.text)")
        }
    }

    // MARK: Documents

    private static let documents = [
        Mistake("check nowhere.yaml", 65, "nowhere.yaml cannot be read: there is no such file; check the path."),
        Mistake("check site.html", 65, "site.html is a web page, not the file that it should be; download it again."),
        Mistake("apply -f gone.json --key k", 65, "gone.json is an error of a server (No such tenant.), not the file"),
        Mistake("config --config site.html", 78, "site.html is a web page, not a configuration."),
        Mistake("check empty.yaml", 1, "The document is empty; write at least one key."),
        Mistake("check suite.yaml", 1, "this is a suite; 'fingerpost test' reads it."),
        Mistake(
            "check config.yaml",
            1,
            "this is the configuration of the service; 'fingerpost serve --config' reads it."
        ),
        Mistake(
            "test acme.yaml --table acme.yaml",
            65,
            "this is a tenant file; 'fingerpost check', 'plan' and 'apply' read it."
        ),
        Mistake("serve --config acme.yaml", 78, "To load a tenant file into a server, use 'fingerpost apply'."),
        Mistake("check comma.json", 1, "line 1, column 44: there is a comma after the last value; remove it."),
        Mistake("check version.yaml", 1, "unknown format 2; this engine reads formatVersion: 1."),
        Mistake("check noversion.yaml", 1, "'formatVersion' is missing; add 'formatVersion: 1'."),
        Mistake("check twice.yaml", 1, "Duplicate key 'table'; remove one."),
        Mistake("check route.yaml", 1, "unknown key 'route'; did you mean 'routes'?"),
        Mistake(
            "check url.yaml",
            1,
            "a path has no scheme and no host; write '/item/{id:int}'. 'host' limits a route to a host."
        ),
        Mistake("check query.yaml", 1, "'?' is not part of a path; use 'query' or 'fragment', or %3F."),
        Mistake("check rest.yaml", 1, "a rest parameter must be the last segment; move '{id...}' to the end."),
        Mistake("check quotes.yaml", 1, "write straight quotes (\") instead of typographic ones."),
        Mistake("check screen.yaml", 0, "The screen 'Itme' has the same letters as 'Item', which is used 2 times."),
        Mistake("check open.yaml", 1, #"table.routes[0].open: write {screen: "Home"}."#),
        Mistake("check percent.yaml", 1, #""10%" is not a percentage; write a number from 0 to 100, such as 10."#),
        Mistake("check daily.yaml", 1, #"a daily export needs its time of day; add 'at', such as "02:00"."#),
        Mistake(
            "check double.yaml",
            1,
            "duplicate id 'home', first used at routes[0] in line 12; give each route its own."
        ),
        Mistake("check double.yaml", 1, "error: double.yaml, line 13, column "),
        Mistake("check double.yaml", 1, "2 routes, 1 error, 0 warnings"),
        Mistake("test typo.yaml --table acme.yaml", 65, "'rout' is not an expectation; did you mean 'route'?"),
        Mistake("test wrong.yaml --table acme.yaml", 1, "\n  screen: \"Item\", expected \"Itme\"\n"),
        Mistake(
            "test bare.yaml --table acme.yaml",
            1,
            "(the link was rejected, no_scheme: The link has no scheme; write"
        ),
        Mistake(
            "test context.yaml --table acme.yaml",
            65,
            "cases[0].context.platfrom is not known and was ignored; did you mean 'platform'?"
        ),
        Mistake(
            "test nothing.yaml --table acme.yaml",
            65,
            "nothing.yaml has no cases; add at least one under 'cases'."
        ),
        Mistake(
            "test suite.yaml --table acme.yaml --junit no/x.xml",
            74,
            "its directory does not exist; create it, or check"
        ),
        Mistake(
            "resolve https://go.acme.test/ --table acme.yaml --context {platform:ios}",
            65,
            "a key in double quotes is expected"
        ),
        Mistake(
            "stub import har acme.yaml out",
            65,
            "acme.yaml is not a HAR file, which is JSON: line 1, column 1: a string needs double quotes; write \"…\".\n"
        ),
        Mistake(
            "association validate .",
            65,
            "contains no file named apple-app-site-association or assetlinks.json; name"
        ),
        Mistake(
            "association simulate --table acme.yaml --app ios https://go.acme.test/item/7",
            0,
            "The file does not list 'ios': --app takes an application identifier or a package, such as"
        ),
        Mistake(
            "association simulate aasa.json acme://item/7",
            65,
            "'acme://item/7' is not a web link; association files decide only https:// links."
        ),
        Mistake(
            "association simulate --manifest aasa.json https://go.acme.test/",
            65,
            "aasa.json is not an AndroidManifest.xml, which is XML."
        ),
        Mistake(
            "association diff acme.yaml acme.yaml --link https://other.test/",
            64,
            "no table has the host 'other.test'; write one of: go.acme.test, www.acme.test."
        ),
        Mistake("association diff acme.yaml aasa.json --host other.test", 64, "no table has the host 'other.test';"),
        Mistake("table keys show notes.txt", 65, "notes.txt is not a key file, which 'fingerpost table keys create'"),
        Mistake("table keys rotate table.jwk.next", 64, "is the next key; name the key that signs, table.jwk."),
        Mistake(
            "table sign acme.yaml --app ios --environment producton --signing-key k --revision 1 --settings-revision 1"
                + " --output t",
            65,
            "acme.yaml: the settings have no environment 'producton'; did you mean 'production'?"
        ),
        Mistake(
            "association manifest acme.yaml --app ios",
            1,
            "there is no Android app 'ios'; choose one of: android."
        ),
        Mistake(
            "association fingerprint notes.txt",
            65,
            "is not an APK, a Java keystore or a certificate in DER or PEM; name"
        ),
        Mistake(
            "association entitlements notes.txt",
            65,
            "is not a property list of entitlements. For a built app, run: codesign"
        ),
        Mistake("check noroutes.yaml", 1, "'routes' is empty; add routes, or write [] if the table has none."),
        Mistake("check colon.yaml", 0, "':id' is literal text here, no parameter."),
        Mistake("check language.yaml", 0, "'jp' is not the code of a language in ISO 639"),
        Mistake("check regex.yaml", 1, "regular expressions are not supported; write '/item/{name:int}'."),
        Mistake("check nested.yaml", 1, "'screen' belongs under 'open'; indent it."),
        Mistake(
            "test iso.yaml --table acme.yaml",
            65,
            "iso.yaml: line 3: the settings have no app 'iso'; did you mean 'ios'?"
        ),
        Mistake(
            "test other.yaml --table acme.yaml",
            65,
            "other.yaml: the suite is for the tenant 'other', but the table is that of 'acme'."
        ),
        Mistake("test outcome.yaml --table acme.yaml", 65, "rejected; did you mean 'matched'?"),
        Mistake(
            "test stagin.yaml --table staging.yaml",
            65,
            "stagin.yaml: the settings have no environment 'stagin'; did you mean 'staging'?"
        ),
        Mistake(
            "test host.yaml --table acme.yaml",
            1,
            "host.yaml:3: warning: The settings of this file have no domain 'go.acme.tset', so no route was tried; did you"
        ),
    ]

    @Test func mistakeInADocumentIsExplained() async throws {
        try await withFiles { try await check(Self.documents, in: $0) }
    }

    // MARK: Servers

    private static let requests = [
        Mistake(
            "pull nope",
            1,
            "There is no tenant 'nope'; check its name, or create it with 'fingerpost apply -f FILE'."
        ),
        Mistake(
            "revisions rollback acme 99",
            1,
            "There is no revision 99; 'fingerpost revisions list acme' lists them."
        ),
        Mistake(
            "promote acme --from stagign",
            1,
            "The tenant has no environment 'stagign'. Its environments are production."
        ),
        Mistake(
            "promote acme --from production --to prod",
            1,
            "The tenant has no environment 'prod'."
        ),
        Mistake("apply -f acme.yaml --tenant other", 65, "acme.yaml belongs to tenant 'acme', not to 'other'."),
        Mistake(
            "apply -f acme.yaml --owner web",
            65,
            "the route 'home' has no owner; write 'owner: web', or remove it"
        ),
        Mistake("stats top acme contry", 1, "'contry' is not a dimension; did you mean 'country'?"),
        Mistake("stats series acme --zone Berlin", 1, "'zone' must be an IANA time zone, such as Europe/Paris."),
        Mistake("events acme --outcome matchd", 1, "matched"),
        Mistake("keys rotate nobody", 1, "There is no such key; 'fingerpost keys list --data DIR' lists them."),
        Mistake("tenants archive acme --environment staging", 64, "remove --environment: this command concerns all"),
        Mistake("tenants remove acme", 1, "Archive it first: 'fingerpost tenants archive acme'."),
        Mistake("routes import acme blank.ndjson --replace", 65, "blank.ndjson has no route; nothing was changed."),
        Mistake("routes import acme acme.yaml", 65, "is a tenant file; use 'fingerpost apply -f acme.yaml'."),
        Mistake("routes import acme list.ndjson", 65, "write one route per line, without [ ] and commas."),
        Mistake("drafts remove acme --draft spring", 1, "'fingerpost drafts list acme' lists the drafts"),
        Mistake("suites show acme nope", 1, "no suite 'nope'; 'fingerpost suites list acme' lists them."),
        Mistake(
            "apply -f page.yaml",
            1,
            "Did you mean 'www.acme.test'? If not, add the host to settings.destinations.hosts"
        ),
        Mistake("apply -f page.yaml", 1, "so nothing was changed: 'fingerpost check page.yaml' shows their lines.\n"),
        Mistake("apply -f setting.yaml", 1, "setting.yaml: line 6, column "),
        Mistake("pull acme -f acme.yaml", 0, "acme.yaml: 2 routes"),
        Mistake("pull acme -f page.yaml", 1, "page.yaml has changes that are not live; apply them, or use --force to"),
        Mistake("pull acme -f notes.txt", 1, "notes.txt is not a tenant file; choose another name, or use --force to"),
        Mistake("pull acme -f page.yaml --force", 0, "page.yaml: 2 routes"),
        Mistake("audit list --tenant acmee", 0, "The audit log has no entry of 'acmee'."),
        Mistake("events acme", 0, "'acme' has no recorded event.\n"),
        Mistake("events acme --route nosuch", 0, "No recorded event fits --route nosuch.\n"),
        Mistake("events acme --after 999", 0, "No recorded event fits --after 999; the log ends with seq 0.\n"),
        Mistake("stats totals acme --route nosuch", 0, "No counted event fits --route nosuch. Check the spelling, --"),
        Mistake("stats series acme --action open_web --outcome matched", 0, "--action open_web. Check"),
        Mistake("pull acmee", 1, "create it with 'fingerpost apply -f FILE'. Did you mean 'acme'?"),
        Mistake("replay nope", 1, "There is no tenant 'nope'; check its name, or create it with"),
        Mistake(
            "replay acme",
            1,
            "There is no draft 'main'; 'fingerpost drafts list acme' lists the drafts."
        ),
        Mistake("retention nope", 1, "There is no tenant 'nope'; check its name, or create it with"),
        Mistake("retention acme", 0, "No finished day has rows. The rows of a day are counted after its end"),
        Mistake("suites push acme notes.txt", 1, "fingerpost: notes.txt: "),
        Mistake("drafts test acme", 0, "No suite is stored for this environment: name a file with --suite, or use"),
        Mistake(
            "apply -f double.yaml",
            1,
            "nothing was changed. 'fingerpost check FILE' shows the lines of these errors:\n"
        ),
        Mistake("pull acme --environment stagin", 1, "The tenant has no environment 'stagin'."),
        Mistake("drafts plan acme --draft sprign", 1, "There is no draft 'sprign'; 'fingerpost drafts list"),
        Mistake("routes export acme --draft sprign", 1, "There is no draft 'sprign'; 'fingerpost drafts list acme'"),
        Mistake("stats totals acme --outcome match", 1, "'outcome' must be matched, fallback, unmatched or"),
        Mistake("stats totals acme --action open", 1, "'action' must be empty, or one of: open_app, open_web,"),
        Mistake("stats totals acme --revision 99", 1, "There is no revision 99; 'fingerpost revisions list"),
    ]

    @Test func mistakeInARequestIsExplained() async throws {
        try await withFiles { directory in
            let server = try RunningServer(directory: directory + "/data")
            defer { server.killNow() }
            func options(_ port: UInt16) -> [String] {
                ["--server", "http://127.0.0.1:\(port)", "--key", server.key ?? ""]
            }
            let applied = try await run(["apply", "-f", "acme.yaml"] + options(server.adminPort), in: directory)
            #expect(applied.status == 0, "\(applied.text)")
            try await check(Self.requests, options(server.adminPort), in: directory)
            for (port, name) in [(server.publicPort, "public"), (server.opsPort, "ops")] {
                let message =
                    "http://127.0.0.1:\(port) is not the admin address of a Fingerpost server (it answered 404 for "
                    + "/admin/v1). This is the \(name) port of Fingerpost. The admin API is on the admin port"
                let wrong = ["plan -f acme.yaml", "tenants list", "pull acme", "stats totals acme"]
                try await check(wrong.map { Mistake($0, 69, message) }, options(port), in: directory)
            }
            let hidden = "is not the public address of a server. This is the admin port of Fingerpost. Links are"
            let simulate = "association simulate https://other.test/ --server http://127.0.0.1:"
            try await check(
                [
                    Mistake(simulate + "\(server.adminPort)", 69, hidden),
                    Mistake(simulate + "\(server.publicPort)", 1, "no domain covers 'other.test'."),
                ],
                in: directory
            )
            let https = ["--server", "https://127.0.0.1:\(server.adminPort)", "--key", "k"]
            try await check(
                [Mistake("tenants list", 69, "the server does not use TLS at this port; use http://")],
                https,
                in: directory
            )
            try await check(
                [
                    Mistake("backup backup --data data", 0, "files"),
                    Mistake("backup backup --data data", 1, "it exists; choose a new directory."),
                    Mistake(
                        "keys create --tenant nope --data data",
                        1,
                        "there is no tenant 'nope'; correct the name, or create"
                    ),
                    Mistake(
                        "keys revoke abc --data data",
                        1,
                        "there is no key 'abc'; list them with 'fingerpost keys list'."
                    ),
                    Mistake(
                        "keys revoke not-an-id --data data",
                        1,
                        "this is neither the id of a key, which has twelve"
                    ),
                    Mistake(
                        "keys create --tenant acme --environment prod --data data",
                        1,
                        "The tenant has no environment 'prod'. Did you mean 'production'?"
                    ),
                    Mistake(
                        "keys create --tenant acme --scope publish --expires 2099-01-01T00:00:00Z --data data",
                        0,
                        "  tenant: acme\n  scopes: publish\n  environments: all\n  writes routes: all\n  expires: 2099-01-01"
                    ),
                    // A date is its start in UTC.
                    Mistake(
                        "keys create --tenant acme --expires 2099-01-31 --data data",
                        0,
                        "  expires: 2099-01-31T00:00:00.000Z"
                    ),
                    Mistake("replay acme --data data", 1, "'fingerpost drafts list acme' lists the drafts."),
                    Mistake(
                        "replay nope --data data",
                        1,
                        "There is no tenant 'nope'; check its name, or create it with"
                    ),
                    Mistake("restore backup --data data", 75, "data is in use by process"),
                ],
                in: directory
            )
        }
    }
}
