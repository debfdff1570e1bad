import ArgumentParser
import LinkCatalog
import LinkRouting
import OutboundHTTP

struct Keys: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Keys of the admin API and of callers.",
        discussion: """
            EXAMPLES
              fingerpost keys create --data ./data --name ci --tenant shop --scope tables:write --scope publish
              fingerpost keys list --data ./data
              fingerpost keys revoke 3f9a0c1b2d4e --data ./data

            They work on a directory that no process uses, and through a running server's control socket.
            """,
        subcommands: [Create.self, List.self, Rotate.self, Revoke.self]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a key and print it, once: only a hash of it is kept.",
            discussion: """
                EXAMPLES
                  fingerpost keys create --data ./data --name ci --tenant shop --scope tables:write --scope publish
                  fingerpost keys create --data ./data --name blog --tenant blogs --scope tables:write --path-prefix /blog/

                Scopes: \(KeyGrant.Scope.allCases.map(\.rawValue).joined(separator: ", ")); admin holds all of them.
                """
        )

        @ArgumentParser.Option(help: "The data directory.") var data = "data"
        @ArgumentParser.Option(help: "For people: whose key it is.") var name = "admin"
        @ArgumentParser.Option(help: "The one tenant it is for; without it the key is for all.") var tenant: String?
        @ArgumentParser.Option(help: "What it may do; may be repeated (default: admin).") var scope: [String] = []
        @ArgumentParser.Option(help: "An environment that it is for; may be repeated (default: all).") var environment:
            [String] = []
        @ArgumentParser.Option(help: "Writes only routes of this owner; may be repeated.") var owner: [String] = []
        @ArgumentParser.Option(help: "Writes only routes whose path begins so; may be repeated.") var pathPrefix:
            [String] = []
        @ArgumentParser.Option(help: "When it ends, such as 2030-01-31T00:00:00Z.") var expires: String?

        func validate() throws {
            if let text = scope.first(where: { KeyGrant.Scope(rawValue: $0) == nil }) {
                let known = KeyGrant.Scope.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("'\(text)' is not a scope; known are \(known).")
            }
            if let tenant, TenantID(tenant) == nil { throw ValidationError("'\(tenant)' is not a tenant's id.") }
        }

        func run() async throws {
            func list(_ texts: [String]) -> JSONNode? { texts.isEmpty ? nil : .array(texts.map(JSONNode.string)) }
            let wish = JSONNode.object([
                "name": .string(name), "tenant": tenant.map(JSONNode.string),
                "scopes": list(scope) ?? .array([.string(KeyGrant.Scope.admin.rawValue)]),
                "environments": list(environment), "owners": list(owner), "pathPrefixes": list(pathPrefix),
                "expiresAt": expires.map(JSONNode.string),
            ])
            let answer = try await CatalogCommands.run(in: data) {
                try await $0.createKey(Field(wish, path: "key"))
            } elsewhere: {
                ControlMessage.createKey(wish)
            }
            show(answer["key"]?.text ?? "")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the keys: what each may do, and when it was last used.",
            discussion: """
                EXAMPLE
                  fingerpost keys list --data ./data --json
                """
        )

        @ArgumentParser.Option(help: "The data directory.") var data = "data"
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let answer = try await CatalogCommands.run(in: data) {
                try await $0.listKeys()
            } elsewhere: {
                ControlMessage.listKeys
            }
            guard !json else { return show(answer) }
            for key in answer["keys"]?.elements ?? [] {
                let scopes = (key["scopes"]?.elements ?? []).compactMap(\.text).joined(separator: " ")
                let end = key["revokedAt"]?.text.map { "revoked \($0)" } ?? key["expiresAt"]?.text.map { "until \($0)" }
                let use = key["lastUsedAt"]?.text.map { "used \($0)" } ?? "never used"
                let parts = [
                    key["id"]?.text, key["name"]?.text, key["tenant"]?.text ?? "all tenants", scopes, end, use,
                ]
                show(parts.compactMap(\.self).joined(separator: "  "))
            }
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a second key for the same, while the first goes on for a while.",
            discussion: """
                EXAMPLE
                  fingerpost keys rotate 3f9a0c1b2d4e --grace-hours 24

                Asks a server with a key of scope keys that may do as much. Prints the new key, once.
                """
        )

        @ArgumentParser.Argument(help: "The id of the key that is replaced.") var id: String
        @ArgumentParser.Option(help: "How long that one goes on.") var graceHours = 24
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            let body = JSONNode.object(["graceSeconds": .int(graceHours * 3_600)])
            let answer = try await tellingRefusals {
                try await admin.client().send(.post, "keys/\(id)/rotate", json: body)
            }
            show(answer.body["key"]?.text ?? "")
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End a key at once, with the keys that it made.",
            discussion: """
                EXAMPLES
                  fingerpost keys revoke 3f9a0c1b2d4e --data ./data
                  fingerpost keys revoke 3f9a0c1b2d4e --alone     # the keys that it made go on

                A rotation makes a key: to end the old one early, use --alone where it rotated itself.
                """
        )

        @ArgumentParser.Argument(help: "The key's id: the twelve characters before its secret.") var id: String
        @ArgumentParser.Option(help: "The data directory.") var data = "data"
        @Flag(help: "Only this key: those that it made go on.") var alone = false

        func run() async throws {
            let (id, isAlone) = (id, alone)
            let answer = try await CatalogCommands.run(in: data) {
                try await $0.revokeKey(Field(.string(id), path: "id"), as: isAlone ? .revokeAlone : .revoke)
            } elsewhere: {
                ControlMessage.revokeKey(id, isAlone: isAlone)
            }
            show("\(id) is revoked since \(answer["revokedAt"]?.text ?? "now")")
            let others = (answer["endedKeys"]?.elements ?? []).compactMap(\.text)
            if !others.isEmpty { show("revoked with it: \(others.joined(separator: ", "))") }
        }
    }
}

