import FoundationEssentials
import LinkCatalog
import LinkRouting
import TestSupport
import Testing

/// The tenants of config/examples as routers.
enum Examples {
    static let directory = Repository.file("config/examples")

    static func router(_ name: String) throws -> Router {
        let text = try String(contentsOf: directory.appending(path: "\(name).yaml"), encoding: .utf8)
        let checked = try TenantDocument(text).checked()
        return Router(identity: try #require(checked.settings?.identity), table: try #require(checked.table))
    }

    /// Builds a router from a document's settings and table.
    static func router(document text: String) throws -> Router {
        let checked = try TenantDocument("formatVersion: 1\n" + text).checked()
        #expect(!checked.findings.contains { $0.severity == .error })
        return Router(identity: try #require(checked.settings?.identity), table: try #require(checked.table))
    }
}
