package import LinkRouting

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The compiled table of one tenant in one environment. It is a class so that each resolution carries a single
/// reference.
package final class PublishedTable: Sendable {
    package let tenant: TenantID
    package let environment: EnvironmentID
    /// Nil until a first table is published. Every link of the tenant is unmatched until then.
    package let revision: Revision?
    package let settingsRevision: Int64
    package let settings: Settings
    /// The key under which installs are recorded; nil when the settings do not record installs.
    package let installKey: Data?
    package let router: Router
    /// The routes that follow short links.
    package let shortLinkRoutes: [Route]
    /// The routes for browsers of other apps, which decide themselves where their clicks lead.
    package let routesForInAppBrowsers: Set<RouteID>
    /// Whether rollouts or experiments depend on a sticky key.
    package let hasSplits: Bool
    /// The literal segments of the table's patterns, which reveal nothing about a caller.
    package let literalSegments: Set<ArraySlice<UInt8>>
    /// The maximum number of steps of a lookup; see `Router.maximumSteps`.
    package let worstCaseSteps: Int

    package init(
        tenant: TenantID,
        environment: EnvironmentID,
        revision: Revision?,
        settingsRevision: Int64,
        settings: Settings,
        installKey: Data? = nil,
        table: RouteTable
    ) {
        self.tenant = tenant
        self.environment = environment
        self.revision = revision
        self.settingsRevision = settingsRevision
        self.settings = settings
        self.installKey = settings.privacy.recordInstall ? installKey : nil
        router = Router(identity: settings.identity, table: table, environment: environment, tenant: tenant)
        shortLinkRoutes = table.routes.filter { $0.behaviour == .follow(.shortLinks) }
        routesForInAppBrowsers = Set(table.routes.lazy.filter { $0.when?.needsInAppBrowser == true }.map(\.id))
        hasSplits = table.hasSplits
        literalSegments = Set(
            table.routes.lazy.flatMap(\.path.segments).compactMap { segment in
                if case .literal(let bytes) = segment { bytes[...] } else { nil }
            }
        )
        worstCaseSteps = router.worstCaseSteps
    }
}

