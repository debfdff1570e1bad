public import LinkRouting

/// A tenant made from a published `apple-app-site-association` file: routes for each rule, and a report for each rule
/// that a table cannot express or for which it differs from iOS.
///
/// If no report is unresolved, the table opens a link in an app if and only if iOS does so by the file. This holds for
/// links as programs write them: nothing is escaped that may stand unescaped, escapes are UTF-8 in upper case, and the
/// path has no empty segment, no `.` or `..`, no `*` and no escaped slash. It is decided for all such links, not
/// sampled. The link of each report was evaluated on both sides. ``AppleAppSiteAssociation/decision(for:app:domain:)``
/// defines the behaviour of iOS.
public struct AssociationMigration: Sendable {
    /// The document `{formatVersion, tenant, settings, table}`. A rule with an unresolved report has the nearest
    /// routes.
    public let document: JSONNode
    /// The reports in the order of the file.
    public let reports: [Report]

    /// Whether the table expresses the whole file: no report is unresolved.
    public var isComplete: Bool { !reports.contains(where: \.isUnresolved) }

    /// Why there is nothing to migrate, and the suggested correction.
    public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// Migrates a file.
    /// - Parameters:
    ///   - hosts: The hosts of the file, or `*.` and a host for the wildcard of an entitlement; at least one.
    ///   - app: An application identifier, such as `ABCDE12345.com.example.app`; nil migrates all apps of the file.
    ///   - tenant: The tenant's id; nil derives one from the first host.
    /// - Throws: ``Problem`` if `hosts` is empty or invalid, or if the file does not name the app or names none.
    public init(
        of file: AppleAppSiteAssociation,
        hosts: [String],
        app: String? = nil,
        tenant: TenantID? = nil
    ) throws(Problem) {
        guard let host = hosts.first else { throw Problem(description: "Name the host that serves the file.") }
        let apps = MigratedApps(file, only: app)
        guard !apps.groups.isEmpty else {
            guard file.root.elements == nil else {
                throw Problem(
                    description: "This is an assetlinks.json, which has no routes; list its packages and fingerprints "
                        + "under 'apps' in the settings."
                )
            }
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

    /// The migration as JSON: `{"complete", "reports": […], "document"}`. See ``Report/json``.
    public var json: JSONNode {
        .object(["complete": .bool(isComplete), "reports": .array(reports.map(\.json)), "document": document])
    }
}
