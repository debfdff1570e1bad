import FoundationEssentials
import LinkCatalog
import LinkRouting
import TestSupport
import Testing

/// The tenants of config/examples, read as `--demo` reads them.
enum Examples {
    static let names = ["sample", "blogs", "taxi", "shop", "magazine"]

    private static let directory = Repository.file("config/examples")

    static func text(_ file: String) throws -> String {
        try String(contentsOf: directory.appending(path: file), encoding: .utf8)
    }

    static func document(_ name: String) throws -> TenantDocument { try TenantDocument(try text("\(name).yaml")) }

    static func suite(_ name: String) throws -> LinkSuite { try LinkSuite(try text("\(name).suite.yaml")) }

    /// All five tenants in one catalog, as on a server.
    static func catalog() throws -> Catalog {
        Catalog(
            try names.map { name in
                let document = try document(name)
                let checked = document.checked()
                return PublishedTable(
                    tenant: try #require(document.tenant),
                    environment: .production,
                    revision: Revision(rawValue: 1),
                    settingsRevision: 1,
                    settings: try #require(checked.settings),
                    table: try #require(checked.table)
                )
            }
        )
    }
}
