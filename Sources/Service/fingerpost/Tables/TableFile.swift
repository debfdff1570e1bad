import Foundation
import LinkCatalog
package import LinkRouting

/// A tenant's file, typically kept in git.
package struct TableFile {
    package let path: String
    package let tenant: TenantID
    package let settings: JSONNode?
    package let table: JSONNode?
    /// The revision that the file was pulled from; nil if the file does not say.
    package let basedOn: Int64?
    /// The ids of the owner's routes, if the file is limited to an owner; nil otherwise.
    let ownRoutes: Set<String>?

    init(
        path: String,
        tenant: TenantID,
        settings: JSONNode?,
        table: JSONNode?,
        basedOn: Int64?,
        ownRoutes: Set<String>?
    ) {
        self.path = path
        self.tenant = tenant
        self.settings = settings
        self.table = table
        self.basedOn = basedOn
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
        } catch let error as DocumentError {
            throw fail("\(path): \(error.description)", .unreadableInput)
        }
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
