import LinkCatalog
package import LinkEvents
package import LinkRouting
import LinkTable

/// Finds the apps that would not understand a table: the oldest one that the settings name, and those in use according
/// to the recorded events.
package struct ClientCheck: Sendable {
    private let analytics: any EventAnalytics
    private let now: @Sendable () -> Timestamp
    /// Returns the table format that an engine version reads; nil for a version that never existed.
    private let understood: @Sendable (Version) -> TableFormat?

    /// The period whose events show which apps are in use.
    private static let days: Int64 = 30
    /// Maximum number of app versions that are looked at, those with the most events first.
    private static let mostClients = 200
    private static let mostFindings = 20

    package init(analytics: any EventAnalytics, now: @escaping @Sendable () -> Timestamp) {
        self.init(analytics: analytics, now: now) { TableFormat.understood(byEngine: $0) }
    }

    init(
        analytics: any EventAnalytics,
        now: @escaping @Sendable () -> Timestamp,
        understood: @escaping @Sendable (Version) -> TableFormat?
    ) {
        self.analytics = analytics
        self.now = now
        self.understood = understood
    }

    /// Returns the findings for a table that is about to be published.
    package func findings(
        for content: JSONNode,
        of tenant: TenantID,
        in environment: EnvironmentID,
        minimum: Version?
    ) async throws -> [Finding] {
        let needs = TableNeeds(content)
        var findings = needs.findings(minimum: minimum, understood)
        for client in try await clients(of: tenant, in: environment) where findings.count < Self.mostFindings {
            guard let lack = needs.lack(of: understood(client.engine)) else { continue }
            let name = "The app \(client.app) \(client.appVersion) (engine \(client.engine), \(client.count) events)"
            findings.append(lack.finding(for: name, isMinimum: false))
        }
        return findings
    }

    /// Returns the findings that need no recorded events: whether the oldest engine that the settings name understands
    /// the table.
    package static func findings(for content: JSONNode, minimum: Version?) -> [Finding] {
        TableNeeds(content).findings(minimum: minimum) { TableFormat.understood(byEngine: $0) }
    }

    private struct Client {
        let app: String
        let appVersion: String
        let engine: Version
        let count: Int64
    }

    /// Returns the apps that reported decisions, those with the most events first.
    private func clients(of tenant: TenantID, in environment: EnvironmentID) async throws -> [Client] {
        let hour: Int64 = 3_600_000
        let end = (now().milliseconds / hour + 1) * hour
        let start = end - Self.days * Timestamp.millisecondsPerDay
        let scope = AnalyticsScope(
            tenant: tenant,
            environment: environment,
            purposes: [.live],
            edges: [start, end].map { Timestamp(milliseconds: $0) }
        )
        let query = ValuesQuery(scope: scope, dimension: .appEngine, limit: Self.mostClients)
        return try await analytics.values(query).values.compactMap { value in
            let words = value.value.split(separator: " ")
            guard words.count == 3, let engine = Version(words[2]) else { return nil }
            return Client(app: String(words[0]), appVersion: String(words[1]), engine: engine, count: value.count)
        }
    }
}

/// The features that an engine needs for a table and for its routes.
private struct TableNeeds {
    private let formatVersion: Int64
    private let features: [String]
    private let routes: [(id: String, features: [String])]

    init(_ content: JSONNode) {
        func texts(_ node: JSONNode?) -> [String] {
            node.map { ($0.elements ?? [$0]).compactMap(\.text) } ?? []
        }
        formatVersion = content["formatVersion"]?.int ?? 1
        features = texts(content["requires"])
        routes = (content["routes"]?.elements ?? []).compactMap { route in
            let features = texts(route["requires"])
            return features.isEmpty ? nil : (route["id"]?.text ?? "-", features)
        }
    }

    enum Lack {
        /// The engine refuses the table.
        case table
        /// The links of these routes are undecided.
        case routes([String])
    }

    /// Returns the parts of the table that an engine with this format cannot read; nil if it can read all of it.
    func lack(of format: TableFormat?) -> Lack? {
        guard let format, formatVersion <= format.formatVersion, format.features.isSuperset(of: features) else {
            return .table
        }
        let unread = routes.filter { !format.features.isSuperset(of: $0.features) }.map(\.id)
        return unread.isEmpty ? nil : .routes(unread)
    }

    func findings(minimum: Version?, _ understood: (Version) -> TableFormat?) -> [Finding] {
        guard let minimum, let lack = lack(of: understood(minimum)) else { return [] }
        return [lack.finding(for: "An app with engine \(minimum) ('minimumClient')", isMinimum: true)]
    }
}

extension TableNeeds.Lack {
    /// - Parameter client: The description of the app; the message begins with it.
    fileprivate func finding(for client: String, isMinimum: Bool) -> Finding {
        switch self {
        case .table:
            Finding(
                .oldClient,
                isMinimum ? .error : .warning,
                path: "table.formatVersion",
                message: "\(client) cannot read this table. It keeps its earlier table, and asks the server for the "
                    + "links that the earlier table does not decide.",
                fix: isMinimum
                    ? "Remove the features that this engine lacks, or raise 'minimumClient' in the settings."
                    : "Keep the earlier routes until the app is updated, or accept that it asks the server."
            )
        case .routes(let ids):
            Finding(
                .oldClient,
                .warning,
                path: "table.routes",
                message: "\(client) cannot decide the links of "
                    + ids.prefix(5).joined(separator: ", ")
                    + (ids.count > 5 ? " and \(ids.count - 5) more routes." : "."),
                fix: "Add a route without 'requires' for these links, or accept that such an app asks the server."
            )
        }
    }
}