/// All live tables, indexed by host, scheme and tenant. It is immutable, so that a request sees one consistent revision
/// of each table.
package final class Catalog: Sendable {
    /// The tables of all tenants, including archived tenants. The indices below leave out archived tenants.
    package let tables: [PublishedTable]
    /// Stored tables that cannot be read.
    package let unreadable: [UnreadableTenant]
    private let exactHosts: [HostKey: Owner]
    /// Keyed by the host after `*.`.
    private let parentHosts: [HostKey: Owner]
    private let schemes: [String: Int]
    /// The table for the domains and schemes of each tenant: its production table.
    private let tenants: [TenantID: Int]
    /// The tables by tenant and environment, for callers that name an environment.
    private let others: [TenantEnvironment: Int]

    private struct TenantEnvironment: Hashable {
        let tenant: TenantID
        let environment: EnvironmentID
    }

    private struct HostKey: Hashable {
        let host: String
        let port: UInt16?
    }

    /// The table of a host, and what its domain serves.
    package struct Owner: Sendable {
        let table: Int
        package let serves: Domain.Serves
    }

    package init(
        _ tables: [PublishedTable] = [],
        archived: Set<TenantID> = [],
        unreadable: [UnreadableTenant] = []
    ) {
        self.tables = tables
        self.unreadable = unreadable
        var exactHosts: [HostKey: Owner] = [:]
        var parentHosts: [HostKey: Owner] = [:]
        var schemes: [String: Int] = [:]
        var tenants: [TenantID: Int] = [:]
        var others: [TenantEnvironment: Int] = [:]
        for (index, table) in tables.enumerated() where !archived.contains(table.tenant) {
            others[TenantEnvironment(tenant: table.tenant, environment: table.environment)] = index
            // Hosts belong to the tenant; its production table answers for them.
            if table.environment == .production || tenants[table.tenant] == nil { tenants[table.tenant] = index }
        }
        for (index, table) in tables.enumerated() where tenants[table.tenant] == index {
            for domain in table.settings.identity.domains {
                for host in Set([domain.host, domain.unicodeHost]) {
                    let key = HostKey(host: host, port: domain.port)
                    let owner = Owner(table: index, serves: domain.serves)
                    if domain.coversSubdomains { parentHosts[key] = owner } else { exactHosts[key] = owner }
                }
            }
            for scheme in table.settings.identity.schemes { schemes[scheme.name] = index }
        }
        self.exactHosts = exactHosts
        self.parentHosts = parentHosts
        self.schemes = schemes
        self.tenants = tenants
        self.others = others
    }

    /// Returns the table for a host in lookup form: the exact host, else the longest `*.` domain that covers it. Nil
    /// when no tenant owns it.
    package func table(forHost host: String, port: UInt16?) -> (table: PublishedTable, serves: Domain.Serves)? {
        guard let owner = owner(ofHost: host, port: port) else { return nil }
        return (tables[owner.table], owner.serves)
    }

    /// Whether a tenant has named exactly this host, without a port. `host` is in lookup form.
    package func names(host: String) -> Bool { exactHosts[HostKey(host: host, port: nil)] != nil }

    /// Returns the table whose association files a host serves. The files of `*.x` are served on `x` as well.
    package func tableForAssociation(ofHost host: String) -> PublishedTable? {
        (owner(ofHost: host, port: nil) ?? parentHosts[HostKey(host: host, port: nil)]).map { tables[$0.table] }
    }

    /// Returns the tenant's production table; nil for an unknown tenant.
    package func table(of tenant: TenantID) -> PublishedTable? { tenants[tenant].map { tables[$0] } }

    /// Nil where nothing was published.
    package func table(of tenant: TenantID, in environment: EnvironmentID) -> PublishedTable? {
        others[TenantEnvironment(tenant: tenant, environment: environment)].map { tables[$0] }
    }

    /// Returns a warning about an environment that a caller names. Nil for an environment of the tenant.
    package func warning(about environment: EnvironmentID, of tenant: TenantID) -> String? {
        guard let named = environments(of: tenant, without: environment) else { return nil }
        let hint = environment.nearest(among: named).map { "; did you mean '\($0)'?" } ?? "."
        return "'\(environment)' is not one of the tenant's environments, so no route matches\(hint)"
    }

    /// Returns the environments that the tenant's settings name. Nil if `environment` is one of the tenant's: `production`,
    /// one that its settings name, or one with a live table. Nil also for a tenant without a table.
    package func environments(of tenant: TenantID, without environment: EnvironmentID) -> Set<EnvironmentID>? {
        guard environment != .production, table(of: tenant, in: environment) == nil, let table = table(of: tenant)
        else {
            return nil
        }
        let named = table.settings.namedEnvironments
        return named.contains(environment) ? nil : named
    }

    /// Returns the table of the tenant that owns the link's host or scheme; nil when no tenant owns it.
    package func table(for link: DeepLink) -> PublishedTable? {
        guard let host = link.host else { return schemes[link.scheme].map { tables[$0] } }
        return owner(ofHost: host, port: link.port).map { tables[$0.table] }
    }

    private func owner(ofHost host: String, port: UInt16?) -> Owner? {
        if let owner = exactHosts[HostKey(host: host, port: port)] { return owner }
        guard !parentHosts.isEmpty else { return nil }
        return HostName.parents(of: host).lazy.compactMap { parentHosts[HostKey(host: String($0), port: port)] }.first
    }

    /// Parses the text of a link, and finds the table that answers it. A link that is rejected belongs to the tenant that
    /// would own it, if its host or scheme could be read.
    package func locate(_ text: String, in environment: EnvironmentID = .production) -> LocatedLink {
        let parsed: Result<DeepLink, DeepLink.Rejection>
        let owner: PublishedTable?
        var text = text
        do {
            let link = try DeepLink.parse(text)
            // Without the white space around it.
            if link.bytes.count != text.utf8.count { text = link.text }
            (parsed, owner) = (.success(link), table(for: link))
        } catch {
            parsed = .failure(error)
            owner =
                error.host.flatMap { table(forHost: $0, port: error.port)?.table }
                ?? error.scheme.flatMap { schemes[$0] }.map { tables[$0] }
        }
        return LocatedLink(text: text, parsed: parsed, table: owner.map { table(of: $0, in: environment) })
    }

    /// Resolves the text of a link. Synchronous, without I/O.
    package func resolve(
        _ text: String,
        in context: LinkContext,
        environment: EnvironmentID = .production,
        explanation: Router.Explanation
    ) -> CatalogResolution {
        locate(text, in: environment).resolve(in: context, explanation: explanation)
    }

    /// Returns the owner's table in an environment; an empty table where nothing was published.
    private func table(of owner: PublishedTable, in environment: EnvironmentID) -> PublishedTable {
        guard owner.environment != environment else { return owner }
        return table(of: owner.tenant, in: environment)
            ?? PublishedTable(
                tenant: owner.tenant,
                environment: environment,
                revision: nil,
                settingsRevision: owner.settingsRevision,
                settings: owner.settings,
                installKey: owner.installKey,
                table: RouteTable()
            )
    }
}

