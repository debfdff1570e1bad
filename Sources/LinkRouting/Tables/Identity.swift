/// What a tenant owns and allows: the part of its settings that routing needs.
public struct Identity: Sendable, Hashable {
    public var domains: [Domain] { didSet { domainIndex = HostIndex(domains) } }
    private(set) var domainIndex: HostIndex
    /// The first is the one that URIs are made with.
    public var schemes: [Scheme]
    /// The first of a platform is meant where the caller names none.
    public var apps: [App]
    public var destinations: DestinationPolicy
    public var association: AssociationPolicy

    public init(
        domains: [Domain] = [],
        schemes: [Scheme] = [],
        apps: [App] = [],
        destinations: DestinationPolicy? = nil,
        association: AssociationPolicy = AssociationPolicy()
    ) {
        self.domains = domains
        domainIndex = HostIndex(domains)
        self.schemes = schemes
        self.apps = apps
        self.destinations = destinations ?? DestinationPolicy(ownOf: domains, schemes)
        self.association = association
    }
}

/// A host that one tenant owns on a server.
public struct Domain: Sendable, Hashable {
    /// In look-up form, without `*.`: lower case, A-labels, no trailing dot.
    public var host: String
    /// The same host in lower-case Unicode; equal to `host` when it is ASCII.
    public var unicodeHost: String
    /// Whether `*.host` is meant: every subdomain, not the host itself.
    public var coversSubdomains: Bool
    /// A port other than the scheme's own, when the domain is listed with one.
    public var port: UInt16?
    public var serves: Serves

    var name: HostName { HostName(ascii: host, unicode: unicodeHost) }

    public enum Serves: String, Sendable, CaseIterable {
        /// Clicks on it are answered.
        case links
        /// The website lives there; only its two association files are supplied.
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
        /// The host is the first segment of the path.
        case segment
        case ignored
        /// These hosts are ignored, others are the first segment. ASCII case does not matter.
        case ignoring([String])
    }

    public init(name: String, hosts: Hosts = .segment) {
        self.name = name
        self.hosts = hosts
    }
}

/// An app as the stores and the operating systems know it.
public struct App: Sendable, Hashable {
    public var id: AppID
    public var product: Product
    public var kind: Kind
    public var stores: [Store]
    /// The hosts whose association files name the app, in the form of `Domain.host` (`*.` in front for subdomains);
    /// nil means all of the tenant's.
    public var domains: Set<String>?
    public var environment: EnvironmentID

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

        public enum Kind: String, Sendable, CaseIterable {
            case appStore, playStore
        }

        public init(kind: Kind, id: String) {
            self.kind = kind
            self.id = id
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
        environment: EnvironmentID = .production
    ) {
        self.id = id
        self.product = product
        self.kind = kind
        self.stores = stores
        self.domains = domains
        self.environment = environment
    }
}

/// Where the tenant's links may lead.
public struct DestinationPolicy: Sendable, Hashable {
    /// Lower case.
    public var schemes: Set<String>
    public var hosts: [Host] { didSet { hostIndex = HostIndex(hosts) } }
    private var hostIndex: HostIndex
    /// Whether a web page may be `http`; otherwise only `https`.
    public var allowsPlainHTTP: Bool

    public enum Host: Sendable, Hashable {
        case exact(HostName)
        /// Every subdomain of the host, not the host itself.
        case subdomains(of: HostName)
    }

    public init(schemes: Set<String>, hosts: [Host], allowsPlainHTTP: Bool = false) {
        self.schemes = schemes
        self.hosts = hosts
        hostIndex = HostIndex(hosts)
        self.allowsPlainHTTP = allowsPlainHTTP
    }

    /// The default: what the tenant itself owns.
    public init(ownOf domains: [Domain], _ schemes: [Scheme]) {
        self.init(
            schemes: Set(schemes.map(\.name)),
            hosts: domains.map { $0.coversSubdomains ? .subdomains(of: $0.name) : .exact($0.name) }
        )
    }

    /// Whether a web link may go to `host`, which is in look-up form.
    public func allows(host: String) -> Bool { hostIndex.place(of: host, port: nil) != nil }

    /// Schemes that no link may ever lead to, whatever the settings say.
    public static let forbiddenSchemes: Set<String> = [
        "javascript", "data", "vbscript", "file", "blob", "about", "filesystem", "content", "intent", "view-source",
        "jar", "ws", "wss", "ftp", "android-app", "chrome", "resource",
    ]
    /// Schemes that belong to the system: a link may lead there if the settings allow it, a tenant can never own one.
    public static let unownableSchemes: Set<String> = forbiddenSchemes.union([
        "http", "https", "tel", "sms", "mailto", "facetime", "itms-services", "shortcuts",
    ])
}
