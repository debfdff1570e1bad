import Foundation
import LinkRouting
import TestSupport
import Testing

/// A tenant's file in git, and the commands that apply it to a server.
struct TableFileTests {
    private static let settings = """
        formatVersion: 1
        tenant: acme
        settings:
          domains: [go.acme.test, {host: www.acme.test, serves: association}]
          schemes: [acme]
          apps: [{id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.acme}]

        """
    private static let table = """
        table:
          defaults: {fallback: {web: "https://www.acme.test/"}}
          routes:
            - {id: home, path: /, open: {screen: Home}}
            - {id: item, path: "/item/{id:int}", open: {screen: Item}}

        """

    private struct Shell {
        let server: RunningServer
        let directory: String
        /// Another key than that of the server.
        var key: String?

        func callAsFunction(_ arguments: String...) async throws -> (status: Int32, text: String) {
            try await run(arguments)
        }

        func run(_ arguments: [String]) async throws -> (status: Int32, text: String) {
            let options = ["--server", "http://127.0.0.1:\(server.adminPort)", "--key", key ?? server.key ?? ""]
            let tool = RunningServer.products.appending(path: "fingerpost").path
            // Both outputs, because a person sees both.
            let command = ([tool] + arguments + options).map { "'\($0)'" }.joined(separator: " ")
            let result = try await runBeside("sh", ["-c", "cd \(directory) && \(command) 2>&1"])
            return (result.status, String(decoding: result.output, as: UTF8.self))
        }

        func write(_ text: String, to name: String) throws {
            try text.write(toFile: "\(directory)/\(name)", atomically: true, encoding: .utf8)
        }
    }

