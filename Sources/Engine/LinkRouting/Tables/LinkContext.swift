/// The facts that the caller of a resolution provides. A nil fact is unknown: neither a condition on it nor its
/// negation holds.
public struct LinkContext: Sendable, Hashable {
    /// The app that asks, or that a click would open; nil for the tenant's first app of the platform.
    public var app: AppID?
    public var platform: Platform?
    public var device: Device?
    public var osVersion: Version?
    public var appVersion: Version?
    public var appBuild: Int64?
    /// Whether the app is installed on the device. True by default, for callers inside the app. The server sets it to
    /// false for clicks in a browser, because no header tells.
    public var installed = true
    /// Language ranges, best first; empty when unknown.
    public var locale: [LanguageTag] = []
    /// ISO 3166-1 alpha-2, compared case-insensitively (ASCII).
    public var country: String?
    public var authenticated: Bool?
    /// Further facts by name; booleans and numbers as text.
    public var traits: [String: [String]] = [:]
    /// An identifier of one install or person that is stable across calls. It decides rollouts and variants.
    public var stickyKey: String?
    public var inAppBrowser: Bool?
    /// The time at which `time` conditions are evaluated. The server sets it from its own clock; suites and offline
    /// runs choose it.
    public var now: Timestamp?

    /// Creates a context without facts.
    public init() {
        // Every message starts with this context. The initializer below would copy and destroy 14 arguments.
    }

    public init(
        app: AppID? = nil,
        platform: Platform? = nil,
        device: Device? = nil,
        osVersion: Version? = nil,
        appVersion: Version? = nil,
        appBuild: Int64? = nil,
        installed: Bool = true,
        locale: [LanguageTag] = [],
        country: String? = nil,
        authenticated: Bool? = nil,
        traits: [String: [String]] = [:],
        stickyKey: String? = nil,
        inAppBrowser: Bool? = nil,
        now: Timestamp? = nil
    ) {
        self.app = app
        self.platform = platform
        self.device = device
        self.osVersion = osVersion
        self.appVersion = appVersion
        self.appBuild = appBuild
        self.installed = installed
        self.locale = locale
        self.country = country
        self.authenticated = authenticated
        self.traits = traits
        self.stickyKey = stickyKey
        self.inAppBrowser = inAppBrowser
        self.now = now
    }
}

public enum Platform: String, Sendable, CaseIterable {
    case ios, android, macos, windows, linux, other
}

public enum Device: String, Sendable, CaseIterable {
    case phone, tablet, desktop, tv, watch, other
}

extension LinkContext {
    /// Returns the values of the trait with exactly this name (compared by bytes); nil when unknown.
    func trait(_ name: String) -> [String]? {
        traits.index(forKey: name).flatMap { traits[$0].key.isExactly(name) ? traits[$0].value : nil }
    }
}
