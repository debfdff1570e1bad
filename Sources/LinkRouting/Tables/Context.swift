/// What the caller of a resolution knows about itself. A fact that is nil is unknown: a condition on it does not hold,
/// and neither does its negation.
public struct Context: Sendable, Hashable {
    /// The app that asks, or the one that a click would open; nil means the tenant's first app of the platform.
    public var app: AppID?
    public var platform: Platform?
    public var device: Device?
    public var osVersion: Version?
    public var appVersion: Version?
    public var appBuild: Int64?
    /// Whether the app is on the device. A caller inside the app is installed; a click in a browser is not known to be.
    public var installed: Bool
    /// Language ranges, best first; empty is unknown.
    public var locale: [LanguageTag]
    /// ISO 3166-1 alpha-2, compared without regard to ASCII case.
    public var country: String?
    public var authenticated: Bool?
    /// Whatever else the caller knows; booleans and numbers as their text.
    public var traits: [String: [String]]
    /// Stands for one install or person across calls; decides rollouts and variants.
    public var stickyKey: String?
    public var inAppBrowser: Bool?
    /// The instant at which `time` conditions are judged. The server sets its own clock; suites and offline runs choose.
    public var now: Timestamp?

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

extension Context {
    /// What the caller says of a trait of exactly this name.
    func trait(_ name: String) -> [String]? {
        traits.index(forKey: name).flatMap { traits[$0].key.isExactly(name) ? traits[$0].value : nil }
    }
}