/// The text of a link and the table that answers it, before the link is resolved.
package struct LocatedLink: Sendable {
    package let text: String
    package let parsed: Result<DeepLink, DeepLink.Rejection>
    /// Nil when no tenant owns the link.
    package let table: PublishedTable?

    package var tenant: TenantID { table?.tenant ?? .none }
    /// The maximum number of steps of its lookup.
    package var worstCaseSteps: Int { table?.worstCaseSteps ?? 0 }

    /// Resolves the link; unmatched when no tenant owns it.
    package func resolve(in context: LinkContext, explanation: Router.Explanation) -> CatalogResolution {
        switch parsed {
        case .failure(let rejection):
            CatalogResolution(link: nil, table: table, resolution: .rejected(rejection))
        case .success(let link):
            CatalogResolution(
                link: link,
                table: table,
                resolution: table?.router.resolve(link, in: context, explanation: explanation)
                    ?? Resolution(outcome: .unmatched)
            )
        }
    }
}

/// A resolution and the table that produced it.
package struct CatalogResolution: Sendable {
    /// Nil when the text was rejected.
    package let link: DeepLink?
    /// Nil when no tenant owns the link.
    package let table: PublishedTable?
    package var resolution: Resolution

    package init(link: DeepLink?, table: PublishedTable?, resolution: Resolution) {
        self.link = link
        self.table = table
        self.resolution = resolution
    }

    package var tenant: TenantID { table?.tenant ?? .none }
    package var environment: EnvironmentID { table?.environment ?? .production }
}

extension EnvironmentID {
    /// Returns the known environment that was probably meant: the nearest by spelling, or the only one that begins like
    /// this one, such as `production` for `prod`.
    package func nearest(among known: Set<EnvironmentID>) -> EnvironmentID? {
        if let near = rawValue.nearest(among: known.map(\.rawValue).sorted()) { return EnvironmentID(near) }
        let longer = known.filter { $0.rawValue.hasPrefix(rawValue) }
        return longer.count == 1 ? longer.first : nil
    }
}

extension Condition {
    /// Whether the condition holds only in the browser of another app.
    fileprivate var needsInAppBrowser: Bool {
        switch self {
        case .inAppBrowser(let isNeeded): isNeeded
        case .not(.inAppBrowser(let isExcluded)): !isExcluded
        case .all(let conditions): conditions.contains(where: \.needsInAppBrowser)
        case .any(let conditions): !conditions.isEmpty && conditions.allSatisfy(\.needsInAppBrowser)
        default: false
        }
    }
}
