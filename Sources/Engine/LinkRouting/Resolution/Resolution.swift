/// The answer for one link: outcome, action and destination.
public struct Resolution: Sendable, Hashable {
    public var outcome: Outcome
    /// Nil when the link is unmatched or rejected.
    public var action: Action?
    public var route: RouteID?
    /// The matching route's path pattern, as written.
    public var pattern: String?
    /// Typed values, in the order host, path, query, fragment.
    public var parameters: [CapturedParameter]
    /// Nil when the link is unmatched, rejected or blocked.
    @Boxed public var destination: ResolvedDestination?
    /// The app of the answer: the caller's, or the tenant's first of the platform.
    public var app: AppID?
    @Boxed public var variant: VariantAssignment?
    /// The reason for a rejected link; nil for other links.
    @Boxed public var rejection: DeepLink.Rejection?
    /// The reason for a blocked link; for people.
    public var blockReason: String?
    /// The time for which the answer may be cached, in seconds; 0 when it depends on time or sign-in.
    public var validFor: Int
    /// The reasons why routes did not match; nil unless requested.
    public var trace: ResolutionTrace?
    /// What the route follows, if the outcome is ``Outcome/undecided`` because only a server looks that up.
    @Boxed public var followed: FollowedText? = nil
    /// What the tenant's settings changed in the link.
    public var reading: LinkReading = []

    public init(
        outcome: Outcome,
        action: Action? = nil,
        route: RouteID? = nil,
        pattern: String? = nil,
        parameters: [CapturedParameter] = [],
        destination: ResolvedDestination? = nil,
        app: AppID? = nil,
        variant: VariantAssignment? = nil,
        rejection: DeepLink.Rejection? = nil,
        blockReason: String? = nil,
        validFor: Int = Self.defaultValidity,
        trace: ResolutionTrace? = nil
    ) {
        self.outcome = outcome
        self.action = action
        self.route = route
        self.pattern = pattern
        self.parameters = parameters
        _destination = Boxed(wrappedValue: destination)
        self.app = app
        _variant = Boxed(wrappedValue: variant)
        _rejection = Boxed(wrappedValue: rejection)
        self.blockReason = blockReason
        self.validFor = validFor
        self.trace = trace
    }

    /// Creates a resolution whose destination is boxed already.
    init(
        outcome: Outcome,
        action: Action,
        route: RouteID?,
        pattern: String?,
        parameters: [CapturedParameter],
        filled destination: Boxed<ResolvedDestination>,
        app: AppID?,
        variant: VariantAssignment?,
        validFor: Int
    ) {
        self.outcome = outcome
        self.action = action
        self.route = route
        self.pattern = pattern
        self.parameters = parameters
        _destination = destination
        self.app = app
        _variant = Boxed(wrappedValue: variant)
        _rejection = Boxed(wrappedValue: nil)
        self.validFor = validFor
    }

    /// Creates the resolution of a link that only a server can follow.
    init(
        following followed: FollowedText,
        route: RouteID,
        pattern: String,
        parameters: [CapturedParameter],
        app: AppID?
    ) {
        self.init(outcome: .undecided, route: route, pattern: pattern, parameters: parameters, app: app, validFor: 0)
        self.followed = followed
    }

    /// Default validity of an answer, in seconds.
    public static let defaultValidity = 300

    public static func rejected(_ rejection: DeepLink.Rejection) -> Resolution {
        Resolution(outcome: .rejected, rejection: rejection)
    }
}

/// The text in a link that leads on to another link.
public enum FollowedText: Sendable, Hashable {
    /// The code of a short link.
    ///
    /// - ignoringCase: Whether the route compares texts without regard to letter case.
    case code(String, ignoringCase: Bool)
    /// Another link, as it was captured. It may have any form.
    case link(String)
}

