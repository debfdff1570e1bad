/// The part of a tenant's settings that routing needs: what it owns and where its links may lead.
public struct Identity: Sendable, Hashable {
    public var domains: [Domain] { didSet { domainIndex = HostIndex(domains) } }
    private(set) var domainIndex: HostIndex
    /// The first one is used to build URIs.
    public var schemes: [Scheme]
    /// The first app of a platform is the default where the caller names none.
    public var apps: [RegisteredApp]
    public var destinations: DestinationPolicy
    public var association: AssociationPolicy
    /// What may be changed in links before they are compared with routes.
    public var links: LinkReading

    public init(
        domains: [Domain] = [],
        schemes: [Scheme] = [],
        apps: [RegisteredApp] = [],
        destinations: DestinationPolicy? = nil,
        association: AssociationPolicy = AssociationPolicy(),
        links: LinkReading = []
    ) {
        self.domains = domains
        domainIndex = HostIndex(domains)
        self.schemes = schemes
        self.apps = apps
        self.destinations = destinations ?? DestinationPolicy(ownOf: domains, schemes)
        self.association = association
        self.links = links
    }
}

/// A host that one tenant owns on a server.
public struct Domain: Sendable, Hashable {
    /// In lookup form without `*.`: lower case, A-labels, no trailing dot.
    public var host: String
    /// The same host in lower-case Unicode; equal to `host` if it is ASCII.
    public var unicodeHost: String
    /// Whether the domain is `*.host`: every subdomain, but not the host itself.
    public var coversSubdomains: Bool
    /// The port, if the domain is listed with one; nil for the scheme's default port.
    public var port: UInt16?
    public var serves: Serves

    var name: HostName { HostName(ascii: host, unicode: unicodeHost) }

    public enum Serves: String, Sendable, CaseIterable {
        /// The server answers clicks on the host's links.
        case links
        /// The host serves a website. Only its two association files come from here.
        case association
    }

    public init(host: String, unicodeHost: String, coversSubdomains: Bool, port: UInt16?, serves: Serves) {
        self.host = host
        self.unicodeHost = unicodeHost
        self.coversSubdomains = coversSubdomains
        self.port = port
        self.serves = serves
    }
}

/// A custom URL scheme that one (tenant, environment) owns on a server.
public struct Scheme: Sendable, Hashable {
    /// Lower case.
    public var name: String
    public var hosts: Hosts

    public enum Hosts: Sendable, Hashable {
        /// The host is the first path segment.
        case segment
        case ignored
        /// These hosts are ignored (ASCII case-insensitively); any other host is the first path segment.
        case ignoring([String])
    }

    public init(name: String, hosts: Hosts = .segment) {
        self.name = name
        self.hosts = hosts
    }
}

/// An app as identified by stores and operating systems.
public struct RegisteredApp: Sendable, Hashable {
    public var id: AppID
    public var product: Product
    public var kind: Kind
    public var stores: [Store]
    /// The hosts whose association files list the app, in the form of `Domain.host` (with `*.` in front for
    /// subdomains); nil for all of the tenant's hosts.
    public var domains: Set<String>?
    /// The environments of the tenant that the app belongs to; nil for all.
    public var environments: Set<EnvironmentID>?

    public enum Product: Sendable, Hashable {
        case ios(teamID: String, bundleID: String)
        /// SHA-256 fingerprints as 32 upper-case pairs with colons.
        case android(package: String, fingerprints: [String])
    }

    public enum Kind: String, Sendable, CaseIterable {
        case app, clip
    }

    public struct Store: Sendable, Hashable {
        public var kind: Kind
        public var id: String
        /// The App Store's token of the provider, by which it counts campaigns.
        public var providerToken: String?

        public enum Kind: String, Sendable, CaseIterable {
            case appStore, playStore
        }

        public init(kind: Kind, id: String, providerToken: String? = nil) {
            self.kind = kind
            self.id = id
            self.providerToken = providerToken
        }
    }

    public var platform: Platform {
        switch product {
        case .ios: .ios
        case .android: .android
        }
    }

    public init(
        id: AppID,
        product: Product,
        kind: Kind = .app,
        stores: [Store] = [],
        domains: Set<String>? = nil,
        environments: Set<EnvironmentID>? = nil
    ) {
        self.id = id
        self.product = product
        self.kind = kind
        self.stores = stores
        self.domains = domains
        self.environments = environments
    }

    /// Whether the app belongs to an environment.
    public func isPart(of environment: EnvironmentID) -> Bool { environments?.contains(environment) ?? true }
}

/// The schemes and hosts that a tenant's links may lead to.
public struct DestinationPolicy: Sendable, Hashable {
    /// Lower case.
    public var schemes: Set<String>
    public var hosts: [Host] { didSet { hostIndex = HostIndex(hosts) } }
    private var hostIndex: HostIndex
    /// Whether web pages may use `http`; otherwise only `https`.
    public var allowsPlainHTTP: Bool

    public enum Host: Sendable, Hashable {
        case exact(HostName)
        /// Every subdomain of the host, but not the host itself.
        case subdomains(of: HostName)
    }

    public init(schemes: Set<String>, hosts: [Host], allowsPlainHTTP: Bool = false) {
        self.schemes = schemes
        self.hosts = hosts
        hostIndex = HostIndex(hosts)
        self.allowsPlainHTTP = allowsPlainHTTP
    }

    /// The default policy: the domains and schemes that the tenant owns.
    public init(ownOf domains: [Domain], _ schemes: [Scheme]) {
        self.init(
            schemes: Set(schemes.map(\.name)),
            hosts: domains.map { $0.coversSubdomains ? .subdomains(of: $0.name) : .exact($0.name) }
        )
    }

    /// Whether a web link may lead to `host`, which is in lookup form.
    public func allows(host: String) -> Bool { hostIndex.index(of: host, port: nil) != nil }
}
