package import LinkRouting

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// One tenant's table as it is answered from in one environment; behind one reference, for every answer carries it along.
package final class PublishedTable: Sendable {
    package let tenant: TenantID
    package let environment: EnvironmentID
    /// Nil until a first table is published; then every link of the tenant is unmatched.
    package let revision: Revision?
    package let settingsRevision: Int64
    package let settings: Settings
    /// Under which installs are recorded; nil where the settings do not ask for them.
    package let installKey: Data?
    package let router: Router

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
        router = Router(identity: settings.identity, table: table, environment: environment)
    }
}

/// Everything that links are answered from: immutable, so a request sees one revision of each table, whole.
package final class Catalog: Sendable {
    package let tables: [PublishedTable]
    /// What is stored and cannot be read.
    package let unreadable: [UnreadableTenant]
    private let exactHosts: [HostKey: Owner]
    /// By the host behind `*.`.
    private let parentHosts: [HostKey: Owner]
    private let schemes: [String: Int]
    /// The table of each tenant's domains and schemes: its production one.
    private let tenants: [TenantID: Int]
    /// The tables of other environments, which a caller asks for by name.
    private let others: [Place: Int]

    private struct Place: Hashable {
        let tenant: TenantID
        let environment: EnvironmentID
    }

    private struct HostKey: Hashable {
        let host: String
        let port: UInt16?
    }

    /// A host's table and what the domain is for.
    package struct Owner: Sendable {
        let table: Int
        package let serves: Domain.Serves
    }

    package init(_ tables: [PublishedTable] = [], unreadable: [UnreadableTenant] = []) {
        self.tables = tables
        self.unreadable = unreadable
        var exactHosts: [HostKey: Owner] = [:]
        var parentHosts: [HostKey: Owner] = [:]
        var schemes: [String: Int] = [:]
        var tenants: [TenantID: Int] = [:]
        var others: [Place: Int] = [:]
        for (index, table) in tables.enumerated() {
            others[Place(tenant: table.tenant, environment: table.environment)] = index
            // Hosts belong to the tenant and are answered from its production table.
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

    /// The table that answers for a host in look-up form: the exact host, else the longest `*.` that covers it.
    package func table(forHost host: String, port: UInt16?) -> (table: PublishedTable, serves: Domain.Serves)? {
        guard let owner = owner(ofHost: host, port: port) else { return nil }
        return (tables[owner.table], owner.serves)
    }

    /// Whether a tenant has named exactly this host, without a port; it is in look-up form then.
    package func names(host: String) -> Bool { exactHosts[HostKey(host: host, port: nil)] != nil }

    /// The table whose association files a host serves: those of `*.x` also stand on `x`.
    package func tableForAssociation(ofHost host: String) -> PublishedTable? {
        (owner(ofHost: host, port: nil) ?? parentHosts[HostKey(host: host, port: nil)]).map { tables[$0.table] }
    }

    package func table(of tenant: TenantID) -> PublishedTable? { tenants[tenant].map { tables[$0] } }

    /// Nil where nothing was published there.
    package func table(of tenant: TenantID, in environment: EnvironmentID) -> PublishedTable? {
        others[Place(tenant: tenant, environment: environment)].map { tables[$0] }
    }

    /// What is wrong with an environment that a caller names; nil where it is one of the tenant's: `production`, one that its
    /// settings name, or one with a live table.
    package func warning(about environment: EnvironmentID, of tenant: TenantID) -> String? {
        guard environment != .production, table(of: tenant, in: environment) == nil, let table = table(of: tenant)
        else {
            return nil
        }
        let named = table.settings.namedEnvironments
        guard !named.contains(environment) else { return nil }
        let near = environment.rawValue.nearest(among: named.map(\.rawValue).sorted())
        let hint = near.map { "; did you mean '\($0)'?" } ?? "."
        return "'\(environment)' is none of the tenant's environments, so no route answers in it\(hint)"
    }

    package func table(for link: Link) -> PublishedTable? {
        guard let host = link.host else { return schemes[link.scheme].map { tables[$0] } }
        return owner(ofHost: host, port: link.port).map { tables[$0.table] }
    }

    private func owner(ofHost host: String, port: UInt16?) -> Owner? {
        if let owner = exactHosts[HostKey(host: host, port: port)] { return owner }
        guard !parentHosts.isEmpty else { return nil }
        return HostName.parents(of: host).lazy.compactMap { parentHosts[HostKey(host: String($0), port: port)] }.first
    }

    /// Resolves a text: synchronous, without I/O.
    package func resolve(
        _ text: String,
        in context: Context,
        environment: EnvironmentID = .production,
        explanation: Router.Explanation
    ) -> CatalogResolution {
        do {
            return resolve(try Link.parse(text), in: context, environment: environment, explanation: explanation)
        } catch {
            // A rejected link is recorded under the tenant that would own it, as far as its host and scheme could be read.
            let table =
                error.host.flatMap { self.table(forHost: $0, port: error.port)?.table }
                ?? error.scheme.flatMap { schemes[$0] }.map { tables[$0] }
            return CatalogResolution(
                link: nil,
                table: table.map { self.table(of: $0, in: environment) },
                resolution: .rejected(error)
            )
        }
    }

    package func resolve(
        _ link: Link,
        in context: Context,
        environment: EnvironmentID = .production,
        explanation: Router.Explanation
    ) -> CatalogResolution {
        guard let owner = table(for: link) else {
            return CatalogResolution(link: link, table: nil, resolution: Resolution(outcome: .unmatched))
        }
        let table = table(of: owner, in: environment)
        return CatalogResolution(
            link: link,
            table: table,
            resolution: table.router.resolve(link, in: context, explanation: explanation)
        )
    }

    /// The owner's table of an environment; where nothing was published there, an empty one.
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

/// A resolution and the table that it came from.
package struct CatalogResolution: Sendable {
    /// Nil when the text was rejected.
    package let link: Link?
    /// Nil when no tenant owns the link.
    package let table: PublishedTable?
    package var resolution: Resolution

    package init(link: Link?, table: PublishedTable?, resolution: Resolution) {
        self.link = link
        self.table = table
        self.resolution = resolution
    }

    package var tenant: TenantID { table?.tenant ?? .none }
    package var environment: EnvironmentID { table?.environment ?? .production }
}
