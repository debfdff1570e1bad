import Examples
import Foundation
import LinkCatalog
import LinkRouting
import ScreenCode
import Testing

/// Tables of the tests, and the files with the expected code.
enum Tables {
    static let directory = URL(filePath: #filePath).deletingLastPathComponent()

    static func table(_ text: String) throws -> (tenant: TenantID, table: RouteTable) {
        let document = try TenantDocument(text)
        let checked = document.checked()
        #expect(checked.findings.filter { $0.severity == .error } == [])
        return (try #require(document.tenant ?? TenantID("local")), try #require(checked.table))
    }

    /// The table whose code is in `Expected` and `Generated`.
    static func awkward() throws -> (tenant: TenantID, table: RouteTable) {
        try table(try String(contentsOf: directory.appending(path: "Expected/awkward.yaml"), encoding: .utf8))
    }

    static func code(_ language: ScreenLanguage, of source: (tenant: TenantID, table: RouteTable)) throws -> String {
        try ScreenCatalog(tenant: source.tenant, table: source.table)
            .code(in: language, ScreenCodeOptions(tenant: source.tenant, package: "com.example.links"))
    }

    /// The routes as JSON, below a tenant without settings.
    static func inferred(_ routes: String, defaults: String = "{}") throws -> ScreenCatalog {
        let (tenant, table) = try table(#"{"defaults": \#(defaults), "routes": [\#(routes)]}"#)
        return ScreenCatalog(tenant: tenant, table: table)
    }
}
