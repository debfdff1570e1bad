import Foundation
import LinkCatalog
package import LinkRouting
import Networking

/// A tenant's file, typically kept in git.
package struct TableFile {
    package let path: String
    package let tenant: TenantID
    package let settings: JSONNode?
    package let table: JSONNode?
    /// The revision that the file was pulled from; nil if the file does not say.
    package let basedOn: Int64?
    /// The revision of the settings that the file was pulled with; nil if the file does not say.
    package let settingsBasedOn: Int64?
    /// The ids of the owner's routes, if the file is limited to an owner; nil otherwise.
    let ownRoutes: Set<String>?

    init(
        path: String,
        tenant: TenantID,
        settings: JSONNode?,
        table: JSONNode?,
        basedOn: Int64?,
        settingsBasedOn: Int64? = nil,
        ownRoutes: Set<String>?
    ) {
        self.path = path
        self.tenant = tenant
        self.settings = settings
        self.table = table
        self.basedOn = basedOn
        self.settingsBasedOn = settingsBasedOn
        self.ownRoutes = ownRoutes
    }

    /// - Parameter tenant: The tenant of a file that does not name one.
    package init(_ path: String, tenant: String?) throws {
        self.path = path
        ownRoutes = nil
        do {
            let document = try TenantDocument(try readText(path))
            guard let id = document.tenant ?? tenant.flatMap({ TenantID($0) }) else {
                throw fail(
                    "\(path) does not name its tenant: add 'tenant: NAME', or use --tenant.",
                    .unreadableInput
                )
            }
            guard tenant == nil || document.tenant == nil || document.tenant?.rawValue == tenant else {
                throw fail("\(path) belongs to tenant '\(id)', not to '\(tenant ?? "")'.", .unreadableInput)
            }
            self.tenant = id
            settings = document.settings
            table = document.table
            basedOn = document.basedOn?.rawValue
            if document.links != nil {
                warn("note: 'links' are for stub servers; a server gets short links by 'fingerpost links import'.")
            }
            settingsBasedOn = document.settingsBasedOn
        } catch let error as DocumentError {
            throw fail("\(path): \(error.description)", .unreadableInput)
        }
    }

    /// Returns the file without its settings if they are those that were pulled: what others have changed since then stays.
    ///
    /// Throws if the settings have changed both in the file and on the server.
    func settingsMerged(_ client: AdminClient) async throws -> TableFile {
        guard let settings, let settingsBasedOn else { return self }
        let live: AdminClient.Response
        let pulled: AdminClient.Response
        do {
            live = try await client.send(.get, "tenants/\(tenant)/settings")
            // The file was applied before, or others have made the same change.
            guard !TableDiff.fields(from: live.body["settings"] ?? .null, to: settings).isEmpty else {
                return withSettings(nil)
            }
            let revision = [("revision", "\(settingsBasedOn)")]
            pulled = try await client.send(.get, "tenants/\(tenant)/settings", query: revision)
        } catch let refusal as AdminClient.Refusal where refusal.code == "unknown_tenant" {
            return self
        } catch let refusal as AdminClient.Refusal where refusal.code == "unknown_revision" {
            throw fail(
                "\(path): the server does not have settings \(settingsBasedOn) (settingsBasedOn); pull the file again, or "
                    + "remove the line to replace the live settings.",
                .failed
            )
        }
        let before = pulled.body["settings"] ?? .null
        guard !TableDiff.fields(from: before, to: settings).isEmpty else { return withSettings(nil) }
        let theirs = TableDiff.fields(from: before, to: live.body["settings"] ?? .null)
        guard theirs.isEmpty else {
            throw fail(
                "\(path): the server's settings have changed since they were pulled; pull them again, and make your "
                    + "changes again:",
                .failed,
                more: theirs.map { "  \($0.path)" }
            )
        }
        return withSettings(settings, basedOn: live.eTag.flatMap { Int64($0) })
    }

    private func withSettings(_ settings: JSONNode?, basedOn revision: Int64? = nil) -> TableFile {
        TableFile(
            path: path,
            tenant: tenant,
            settings: settings,
            table: table,
            basedOn: basedOn,
            settingsBasedOn: revision,
            ownRoutes: ownRoutes
        )
    }

    /// The errors of the file's settings with their lines; nil if this version finds none.
    var failureOfSettings: CommandFailure? {
        guard let settings else { return nil }
        do {
            _ = try Settings(DocumentField(settings, path: "settings"))
            return nil
        } catch {
            let lines = error.errors.map { "\(path): \($0)" }
            return fail("the settings have errors:", .failed, more: lines)
        }
    }

    /// Returns the request body for the plan endpoint, including suites to store.
    package func planRequest(_ suites: [(name: String, text: String)]) -> JSONNode {
        let texts = suites.map { JSONNode.Member($0.name, .string($0.text)) }
        return .object([
            "basedOn": basedOn.map { .int($0) }, "settings": settings, "table": table,
            "suites": JSONNode(.object(texts)),
        ])
    }
}
