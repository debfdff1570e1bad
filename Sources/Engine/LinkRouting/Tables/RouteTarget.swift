/// The destination of a route, or of the table's fallback.
public struct RouteTarget: Sendable, Hashable {
    /// The place in the app; nil sends the link to the web.
    @Boxed public var open: Open?
    @Boxed public var web: WebTarget?
    @Boxed public var store: StoreTarget?
    /// The minimum version by app. An app that is not named has none.
    @Boxed public var minimumVersion: MinimumVersion?
    public var forward: Forwarding
    /// JSON for the app, passed through; at most 4 KiB of text.
    @Boxed public var data: JSONNode?
    @Boxed public var campaign: Template?
    public var signIn: SignIn
    /// For a fallback only: whether links that fall back may open the app from outside (AASA, assetlinks).
    public var association: Association

    public enum SignIn: Sendable, Hashable {
        case optional, required
    }

    public enum Association: Sendable, Hashable {
        case closed, open
    }

    public init(
        open: Open? = nil,
        web: WebTarget? = nil,
        store: StoreTarget? = nil,
        minimumVersion: MinimumVersion? = nil,
        signIn: SignIn = .optional,
        forward: Forwarding = .all,
        data: JSONNode? = nil,
        campaign: Template? = nil,
        association: Association = .closed
    ) {
        self.open = open
        self.web = web
        self.store = store
        self.minimumVersion = minimumVersion
        self.signIn = signIn
        self.forward = forward
        self.data = data
        self.campaign = campaign
        self.association = association
    }
}

/// A place in the app: a screen, its arguments, and the screens beneath it.
public struct Open: Sendable, Hashable {
    public var screen: String
    public var arguments: [Argument]
    /// The screens beneath, from the bottom up. An entry with the name of `screen` and no arguments takes the screen's
    /// arguments.
    public var stack: [Screen]
    /// Overrides the URI that is built from the link.
    @Boxed public var uri: URLTemplate?

    public struct Argument: Sendable, Hashable {
        public var name: String
        public var value: ArgumentTemplate

        public init(name: String, value: ArgumentTemplate) {
            self.name = name
            self.value = value
        }
    }

    public struct Screen: Sendable, Hashable {
        public var name: String
        public var arguments: [Argument]

        public init(name: String, arguments: [Argument] = []) {
            self.name = name
            self.arguments = arguments
        }
    }

    public init(screen: String, arguments: [Argument] = [], stack: [Screen] = [], uri: URLTemplate? = nil) {
        self.screen = screen
        self.arguments = arguments
        self.stack = stack
        self.uri = uri
    }
}

/// The value of one argument.
public enum ArgumentTemplate: Sendable, Hashable {
    /// Text with placeholders. A template of exactly one parameter keeps that parameter's JSON type.
    case template(Template)
    /// A constant JSON value.
    indirect case constant(JSONNode)
}

/// Web pages by platform and device of the caller.
public struct WebTarget: Sendable, Hashable {
    @Boxed public var ios: URLTemplate?
    @Boxed public var ipad: URLTemplate?
    @Boxed public var android: URLTemplate?
    @Boxed public var desktop: URLTemplate?
    /// For callers without a more specific page.
    @Boxed public var `default`: URLTemplate?

    public init(
        ios: URLTemplate? = nil,
        ipad: URLTemplate? = nil,
        android: URLTemplate? = nil,
        desktop: URLTemplate? = nil,
        default: URLTemplate? = nil
    ) {
        self.ios = ios
        self.ipad = ipad
        self.android = android
        self.desktop = desktop
        self.default = `default`
    }

    /// Every template, for checks.
    public var all: [URLTemplate] { [ios, ipad, android, desktop, `default`].compactMap(\.self) }
}

/// A store page to offer when the app is not installed.
public struct StoreTarget: Sendable, Hashable {
    public var campaign: String?

    public init(campaign: String? = nil) { self.campaign = campaign }
}

/// The minimum app version that supports the route.
public enum MinimumVersion: Sendable, Hashable {
    case everyApp(Minimum)
    case byApp([AppID: Minimum])

    public enum Minimum: Sendable, Hashable {
        case version(Version)
        case build(Int64)
    }

    /// Returns the minimum of an app; nil when it has none.
    public func minimum(for app: AppID) -> Minimum? {
        switch self {
        case .everyApp(let minimum): minimum
        case .byApp(let minimums): minimums[app]
        }
    }
}

/// The query items of the link that are forwarded. An item whose name the template sets is left out.
public enum Forwarding: Sendable, Hashable {
    /// All items, but only to the tenant's own schemes and domains, never to other hosts or stores.
    case all
    case none
    case names([String])
}

/// A split of one link between several destinations, decided by the sticky key.
public struct Experiment: Sendable, Hashable {
    public var id: String
    public var salt: String
    /// Not empty; weights are positive.
    public var variants: [Variant]

    public struct Variant: Sendable, Hashable {
        public var name: String
        public var weight: Int
        /// The variant's destination: the route's target with the parts that the variant overrides.
        public var target: RouteTarget

        public init(name: String, weight: Int, target: RouteTarget) {
            self.name = name
            self.weight = weight
            self.target = target
        }
    }

    public init(id: String, salt: String, variants: [Variant]) {
        self.id = id
        self.salt = salt
        self.variants = variants
    }
}
