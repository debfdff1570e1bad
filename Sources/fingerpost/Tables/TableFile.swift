import Foundation
import LinkCatalog
import LinkRouting

/// A tenant's file, as it is kept in git.
struct TableFile {
    let path: String
    let tenant: TenantID
    let settings: JSONNode?
    let table: JSONNode?

    /// - Parameter tenant: For a file that does not say whose it is.
    init(_ path: String, tenant: String?) throws {
        self.path = path
        do {
            let document = try TenantDocument(try readText(path))
            guard let id = document.tenant ?? tenant.flatMap({ TenantID($0) }) else {
                throw fail(
                    "\(path) does not say whose table it is: add 'tenant: NAME', or name it with --tenant.",
                    .unreadableInput
                )
            }
            guard tenant == nil || document.tenant == nil || document.tenant?.rawValue == tenant else {
                throw fail("\(path) is a file of '\(id)', not of '\(tenant ?? "")'.", .unreadableInput)
            }
            self.tenant = id
            settings = document.settings
            table = document.table
        } catch let error as DocumentError {
            throw fail("\(path): \(error.description)", .unreadableInput)
        }
    }

    /// Both, as the plan endpoint takes them.
    var document: JSONNode { .object(["settings": settings, "table": table]) }
}