struct Audit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The record of who changed what.",
        discussion: """
            EXAMPLES
              fingerpost audit list --tenant shop
              fingerpost audit verify --data ./data
            """,
        subcommands: [List.self, Verify.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List who changed what, newest first.",
            discussion: """
                EXAMPLE
                  fingerpost audit list --tenant shop --limit 20
                """
        )

        @ArgumentParser.Option(help: "Only this tenant.") var tenant: String?
        @ArgumentParser.Option(help: "At most so many.") var limit = 100
        @OptionGroup var admin: AdminOptions
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let query = [("limit", "\(limit)")] + (tenant.map { [("tenant", $0)] } ?? [])
            let answer = try await tellingRefusals { try await admin.client().send(.get, "audit", query: query) }
            guard !json else { return show(answer.body) }
            for row in answer.body["audit"]?.elements ?? [] {
                let parts = [
                    row["at"]?.text, row["actor"]?["name"]?.text, row["action"]?.text, row["tenant"]?.text,
                    row["environment"]?.text, row["subject"]?.text, row["after"].flatMap(Self.origin),
                ]
                show(parts.compactMap(\.self).joined(separator: "  "))
            }
        }

        /// The origin of a published table; nil if it came from a draft.
        private static func origin(_ after: JSONNode) -> String? {
            after["originRevision"]?.int.map { "\(after["origin"]?.text ?? "") of \($0)" }
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Compute the chain of hashes again, and say where it is broken.",
            discussion: """
                EXAMPLES
                  fingerpost audit verify --data ./data
                  fingerpost audit verify --data ./data --json

                Keep the printed head elsewhere: whoever has it sees when rows at the end were removed and the chain was
                written anew. Exit code 1 when the chain is broken.
                """
        )

        @ArgumentParser.Option(help: "The data directory.") var data = "data"
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let verdict = try await CatalogCommands.run(in: data) {
                try await $0.verifyAudit()
            } elsewhere: {
                ControlMessage.verifyAudit
            }
            let isIntact = verdict["intact"]?.bool == true
            if json {
                show(verdict, .compact)
            } else if isIntact {
                show("intact: \(verdict["rows"]?.int ?? 0) rows, head \(verdict["head"]?.text ?? "-")")
            } else {
                show("broken at row \(verdict["brokenAt"]?.int ?? 0)")
            }
            guard isIntact else { throw ExitCode(ExitStatus.failed.rawValue) }
        }
    }
}