    private func withShell(_ body: (Shell) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory + "/data")
            defer { server.killNow() }
            try await body(Shell(server: server, directory: directory))
        }
    }

    /// HTTP failures are reported as such, and not as expectations that fail.
    @Test func suiteAgainstAServerReportsItsResponses() async throws {
        try await withShell { shell in
            try shell.write(Self.settings + Self.table, to: "acme.yaml")
            try shell.write(
                "formatVersion: 1\ncases:\n  - {link: \"acme://item/7\", expect: {route: item, screen: Item}}\n",
                to: "good.yaml"
            )
            try shell.write(
                "formatVersion: 1\ncases:\n  - {link: \"acme://item/7\", expect: {trace: {route: item}}}\n",
                to: "trace.yaml"
            )
            #expect(try await shell("apply", "-f", "acme.yaml").status == 0)
            let tool = RunningServer.products.appending(path: "fingerpost").path
            func test(_ suite: String, port: UInt16, _ more: String...) async throws -> (status: Int32, text: String) {
                let server = "http://127.0.0.1:\(port)"
                let arguments = ["test", "\(shell.directory)/\(suite)", "--server", server] + more
                let command = ([tool] + arguments).map { "'\($0)'" }.joined(separator: " ")
                let result = try await runBeside("sh", ["-c", "unset FINGERPOST_KEY; \(command) 2>&1"])
                return (result.status, String(decoding: result.output, as: UTF8.self))
            }
            let port = shell.server.publicPort
            let good = try await test("good.yaml", port: port)
            #expect(good.status == 0, "\(good.text)")
            let admin = try await test("good.yaml", port: shell.server.adminPort)
            #expect(admin.status == 69 && admin.text.contains("answered 404"), "\(admin.text)")
            #expect(admin.text.contains("Give the public address with --server"))
            let hidden = try await test("trace.yaml", port: port)
            #expect(hidden.status == 69 && hidden.text.contains("answered 403"), "\(hidden.text)")
            #expect(hidden.text.contains("Use --key or FINGERPOST_KEY with a key that has the scope 'explain'"))
            let shown = try await test("trace.yaml", port: port, "--key", shell.server.key ?? "")
            #expect(shown.status == 1 || shown.status == 0, "\(shown.text)")
            #expect(!shown.text.contains("answered 403"))
            let closed = try await test("good.yaml", port: port, "--environment", "staging")
            #expect(closed.status == 69 && closed.text.contains("answered 401"), "\(closed.text)")
            #expect(closed.text.contains("Use --key or FINGERPOST_KEY.") && !closed.text.contains("Authorization"))
            let key = shell.server.key ?? ""
            let staging = try await test("good.yaml", port: port, "--environment", "staging", "--key", key)
            #expect(staging.status == 1 && staging.text.contains("route: nothing, expected"), "\(staging.text)")
            let unreadable = try await test("good.yaml", port: port, "--environment", "not an environment")
            #expect(unreadable.status == 1 && unreadable.text.contains("response: the server answered 400"))
            let down = try await test("good.yaml", port: 9)
            #expect(down.status == 69 && down.text.contains("nothing accepts connections there"), "\(down.text)")
        }
    }

    /// The key of a pipeline may not change settings, and a pulled file has the settings.
    @Test func pulledFileIsAppliedWithoutTheScopeAdmin() async throws {
        try await withShell { shell in
            try shell.write(Self.settings + Self.table, to: "acme.yaml")
            #expect(try await shell("apply", "-f", "acme.yaml").status == 0)
            let tool = RunningServer.products.appending(path: "fingerpost").path
            let scopes = ["tables:read", "tables:write", "publish"].flatMap { ["--scope", $0] }
            let made = try await runBeside(
                tool,
                ["keys", "create", "--data", shell.server.directory, "--name", "ci", "--tenant", "acme"] + scopes
            )
            let key = String(decoding: made.output, as: UTF8.self).trimmingCharacters(in: .newlines)
            let pipeline = Shell(server: shell.server, directory: shell.directory, key: key)
            #expect(try await pipeline("pull", "acme", "-f", "pulled.yaml").status == 0)
            let pulled = try String(contentsOfFile: "\(shell.directory)/pulled.yaml", encoding: .utf8)
            try shell.write(pulled.replacing("screen: Item", with: "screen: Product"), to: "pulled.yaml")
            #expect(try await pipeline("plan", "-f", "pulled.yaml").status == 2)
            let applied = try await pipeline("apply", "-f", "pulled.yaml")
            #expect(applied.status == 0 && applied.text.hasSuffix("revision 2 is live\n"), "\(applied.text)")

            try shell.write(pulled.replacing("- acme\n", with: "- acmetwo\n"), to: "pulled.yaml")
            let refused = try await pipeline("apply", "-f", "pulled.yaml")
            let reason =
                "The file changes 'settings', which needs the scope 'admin'; this key may change the table only."
            #expect(refused.status == 1 && refused.text.contains(reason), "\(refused.text)")
        }
    }

    /// Two commands, without a revision's number.
    @Test func stagingIsPromoted() async throws {
        try await withShell { shell in
            let settings = Self.settings.replacing("settings:\n", with: "settings:\n  environments: [staging]\n")
            try shell.write(settings, to: "settings.yaml")
            try shell.write(settings + Self.table, to: "acme.yaml")
            #expect(try await shell("apply", "-f", "settings.yaml").status == 0)
            let staged = try await shell("apply", "-f", "acme.yaml", "--environment", "staging")
            #expect(staged.status == 0 && staged.text.hasSuffix("revision 1 is live in staging\n"), "\(staged.text)")
            let planned = try await shell("promote", "acme", "--from", "staging", "--dry-run")
            #expect(planned.status == 2 && planned.text.contains("adds 'item' for "), "\(planned.text)")
            let promoted = try await shell("promote", "acme", "--from", "staging")
            #expect(promoted.status == 0 && promoted.text.contains("adds 'item' for "), "\(promoted.text)")
            #expect(promoted.text.contains("\n2  production  "), "\(promoted.text)")
            #expect(promoted.text.hasSuffix("2 routes  promotion of 1\n"))
            let again = try await shell("promote", "acme", "1", "--from", "staging", "--message", "Again")
            #expect(
                again.status == 0 && again.text == "revision 2 has this table and is live already\n",
                "\(again.text)"
            )
            let nothing = try await shell("promote", "acme", "--from", "preview")
            #expect(nothing.status == 1, "\(nothing.text)")
            for wrong in [["promote", "acme"], ["promote", "acme", "--from", "production"]] {
                #expect(try await shell.run(wrong).status == 64)
            }
        }
    }

    /// What others change in production is neither reverted by a promotion nor removed by a file, unless it is asked for.
    @Test func nothingLiveIsUndoneSilently() async throws {
        try await withShell { shell in
            let settings = Self.settings.replacing("settings:\n", with: "settings:\n  environments: [staging]\n")
            let hotfix = "    - {id: hotfix, owner: support, path: /hotfix, open: {screen: Home}}\n"
            try shell.write(settings + Self.table, to: "acme.yaml")
            try shell.write(settings + Self.table + hotfix, to: "hotfix.yaml")
            #expect(try await shell("apply", "-f", "acme.yaml").status == 0)
            #expect(try await shell("apply", "-f", "acme.yaml", "--environment", "staging").status == 0)
            #expect(try await shell("apply", "-f", "hotfix.yaml").status == 0)
            for arguments in [
                ["promote", "acme", "--from", "staging"], ["promote", "acme", "--from", "staging", "--dry-run"],
                ["apply", "-f", "acme.yaml"], ["apply", "-f", "acme.yaml", "--dry-run"], ["plan", "-f", "acme.yaml"],
            ] {
                let refused = try await shell.run(arguments)
                #expect(refused.status == 1 && refused.text.contains("removes 'hotfix' for /hotfix"), "\(refused.text)")
                let flag = arguments[0] == "promote" ? "--force" : "--remove-others"
                #expect(refused.text.contains(flag), "\(refused.text)")
            }
            let planned = try await shell("plan", "-f", "acme.yaml", "--remove-others")
            #expect(planned.status == 2, "\(planned.text)")
            let forced = try await shell("promote", "acme", "--from", "staging", "--force")
            #expect(forced.status == 0 && forced.text.hasPrefix("removes 'hotfix' for /hotfix\n"), "\(forced.text)")
            let number = try #require(forced.text.firstMatch(of: /\n(\d+)  production/)?.output.1.description)
            let before = "\((Int64(number) ?? 0) - 1)"
            for flags in [["--dry-run"], []] {
                let back = try await shell.run(["revisions", "rollback", "acme", before] + flags)
                #expect(back.status == (flags.isEmpty ? 0 : 2), "\(back.text)")
                #expect(back.text.hasPrefix("adds 'hotfix' for /hotfix\n"), "\(back.text)")
            }
            let removed = try await shell("apply", "-f", "acme.yaml", "--remove-others")
            #expect(removed.status == 0 && removed.text.contains("The file has no 'basedOn'"), "\(removed.text)")
        }
    }

    /// A team's file changes the team's routes only.
    @Test func ownerChangesOwnRoutesOnly() async throws {
        try await withShell { shell in
            func table(_ routes: String...) -> String {
                "table:\n  routes:\n" + routes.map { "    - {\($0)}\n" }.joined()
            }
            let shop = #"id: item, path: "/item/{id:int}", owner: shop, open: {screen: Item}"#
            let blog = #"id: post, path: "/blog/{name}", owner: blog, open: {screen: Post}"#
            let other = #"id: home, path: /, open: {screen: Home}"#
            try shell.write(Self.settings + table(shop, blog, other), to: "all.yaml")
            #expect(try await shell("apply", "-f", "all.yaml").status == 0)

            let team = "formatVersion: 1\ntenant: acme\n"
            let archive = #"id: archive, path: "/blog/archive", owner: blog, open: {screen: Archive}"#
            let draft = blog.replacing("screen: Post", with: "screen: Article")
            try shell.write(team + table(archive, draft), to: "blog.yaml")
            let plan = try await shell("plan", "-f", "blog.yaml", "--owner", "blog")
            // Warnings follow; they concern the whole table.
            let changes = plan.text.components(separatedBy: "  warning:")[0]
            #expect(plan.status == 2 && changes.contains("'post'"), "\(plan.text)")
            #expect(!changes.contains("item") && !changes.contains("home"), "\(plan.text)")
            #expect(try await shell("apply", "-f", "blog.yaml", "--owner", "blog").status == 0)
            let first = try await shell("pull", "acme", "--json").text
            #expect(first.contains("Article") && first.contains("Archive") && first.contains("Item"))
            #expect(first.contains("Home"), "\(first)")

            // A route that the team's file no longer has is removed; the routes of others stay.
            try shell.write(team + table(blog), to: "blog.yaml")
            #expect(try await shell("apply", "-f", "blog.yaml", "--owner", "blog").status == 0)
            let second = try await shell("pull", "acme", "--json").text
            #expect(!second.contains("Archive") && second.contains("Item") && second.contains("Home"))

            // Revision 3 has changed what this file, based on revision 2, changes too.
            try shell.write(team + "basedOn: 2\n" + table(blog.replacing("Post", with: "Third")), to: "blog.yaml")
            let conflict = try await shell("apply", "-f", "blog.yaml", "--owner", "blog")
            #expect(conflict.status == 1 && conflict.text.contains("\n  route 'post'\n"), "\(conflict.text)")

            for (route, said) in [(shop, "belongs to 'shop'"), (other, "has no owner")] {
                let taken = route.replacing(", owner: shop", with: "") + ", owner: blog"
                try shell.write(team + table(taken), to: "blog.yaml")
                let stolen = try await shell("apply", "-f", "blog.yaml", "--owner", "blog")
                #expect(stolen.status == 1 && stolen.text.contains("do not belong to 'blog'"), "\(stolen.text)")
                #expect(stolen.text.contains("' \(said)\n"), "\(stolen.text)")

                try shell.write(team + table(route), to: "blog.yaml")
                let refused = try await shell("apply", "-f", "blog.yaml", "--owner", "blog")
                #expect(refused.status == 65 && refused.text.contains("blog.yaml:5: the route"), "\(refused.text)")
                #expect(refused.text.contains(said) && refused.text.contains("write 'owner: blog'"))
            }
            try shell.write(team + "settings: {}\n", to: "blog.yaml")
            let empty = try await shell("plan", "-f", "blog.yaml", "--owner", "blog")
            #expect(empty.status == 65 && empty.text.contains("has no routes"), "\(empty.text)")
        }
    }

    /// Settings, table and suites go live together or not at all.
    @Test func rejectedFileChangesNothing() async throws {
        try await withShell { shell in
            try shell.write(Self.settings + Self.table, to: "acme.yaml")
            #expect(try await shell("apply", "-f", "acme.yaml").status == 0)
            let before = try await shell("pull", "acme").text
            let changed = Self.settings.replacing("schemes: [acme]", with: "schemes: [acme, acmetwo]")
            let table = Self.table.replacing("screen: Item", with: "screen: Product")
            try shell.write(changed + table, to: "next.yaml")
            let case7 = "  - {link: \"acme://item/7\", expect: {screen: NAME}}\n"
            try shell.write(
                "formatVersion: 1\ncases:\n" + case7.replacing("NAME", with: "Item"),
                to: "old.suite.yaml"
            )
            try shell.write(
                "formatVersion: 1\ncases:\n" + case7.replacing("NAME", with: "Product"),
                to: "new.suite.yaml"
            )
            let failed = try await shell("apply", "-f", "next.yaml", "--suite", "old.suite.yaml")
            #expect(failed.status == 1 && failed.text.contains("screen"), "\(failed.text)")
            let advice =
                "fix the table, change the suite (--suite FILE), or publish nevertheless with --override REASON.\n"
            #expect(failed.text.hasSuffix("\nA suite fails, so nothing was changed: \(advice)"), "\(failed.text)")
            #expect(try await shell("pull", "acme").text == before)
            #expect(try await shell("suites", "list", "acme").text.contains("old") == false)

            // The server checks on its own, without a plan before.
            func apply(_ suite: String) async throws -> HTTPConnection.Response {
                let suite = try String(contentsOfFile: "\(shell.directory)/\(suite)", encoding: .utf8)
                let body = JSONNode.object([
                    "settings": .object(["schemes": .array([.string("acme"), .string("acmetwo")])]),
                    "table": .object([
                        "routes": .array([
                            .object([
                                "id": .string("item"), "path": .string("/item/{id:int}"),
                                "open": .object(["screen": .string("Product")]),
                            ])
                        ])
                    ]), "suites": .object(["own": .string(suite)]),
                ])
                return try HTTPConnection(port: shell.server.adminPort).request(
                    "POST",
                    "/admin/v1/tenants/acme/apply",
                    headers: [
                        "Authorization": "Bearer \(shell.server.key ?? "")", "Content-Type": "application/json",
                    ],
                    body: body.json()
                )
            }
            let refused = try await apply("old.suite.yaml")
            #expect(refused.status == 422 && refused.text.contains("suites_failed"), "\(refused.text)")
            #expect(try await shell("pull", "acme").text == before)
            let taken = try await shell("apply", "-f", "next.yaml", "--suite", "new.suite.yaml")
            #expect(taken.status == 0 && taken.text.contains("revision 2 is live"), "\(taken.text)")
            let after = try await shell("pull", "acme").text
            #expect(after.contains("acmetwo") && after.contains("Product"))
            let again = try await apply("new.suite.yaml")
            #expect(again.status == 201 && again.text.contains("\"settingsRevision\":3"), "\(again.text)")
        }
    }

    /// The server does not know the tenant yet, so the command line runs the suites.
    @Test func newTenantWhoseSuiteFailsIsNotCreated() async throws {
        try await withShell { shell in
            try shell.write(Self.settings + Self.table, to: "acme.yaml")
            let suite =
                "formatVersion: 1\ncases:\n  - {link: 'acme://item/7', context: {platform: ios}, expect: {route: home}}\n"
            try shell.write(suite, to: "wrong.suite.yaml")
            for options in [[], ["--dry-run"]] {
                let refused = try await shell.run(
                    ["apply", "-f", "acme.yaml", "--suite", "wrong.suite.yaml"] + options
                )
                #expect(refused.status == 1, "\(refused.text)")
                #expect(refused.text.contains("suite 'wrong', line 3: acme://item/7: route: "), "\(refused.text)")
                let tenant = try await shell("pull", "acme")
                #expect(tenant.status == 1 && tenant.text.contains("no tenant 'acme'"), "\(tenant.text)")
            }
            try shell.write("cases: [", to: "broken.suite.yaml")
            let broken = try await shell("apply", "-f", "acme.yaml", "--suite", "broken.suite.yaml")
            #expect(broken.status == 65 && broken.text.contains("broken: "), "\(broken.text)")
            try shell.write(suite.replacing("home", with: "item"), to: "right.suite.yaml")
            let applied = try await shell("apply", "-f", "acme.yaml", "--suite", "right.suite.yaml")
            #expect(applied.status == 0 && applied.text.contains("revision 1 is live"), "\(applied.text)")
            #expect(try await shell("suites", "list", "acme").text == "suite  size\nright  1 case\n")
        }
    }

    @Test func settingsOfOthersAreNotUndone() async throws {
        try await withShell { shell in
            try shell.write(Self.settings + Self.table, to: "acme.yaml")
            #expect(try await shell("apply", "-f", "acme.yaml").status == 0)
            #expect(try await shell("pull", "acme", "-f", "mine.yaml").status == 0)
            let pulled = try String(contentsOfFile: "\(shell.directory)/mine.yaml", encoding: .utf8)
            try shell.write(
                pulled.replacing("settings:\n", with: "settings:\n  privacy: {ip: none}\n"),
                to: "theirs.yaml"
            )
            #expect(try await shell("apply", "-f", "theirs.yaml").status == 0)

            try shell.write(pulled.replacing("screen: Item", with: "screen: Product"), to: "mine.yaml")
            let applied = try await shell("apply", "-f", "mine.yaml")
            #expect(applied.status == 0 && !applied.text.contains("settings"), "\(applied.text)")
            let live = try await shell("pull", "acme").text
            #expect(live.contains("ip: none") && live.contains("Product"), "\(live)")
            // The file's changes are live, so nothing of it is lost; an applied file may also be applied again.
            #expect(try await shell("apply", "-f", "mine.yaml").text.hasSuffix("nothing would change\n"))
            #expect(try await shell("pull", "acme", "-f", "mine.yaml").status == 0)

            try shell.write(pulled.replacing("- acme\n", with: "- acmetwo\n"), to: "mine.yaml")
            for command in ["plan", "apply"] {
                let refused = try await shell(command, "-f", "mine.yaml")
                #expect(refused.status == 1 && refused.text.contains("\n  privacy"), "\(refused.text)")
            }
        }
    }

    @Test func weekOfEditsThroughTheCommandLine() async throws {
        try await withShell { shell in
            // Monday: a new tenant.
            try shell.write(Self.settings + Self.table, to: "acme.yaml")
            let first = try await shell("plan", "-f", "acme.yaml")
            #expect(first.status == 2 && first.text.contains("the tenant is new"), "\(first.text)")
            #expect(first.text.contains("adds 'item' for /item/{id:int}"))
            let applied = try await shell("apply", "-f", "acme.yaml", "--message", "first")
            #expect(applied.status == 0 && applied.text.hasSuffix("revision 1 is live\n"), "\(applied.text)")
            #expect(try await shell("plan", "-f", "acme.yaml").status == 0)

            // Tuesday: the pulled file has the same contents.
            #expect(try await shell("pull", "acme", "-f", "pulled.yaml").text == "pulled.yaml: 2 routes\n")
            let same = try await shell("plan", "-f", "pulled.yaml")
            #expect(same.status == 0 && same.text == "nothing would change\n", "\(same.text)")

            // A file pulled earlier does not undo what others have published since.
            try shell.write(#"{"id":"promo","path":"/promo"}"#, to: "promo.ndjson")
            #expect(try await shell("routes", "import", "acme", "promo.ndjson").status == 0)
            let bearer = ["Authorization": "Bearer \(shell.server.key ?? "")"]
            let other = try HTTPConnection(port: shell.server.adminPort)
                .request("POST", "/admin/v1/tenants/acme/draft/publish", headers: bearer)
            #expect(other.status == 201, "\(other.text)")
            #expect(try await shell("plan", "-f", "pulled.yaml").status == 0)
            #expect(try await shell("plan", "-f", "acme.yaml").text.contains("removes 'promo'"))
            #expect(try await shell("apply", "-f", "acme.yaml").status == 0)

            // Wednesday: a suite requires the item route.
            try shell.write(
                "formatVersion: 1\ncases:\n  - {link: 'acme://item/7', context: {platform: ios}, expect: {route: item}}\n",
                to: "items.suite.yaml"
            )
            let guarded = try await shell("apply", "-f", "acme.yaml", "--suite", "items.suite.yaml")
            #expect(guarded.status == 0, "\(guarded.text)")
            #expect(
                guarded.text.hasSuffix("suite items is stored: a later table must pass it, too\n"),
                "\(guarded.text)"
            )
            #expect(try await shell("suites", "list", "acme").text == "suite  size\nitems  1 case\n")
            try shell.write(
                "formatVersion: 1\ncases:\n  - {link: 'acme://item/7', context: {platform: ios}, expect: {route: home}}\n",
                to: "wrong.suite.yaml"
            )
            let wrong = try await shell("suites", "push", "acme", "items.suite.yaml", "wrong.suite.yaml")
            #expect(wrong.status == 1 && wrong.text.contains("suite 'wrong', line 3: acme://item/7"), "\(wrong.text)")
            #expect(try await shell("suites", "list", "acme").text == "suite  size\nitems  1 case\n")
            #expect(try await shell("suites", "push", "acme", "wrong.suite.yaml", "--force").status == 0)
            #expect(try await shell("suites", "remove", "acme", "wrong").status == 0)
            try shell.write(Self.settings + Self.table.replacing("/item/", with: "/thing/"), to: "acme.yaml")
            let dry = try await shell("apply", "-f", "acme.yaml", "--dry-run")
            #expect(dry.status == 1 && dry.text.contains("suite 'items', line 3: acme://item/7"), "\(dry.text)")
            #expect(dry.text.contains("\nA stored suite fails, so it would be rejected: "), "\(dry.text)")
            #expect(try await shell("plan", "-f", "acme.yaml").text == dry.text)
            let stopped = try await shell("apply", "-f", "acme.yaml")
            #expect(stopped.status == 1, "\(stopped.text)")
            #expect(stopped.text.contains("\nA stored suite fails, so nothing was changed: "), "\(stopped.text)")
            let overridden = try await shell("apply", "-f", "acme.yaml", "--override", "renamed")
            #expect(overridden.status == 0 && overridden.text.contains("revision 4 is live"), "\(overridden.text)")
            for list in [["revisions", "list", "acme"], ["audit", "list", "--tenant", "acme"]] {
                let row = try await shell.run(list + ["--limit", "1"]).text
                #expect(row.hasSuffix("override: renamed\n"), "\(row)")
            }

            // Thursday: rollback.
            let back = try await shell("revisions", "rollback", "acme", "1", "--message", "back")
            #expect(back.status == 0 && back.text.contains("5  production  "), "\(back.text)")
            let rows = try await shell("revisions", "list", "acme").text.split(separator: "\n")
            #expect(rows.count == 6 && rows[0].hasPrefix("revision  environment  published "))
            #expect(rows[1].hasSuffix("rollback of 1  back"))
            let diff = try await shell("revisions", "diff", "acme", "4")
            #expect(diff.text.contains(#"path changes from "/thing/{id:int}" to "/item/{id:int}""#), "\(diff.text)")

            // Friday: many routes at once, and settings that remove a domain.
            let lines = (0..<50).map { #"{"id":"p\#($0)","path":"/p/\#($0)"}"# }.joined(separator: "\n")
            try shell.write(lines, to: "routes.ndjson")
            let imported = try await shell("routes", "import", "acme", "routes.ndjson", "--draft", "promo")
            #expect(imported.status == 0 && imported.text.hasPrefix("draft promo: 52 routes\n"), "\(imported.text)")
            let drafts = try await shell("drafts", "list", "acme").text
            #expect(drafts.contains("\npromo  52 routes  from revision 5  "), "\(drafts)")
            let planned = try await shell("drafts", "plan", "acme", "--draft", "promo")
            #expect(planned.status == 2 && planned.text.contains("adds 'p19' for /p/19\n… and 30 more added routes\n"))
            #expect(try await shell("drafts", "test", "acme", "--draft", "promo").text == "1 case, 0 failed\n")
            #expect(
                try await shell("drafts", "test", "acme", "--draft", "promo", "--suite", "items.suite.yaml").status == 0
            )
            #expect(try await shell("audit", "list", "--tenant", "acme", "--limit", "1").text.contains("draft written"))
            let exported = try await shell("routes", "export", "acme", "--draft", "promo")
            #expect(exported.text.split(separator: "\n").count == 52)
            let published = try await shell("drafts", "publish", "acme", "--draft", "promo", "--message", "many")
            #expect(published.status == 0 && published.text.hasSuffix("revision 6 is live\n"), "\(published.text)")
            let audited = try await shell("audit", "list", "--tenant", "acme", "--limit", "1").text
            #expect(audited.hasSuffix("  table published  acme    production   6        many\n"), "\(audited)")
            #expect(try await shell("drafts", "remove", "acme", "--draft", "promo").status == 1)
            try shell.write(
                Self.settings.replacing("[go.acme.test, {host: www", with: "[{host: www") + Self.table,
                to: "acme.yaml"
            )
            let settings = try await shell("apply", "-f", "acme.yaml")
            #expect(settings.status == 0 && settings.text.contains("settings: domains changes"), "\(settings.text)")
        }
    }

    @Test func refusalsHaveAdvice() async throws {
        try await withShell { shell in
            try shell.write(Self.settings + Self.table, to: "acme.yaml")
            #expect(try await shell("apply", "-f", "acme.yaml").status == 0)
            try shell.write(
                Self.settings + Self.table.replacing("path: /,", with: "path: /, web: \"https://evil.example/\","),
                to: "wrong.yaml"
            )
            try shell.write("formatVersion: 1\ntable: {routes: []}\n", to: "nobody.yaml")
            try shell.write("tenant: [", to: "broken.yaml")
            for (arguments, status, said) in [
                (["plan", "-f", "wrong.yaml"], 1, "The settings do not allow destinations on the host 'evil.example'"),
                (["apply", "-f", "wrong.yaml"], 1, "Add the host to settings.destinations.hosts"),
                (["plan", "-f", "nobody.yaml"], 65, "add 'tenant: NAME', or use --tenant"),
                (["plan", "-f", "acme.yaml", "--tenant", "shop"], 65, "belongs to tenant 'acme'"),
                (["plan", "-f", "broken.yaml"], 65, "This is not YAML"),
                (["plan", "-f", "missing.yaml"], 65, "cannot be read"),
                (["pull", "nobody"], 1, "There is no tenant 'nobody'"),
                (["revisions", "rollback", "acme", "9"], 1, "no revision 9"),
                (["revisions", "diff", "acme", "1", "9"], 1, "no revision 9"),
                (["suites", "show", "acme", "none"], 1, "no suite 'none'"),
                (["promote", "acme", "1", "--from", "production", "--to", "A B"], 1, "Name the environment"),
            ] as [([String], Int32, String)] {
                let result = try await shell.run(arguments)
                #expect(result.status == status && result.text.contains(said), "\(arguments): \(result)")
            }
            let tool = RunningServer.products.appending(path: "fingerpost").path
            let noKey = try await runBeside("env", ["-u", "FINGERPOST_KEY", tool, "pull", "acme"])
            #expect(noKey.status == 78)
            let nobody = try await runBeside(tool, ["pull", "acme", "--key", "x", "--server", "http://127.0.0.1:9"])
            #expect(nobody.status == 69)
        }
    }

    @Test func applySeesAChangeOfNormalisation() async throws {
        try await withShell { shell in
            func text(_ path: String) -> String { Self.settings + Self.table.replacing("/item/{id:int}", with: path) }
            try shell.write(text("/caf\u{E9}"), to: "acme.yaml")
            #expect(try await shell("apply", "-f", "acme.yaml").status == 0)
            try shell.write(text("/cafe\u{301}"), to: "acme.yaml")
            let plan = try await shell("plan", "-f", "acme.yaml")
            #expect(plan.status == 2 && plan.text.contains("'item': path changes from"), "\(plan.text)")
            let applied = try await shell("apply", "-f", "acme.yaml")
            #expect(applied.status == 0 && applied.text.hasSuffix("revision 2 is live\n"), "\(applied.text)")
            #expect(try await shell("plan", "-f", "acme.yaml").text == "nothing would change\n")
        }
    }

    @Test func promotionTakesTheNamedEnvironmentsRevision() async throws {
        try await withShell { shell in
            let settings = Self.settings.replacing("schemes:", with: "environments: [staging]\n  schemes:")
            try shell.write(settings + Self.table, to: "acme.yaml")
            #expect(try await shell("apply", "-f", "acme.yaml").status == 0)
            let wrong = try await shell("promote", "acme", "1", "--from", "staging")
            #expect(wrong.status == 1 && wrong.text.contains("belongs to 'production', not to 'staging'"), "\(wrong)")
            let right = try await shell("promote", "acme", "1", "--from", "production", "--to", "staging")
            #expect(right.status == 0 && right.text.contains("promotion of 1"), "\(right)")
            let listed = try await shell("revisions", "list", "acme", "--environment", "staging")
            #expect(listed.text.contains("promotion of 1") && !listed.text.contains("rollback"), "\(listed.text)")
            let audit = try await shell("audit", "list", "--tenant", "acme", "--limit", "1")
            #expect(audit.text.contains("promotion of 1"), "\(audit.text)")
        }
    }

    @Test func resultsAreWrittenForBuildServers() async throws {
        try await withTemporaryDirectory { directory in
            let suite = "\(directory)/a&b.yaml"
            try """
            formatVersion: 1
            cases:
              - {link: "yourapp://product/1", context: {platform: ios}, expect: {route: product}}
              - {link: "yourapp://product/2?a=<b>", context: {platform: ios}, expect: {route: user, action: block}}
            """.write(toFile: suite, atomically: true, encoding: .utf8)
            let table = ScenarioTests.examples.appending(path: "shop.yaml").path
            let tool = RunningServer.products.appending(path: "fingerpost").path
            let report = "\(directory)/report.xml"
            let result = try await runBeside(tool, ["test", suite, "--table", table, "--junit", report])
            #expect(result.status == 1)
            let xml = try String(contentsOfFile: report, encoding: .utf8)
            #expect(xml.contains(#"a&amp;b.yaml" tests="2" failures="1">"#), "\(xml)")
            #expect(xml.contains(#"<testcase name="line 4 yourapp://product/2?a=&lt;b&gt;">"#))
            let rejected = "nothing (the link was rejected, forbidden_character: The link has a space"
            #expect(xml.contains("route: \(rejected)") && xml.contains("; action: \(rejected)"))
            #expect(xml.contains("percent-encode it.), expected &quot;user&quot;"))
            let parsed = XMLReader.isWellFormed(xml)
            #expect(parsed)

            let commands = try await runBeside(tool, ["test", suite, "--table", table, "--print-commands"])
            let lines = String(decoding: commands.output, as: UTF8.self)
            #expect(lines.contains("xcrun simctl openurl booted 'yourapp://product/1'"), "\(lines)")
        }
    }

    @Test func commandsForDevicesNameTheirTest() async throws {
        try await withTemporaryDirectory { directory in
            let suite = "\(directory)/s.yaml"
            try """
            formatVersion: 1
            cases:
              - {link: "https://www.yourappdomain.com/product/1?q=it's", app: android, via: system, expect: {route: product}}
            """.write(toFile: suite, atomically: true, encoding: .utf8)
            let table = ScenarioTests.examples.appending(path: "shop.yaml").path
            let tool = RunningServer.products.appending(path: "fingerpost").path
            let printed = try await runBeside(tool, ["test", suite, "--table", table, "--print-commands"])
            let lines = String(decoding: printed.output, as: UTF8.self).split(separator: "\n").map(String.init)
            #expect(lines.count == 5, "\(lines)")
            #expect(lines[1].contains("routing only") && lines[3].contains("assetlinks.json"))
            // The shell passes one word to adb, which contains the link as one quoted word.
            let echoed = try await runBeside("sh", ["-c", lines[4].replacing("adb shell", with: "printf %s")])
            let inner = String(decoding: echoed.output, as: UTF8.self)
            let twice = try await runBeside("sh", ["-c", inner.replacing("am start", with: "printf '%s\\n'")])
            #expect(
                String(decoding: twice.output, as: UTF8.self).split(separator: "\n").last
                    == "https://www.yourappdomain.com/product/1?q=it's"
            )
        }
    }
}

/// Whether tags are balanced, which suffices to detect link text that leaked into the markup.
private enum XMLReader {
    static func isWellFormed(_ text: String) -> Bool {
        var open: [Substring] = []
        for part in text.split(separator: "<").dropFirst() {
            guard let end = part.firstIndex(of: ">") else { return false }
            let tag = part[..<end]
            if tag.hasPrefix("/") {
                guard open.popLast() == tag.dropFirst() else { return false }
            } else if !tag.hasSuffix("/") {
                open.append(tag.prefix { $0 != " " })
            }
        }
        return open.isEmpty
    }
}
