public import LinkRouting

/// A tenant made from a published `apple-app-site-association` file: a route for each rule, and a report for each rule that
/// a table cannot say or answers otherwise than iOS.
///
/// Where there is no unresolved report, the table opens a link in an app exactly where iOS does by the file. That holds for
/// links as programs write them: nothing is escaped that may stand as it is, escapes are UTF-8 in upper case, and the path has
/// no empty segment, no `.` or `..`, no `*` and no escaped slash. It is decided for all such links, not sampled; each
/// report's link was put to both sides. What iOS does is what ``AppleAppSiteAssociation/decision(for:app:domain:)`` says.
public struct AssociationMigration: Sendable {
    /// `{formatVersion, tenant, settings, table}`. With unresolved reports it holds for each rule the routes that come nearest.
    public let document: JSONNode
    /// In the order of the file's text.
    public let reports: [Report]

    /// Whether the table says all that the file says.
    public var isComplete: Bool { !reports.contains(where: \.isUnresolved) }

    /// Why there is nothing to migrate, and what to do.
    public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// Migrates a file.
    /// - Parameters:
    ///   - hosts: Where the file stands, or `*.` and a host for the wildcard of an entitlement; at least one.
    ///   - app: An application identifier, such as `ABCDE12345.com.example.app`; nil migrates all that the file names.
    ///   - tenant: Nil takes a name from the first host.
    public init(
        of file: AppleAppSiteAssociation,
        hosts: [String],
        app: String? = nil,
        tenant: TenantID? = nil
    ) throws(Problem) {
        guard let host = hosts.first else { throw Problem(description: "Name the host that the file stands on.") }
        let apps = MigratedApps(file, only: app)
        guard !apps.groups.isEmpty else {
            let named = file.applinks?.details.flatMap(\.appIDs) ?? []
            guard let app, !named.isEmpty else {
                throw Problem(
                    description: "The file names no app under 'applinks.details'; there is nothing to migrate."
                )
            }
            throw Problem(description: "The file names no app '\(app)'; it names \(named.joined(separator: ", ")).")
        }
        var work = MigrationWork(file: file, apps: apps, hosts: hosts)
        let identity: Identity
        do throws(DocumentError) { identity = try work.identity() } catch {
            throw Problem(description: error.description)
        }
        work.run(identity)
        reports = (apps.reports + work.reports).enumerated().sorted { left, right in
            let places = (left.element.position, right.element.position)
            return (places.0.line, places.0.column, left.offset) < (places.1.line, places.1.column, right.offset)
        }
        .map(\.element)
        document = .object([
            "formatVersion": .int(RouteTable.formatVersion),
            "tenant": .string(tenant?.rawValue ?? MigrationNames.tenant(host)),
            "settings": work.settings, "table": .object(["routes": .array(work.routes.map(\.node))]),
        ])
    }

    /// `{"complete", "reports": […], "document"}`; see ``Report/json``.
    public var json: JSONNode {
        .object(["complete": .bool(isComplete), "reports": .array(reports.map(\.json)), "document": document])
    }
}
