import Foundation
import LinkCatalog
import LinkRouting

/// A tenant's file, as it is kept in git.
struct TableFile {
    let path: String
    let tenant: TenantID
    let settings: JSONNode?
    let table: JSONNode?
    /// The revision that the file was pulled as.
    let basedOn: Int64?

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
            basedOn = document.basedOn?.rawValue
        } catch let error as DocumentError {
            throw fail("\(path): \(error.description)", .unreadableInput)
        }
    }

    /// As the plan endpoint takes it, with suites that are to be stored.
    func wish(_ suites: [(name: String, text: String)]) -> JSONNode {
        let texts = suites.map { JSONNode.Member($0.name, .string($0.text)) }
        return .object([
            "basedOn": basedOn.map { .int($0) }, "settings": settings, "table": table,
            "suites": JSONNode(.object(texts)),
        ])
    }
}