/// The destination of a link, with all parameters filled in.
public struct ResolvedDestination: Sendable, Hashable {
    /// The name of the app's screen, as the table has it; nil if the route opens no screen.
    public var screen: String?
    /// The arguments of ``screen``, in the order of the table. An argument whose parameter was not captured is absent.
    public var arguments: [Argument]
    /// The screens of the navigation stack, from the bottom up; empty if the route has none.
    public var stack: [Screen]
    /// The URI that opens the app.
    public var uri: String?
    /// The absolute URL of the web page; nil if there is none that the settings allow.
    public var web: String?
    /// The absolute URL of the app's page in a store, if the route offers the store or the app must be updated.
    public var store: String?
    /// The route's JSON for the app, unchanged, at most 4,096 bytes.
    public var data: JSONNode?
    /// The name of the campaign, with its parameters filled in.
    public var campaign: String?
    /// The fallback actions, in the order in which to try them.
    public var fallbacks: [Action]

    public struct Argument: Sendable, Hashable {
        public var name: String
        public var value: ArgumentValue

        public init(name: String, value: ArgumentValue) {
            self.name = name
            self.value = value
        }
    }

    public struct Screen: Sendable, Hashable {
        public var name: String
        public var arguments: [Argument]

        public init(name: String, arguments: [Argument]) {
            self.name = name
            self.arguments = arguments
        }
    }

    public init(
        screen: String? = nil,
        arguments: [Argument] = [],
        stack: [Screen] = [],
        uri: String? = nil,
        web: String? = nil,
        store: String? = nil,
        data: JSONNode? = nil,
        campaign: String? = nil,
        fallbacks: [Action] = []
    ) {
        self.screen = screen
        self.arguments = arguments
        self.stack = stack
        self.uri = uri
        self.web = web
        self.store = store
        self.data = data
        self.campaign = campaign
        self.fallbacks = fallbacks
    }
}

/// The value of one argument in an answer.
public enum ArgumentValue: Sendable, Hashable {
    case parameter(ParameterValue)
    case constant(JSONNode)
}

/// The variant of an experiment that was chosen.
public struct VariantAssignment: Sendable, Hashable {
    public var experiment: String
    public var variant: String
    /// False without a sticky key: the first variant is used and recorded as `unassigned`.
    public var isAssigned: Bool

    public init(experiment: String, variant: String, isAssigned: Bool) {
        self.experiment = experiment
        self.variant = variant
        self.isAssigned = isAssigned
    }
}

/// The reasons why routes did not match: at most 50, those with the longest matching path prefix first.
public struct ResolutionTrace: Sendable, Hashable {
    /// Maximum number of entries.
    public static let limit = 50
    /// Maximum length of what an entry expected or found, in UTF-8 bytes. A longer text ends with `…`.
    public static let maximumTextBytes = 1_024
    public var entries: [Entry]
    /// Whether more routes failed than are listed.
    public var isTruncated: Bool

    public struct Entry: Sendable, Hashable {
        public var route: RouteID
        public var failed: Failure
        /// The segment's index, from 0, or the name of the query item or condition.
        public var at: Location?
        public var parameter: String?
        public var expected: String
        /// Nil when the value is missing.
        public var found: String?

        public init(
            route: RouteID,
            failed: Failure,
            at: Location? = nil,
            parameter: String? = nil,
            expected: String,
            found: String? = nil
        ) {
            self.route = route
            self.failed = failed
            self.at = at
            self.parameter = parameter
            self.expected = expected
            self.found = found
        }
    }

    public enum Failure: String, Sendable, CaseIterable {
        case host, path, type, trailingSlash, query, fragment, when
        /// A condition on a fact that the context lacks.
        case unknown
        /// The route needs a feature that this engine lacks.
        case unsupported
    }

    public enum Location: Sendable, Hashable {
        case segment(Int)
        case name(String)
    }

    public init(entries: [Entry], isTruncated: Bool) {
        self.entries = entries
        self.isTruncated = isTruncated
    }
}
