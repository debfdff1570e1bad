import AppAssociation
import LinkCatalog
import LinkRouting
import Testing

/// A file, the table that migration made from it, and both results for a link.
struct MigratedFile {
    static let host = "www.example.com"
    static let app = "ABCDE12345.com.example.app"

    let file: AppleAppSiteAssociation
    let migration: AssociationMigration
    let router: Router
    /// The findings of `fingerpost check` about the tenant.
    let findings: [Finding]

    init(_ text: String, hosts: [String] = [host]) throws {
        try self.init(AppleAppSiteAssociation(parsing: Array(text.utf8)), hosts: hosts)
    }

    init(_ file: AppleAppSiteAssociation, hosts: [String] = [host]) throws {
        self.file = file
        migration = try AssociationMigration(of: file, hosts: hosts)
        let checked = try TenantDocument(migration.document.json(.pretty)).checked()
        router = Router(identity: checked.settings?.identity ?? Identity(), table: checked.table ?? RouteTable())
        findings = checked.findings
    }

    /// A file for one app with these elements of `components` and further keys of `applinks`.
    init(components: [String], besides keys: String = "") throws {
        try self.init(
            #"{"applinks":{\#(keys)"details":[{"appIDs":["\#(Self.app)"],"components":[\#(components.joined(separator: ","))]}]}}"#
        )
    }

    init(paths: [String]) throws {
        let paths = paths.map { #""\#($0)""# }.joined(separator: ",")
        try self.init(#"{"applinks":{"apps":[],"details":[{"appID":"\#(Self.app)","paths":[\#(paths)]}]}}"#)
    }

    var paths: [String] { migration.document["table"]?["routes"]?.elements?.compactMap { $0["path"]?.text } ?? [] }

    func iosOpens(_ url: String, _ app: String = app) -> Bool {
        file.decision(for: url, app: app).outcome == .match
    }

    func tableOpens(_ url: String, _ app: String = "ios") -> Bool {
        router.resolve(url, in: LinkContext(app: AppID(app), platform: .ios)).action == .openApp
    }
}
