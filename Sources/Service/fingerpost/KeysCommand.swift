import ArgumentParser
import LinkCatalog
import LinkRouting
import LinkServer
import LinkStorage
import Networking

struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Create, list, rotate and revoke API keys.",
        discussion: """
            EXAMPLES
              fingerpost keys create --data ./data --name ci --tenant shop \\
                --scope tables:read --scope tables:write --scope publish
              fingerpost keys list --data ./data
              fingerpost keys revoke 3f9a0c1b2d4e --data ./data

            create, list and revoke work on a directory that no process uses, or through a running server's control \
            socket. rotate uses the admin API.
            """,
        subcommands: [Create.self, List.self, Rotate.self, Revoke.self]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a key and print it. It is shown only once; the server stores only a hash.",
            discussion: """
                EXAMPLES
                  fingerpost keys create --data ./data --name ci --tenant shop \\
                    --scope tables:read --scope tables:write --scope publish
                  fingerpost keys create --data ./data --name blog --tenant blogs \\
                    --scope tables:read --scope tables:write --scope publish \\
                    --path-prefix /blog/
                  fingerpost keys create --name ops --scope admin --init   # before a start

                'fingerpost apply' needs tables:read, tables:write and publish; a change of the settings and a new \
                tenant need admin. tables:read suffices for 'fingerpost plan' and 'pull'.
                Scopes: \(KeyGrant.Scope.allCases.map(\.rawValue).joined(separator: ", ")); admin includes all of them.
                Without --tenant, the key is for all tenants, and --scope is required. Standard output has only the \
                key; standard error says what it may do.
                """
        )

        @ArgumentParser.Option(help: "The data directory.") var data = "data"
        @Flag(name: .customLong("init"), help: "Create the data directory if there is none.") var creates = false
        @ArgumentParser.Option(help: "A label that says whose key it is.") var name = "admin"
        @ArgumentParser.Option(help: "The tenant that the key is for (default: all).") var tenant: String?
        @ArgumentParser.Option(help: "A scope; may be repeated (default with --tenant: admin).") var scope: [String] =
            []
        @ArgumentParser.Option(help: "An environment that the key is for; may be repeated (default: all).")
        var environment: [String] = []
        @ArgumentParser.Option(help: "Write only routes of this owner; may be repeated.") var owner: [String] = []
        @ArgumentParser.Option(help: "Write only routes below this path, such as /blog/; may be repeated.")
        var pathPrefix: [String] = []
        @ArgumentParser.Option(
            help: "When the key expires: a time such as 2030-01-31T18:00:00Z, or a date, which is its start in UTC."
        )
        var expires: String?

        func validate() throws {
            if let text = scope.first(where: { KeyGrant.Scope(rawValue: $0) == nil }) {
                let parts = text.split { $0 == "," || $0.isWhitespace }
                if parts.count > 1, parts.allSatisfy({ KeyGrant.Scope(rawValue: String($0)) != nil }) {
                    let options = parts.map { "--scope \($0)" }.joined(separator: " ")
                    throw ValidationError("'\(text)' is several scopes; give each its own option: \(options).")
                }
                let known = KeyGrant.Scope.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("'\(text)' is not a scope; use one of: \(known).")
            }
            guard tenant != nil || !scope.isEmpty else {
                throw ValidationError(
                    "Say what the key may do: --scope admin for everything on all tenants, or --tenant NAME for one tenant."
                )
            }
            if let tenant, TenantID(tenant) == nil {
                throw ValidationError(
                    "'\(tenant)' is not a tenant id; use 1 to 64 of a-z, 0-9, '.', '_' and '-', starting with a letter or digit."
                )
            }
            if let prefix = pathPrefix.first(where: { PathPrefix($0) == nil }) {
                let example = "/\(prefix)" + (prefix.hasSuffix("/") ? "" : "/")
                let advice = PathPrefix(example) == nil ? "without { } ( ) and *, such as '/blog/'" : "'\(example)'"
                throw ValidationError("--path-prefix is '\(prefix)'; write a path of whole segments: \(advice).")
            }
            _ = try end()
        }

        /// When the key expires; nil if it does not.
        private func end() throws -> Timestamp? {
            guard let expires else { return nil }
            guard let end = Timestamp(option: expires) else {
                throw ValidationError(
                    "--expires is '\(expires)'; write a date such as 2030-01-31, or a time such as 2030-01-31T18:00:00Z."
                )
            }
            guard end > SystemClock.now() else {
                throw ValidationError("--expires is '\(expires)', which is in the past; write a later date or time.")
            }
            return end
        }

        func run() async throws {
            func list(_ texts: [String]) -> JSONNode? { texts.isEmpty ? nil : .array(texts.map(JSONNode.string)) }
            let request = JSONNode.object([
                "name": .string(name), "tenant": tenant.map(JSONNode.string),
                "scopes": list(scope) ?? .array([.string(KeyGrant.Scope.admin.rawValue)]),
                "environments": list(environment), "owners": list(owner), "pathPrefixes": list(pathPrefix),
                "expiresAt": try end().map { JSONNode.string($0.description) },
            ])
            let answer = try await DirectoryClient.open(data, for: creates ? .create : .use, readsLog: false) {
                client in
                do {
                    return try await client.send(.post, "keys", json: request).body
                } catch let refusal as AdminClient.Refusal where refusal.code == "unknown_tenant" {
                    throw fail(
                        "there is no tenant '\(tenant ?? "")'; correct the name, or create the tenant first: 'fingerpost "
                            + "apply' with a key for all tenants, which --scope admin without --tenant creates.",
                        .failed
                    )
                }
            }
            try show(newKey: answer)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List keys with their permissions and last use.",
            discussion: """
                EXAMPLE
                  fingerpost keys list --data ./data --json
                """
        )

        @ArgumentParser.Option(help: "The data directory.") var data = "data"
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let keys = try await DirectoryClient.open(data, readsLog: false) { try await $0.list("keys") }
            guard !json else { return show(.object(["keys": .array(keys)])) }
            let headers = ["key", "name", "tenant", "scopes", "environments", "routes", "end", "use", "creator"]
            show(TextColumns(keys.map { KeyGrantText($0).cells }, under: headers))
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a replacement for a key. The old key stays valid for a grace period.",
            discussion: """
                EXAMPLE
                  fingerpost keys rotate 3f9a0c1b2d4e --grace-hours 24

                Needs a server, and a key with the scope keys and at least the same permissions. The new key is shown \
                only once. Keys that the old key created stay valid: for a leaked key, use 'keys revoke'.
                """
        )

        @ArgumentParser.Argument(help: "The id of the key to replace, or the whole key.") var key: String
        @ArgumentParser.Option(help: "How many hours the old key stays valid, at most 2160.") var graceHours = 24
        @OptionGroup var admin: AdminOptions

        func validate() throws {
            guard (0...2_160).contains(graceHours) else {
                throw ValidationError("--grace-hours is \(graceHours); write a number from 0 to 2160.")
            }
        }

        func run() async throws {
            let id = try namedID(key)
            let body = JSONNode.object(["graceSeconds": .int(graceHours * 3_600)])
            let client = try admin.client()
            let answer = try await reportingRefusals {
                try await client.send(.post, "keys/\(id)/rotate", json: body).body
            }
            try show(newKey: answer)
            // The key of this command may just have ended.
            let created = (try? await client.keys(createdBy: id)) ?? []
            let others = created.filter { $0 != answer["id"]?.text }
            if !others.isEmpty { warn("  keys that the old one created stay valid: \(others.joined(separator: ", "))") }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke a key and all keys that it created, effective immediately.",
            discussion: """
                EXAMPLES
                  fingerpost keys revoke 3f9a0c1b2d4e --data ./data
                  fingerpost keys revoke 3f9a0c1b2d4e --alone   # keeps keys that it created
                  fingerpost keys revoke "$LEAKED" --data ./data   # a whole key

                If a key rotated itself, it created the new key. Revoke the old key with --alone to keep the new one. Do not \
                use --alone for a leaked key: others may have created keys with it.
                """
        )

        @ArgumentParser.Argument(help: "The key's id, the twelve characters before its secret; or the whole key.")
        var key: String
        @ArgumentParser.Option(help: "The data directory.") var data = "data"
        @Flag(help: "Revoke only this key, not the keys that it created.") var alone = false

        func run() async throws {
            let id = try namedID(key)
            let (answer, kept) = try await DirectoryClient.open(data, readsLog: false) { client in
                do {
                    let query = alone ? [("withChildren", "false")] : []
                    let answer = try await client.send(.delete, "keys/\(id)", query: query).body
                    return (answer, alone ? try await client.keys(createdBy: id) : [])
                } catch let refusal as AdminClient.Refusal where refusal.code == "unknown_key" {
                    throw fail("there is no key '\(id)'; list them with 'fingerpost keys list'.", .failed)
                }
            }
            show("\(id): revoked since \(answer["revokedAt"]?.text ?? "now")")
            let others = (answer["endedKeys"]?.elements ?? []).compactMap(\.text)
            if !others.isEmpty { show("revoked with it: \(others.joined(separator: ", "))") }
            if !kept.isEmpty { show("keys that it created stay valid: \(kept.joined(separator: ", "))") }
        }
    }
}

extension AdminClient {
    /// Returns the ids of the valid keys that a key created.
    fileprivate func keys(createdBy id: KeyID) async throws -> [String] {
        let now = SystemClock.now().description
        return try await list("keys").compactMap { key in
            guard key["createdBy"]?.text == id.rawValue, key["revokedAt"]?.text == nil,
                key["expiresAt"]?.text.map({ $0 > now }) ?? true
            else { return nil }
            return key["id"]?.text
        }
    }
}

/// Returns the id of a key that a person names. The message about any other text does not repeat it: it may be a secret.
private func namedID(_ key: String) throws -> KeyID {
    guard let id = KeyID(named: key) else {
        throw fail(
            "this is neither the id of a key, which has twelve letters and digits, nor a whole key; 'fingerpost keys list' "
                + "lists the ids.",
            .failed
        )
    }
    return id
}

/// Prints a key on standard output, where scripts read it, and then what it may do on standard error.
private func show(newKey answer: JSONNode) throws {
    show(answer["key"]?.text ?? "")
    try StandardOutput.flush()
    KeyGrantText(answer).lines.forEach(warn)
}
