import Foundation
import LinkRouting
import ScreenCode
import Testing

/// A tenant's table with what says which links are the tenant's.
struct TenantTable {
    let tenant: TenantID
    let identity: Identity
    let table: RouteTable

    /// Reads a tenant file in JSON. With settings, the table must have no errors.
    init(_ text: String) throws {
        let limits = JSONReader.Limits(maximumBytes: 1 << 20, maximumDepth: 64, maximumValues: 100_000)
        let object = try DocumentField(try JSONReader.parse(text, limits: limits), path: "").anyObject()
        tenant = try #require(try object["tenant"]?.identifier(TenantID.self) ?? TenantID("local"))
        identity = try object["settings"].map { settings in try Identity(try settings.anyObject()) } ?? Identity()
        table = try RouteTable(try object.required("table"))
        guard object["settings"] != nil else { return }
        #expect(table.check(for: identity).filter { $0.severity == .error } == [])
    }
}

/// Tables of the tests, and the files with the expected code.
enum Tables {
    static let directory = URL(filePath: #filePath).deletingLastPathComponent()

    /// The table whose code is in `Expected` and `Generated`. It has every type of argument, and names that need care in
    /// generated code: names of types and words of the languages, other letters, no letters, digits and punctuation, and
    /// texts that literals and comments escape.
    static func awkward() throws -> TenantTable {
        try TenantTable(try String(contentsOf: directory.appending(path: "Expected/awkward.json"), encoding: .utf8))
    }

    static func code(_ language: ScreenLanguage, of source: TenantTable) throws -> String {
        try code(language, tenant: source.tenant, table: source.table)
    }

    static func code(_ language: ScreenLanguage, tenant: TenantID, table: RouteTable) throws -> String {
        try ScreenCatalog(tenant: tenant, table: table)
            .code(in: language, ScreenCodeOptions(tenant: tenant, package: "com.example.links"))
    }

    /// The screens of routes in JSON.
    static func inferred(_ routes: String, defaults: String = "{}") throws -> ScreenCatalog {
        let source = try TenantTable(#"{"table": {"defaults": \#(defaults), "routes": [\#(routes)]}}"#)
        return ScreenCatalog(tenant: source.tenant, table: source.table)
    }
}
