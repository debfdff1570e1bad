/// A finding of a check of a table or its settings.
public struct Finding: Sendable, Hashable {
    public var code: Code
    public var severity: Severity
    /// The path of the value, such as `table.routes[3].web`.
    public var path: String
    public var route: RouteID?
    public var message: String
    /// Advice on what to write instead.
    public var fix: String
    /// A link that demonstrates the finding, if there is one: resolving it gives the answer that the message describes.
    public var example: String?
    /// The other route involved, such as the one that answers instead.
    public var relatedRoute: RouteID?
    /// The position of `path` in the checked text, if there is one.
    public var position: JSONNode.Position?

    public enum Severity: String, Sendable, CaseIterable, Comparable {
        case info, warning, error

        public static func < (left: Severity, right: Severity) -> Bool {
            allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
        }
    }

    public enum Code: String, Sendable, CaseIterable {
        /// The document cannot be parsed as a table or as settings.
        case invalid
        /// Two routes match the same links and callers.
        case duplicateRoute = "duplicate_route"
        /// Earlier routes match all of a route's links.
        case unreachableRoute = "unreachable_route"
        /// The conditions of a route contradict each other.
        case neverTrue = "never_true"
        /// Two routes match the same link and caller, and only their order in the document decides.
        case overlappingRoutes = "overlapping_routes"
        /// Routes differ only in the languages of their callers, so the caller's order decides instead of the document's.
        case languageOrder = "language_order"
        /// The route's time condition has ended.
        case timeEnded = "time_ended"
        case unknownParameter = "unknown_parameter"
        /// This and the following four codes are about tables that declare their screens: a route opens a screen that is
        /// not declared.
        case unknownScreen = "unknown_screen"
        case missingArgument = "missing_argument"
        case unknownArgument = "unknown_argument"
        case mistypedArgument = "mistyped_argument"
        /// No route opens a declared screen.
        case unusedScreen = "unused_screen"
        case reservedPath = "reserved_path"
        case foreignHost = "foreign_host"
        case destinationNotAllowed = "destination_not_allowed"
        case webLoop = "web_loop"
        case unknownApp = "unknown_app"
        case missingWeb = "missing_web"
        /// A path, query or fragment is in the syntax of regular expressions or of other routers, which matches only
        /// literally.
        case foreignSyntax = "foreign_syntax"
        /// `{name}` is in a text that is no template, or without quotes in YAML.
        case literalBraces = "literal_braces"
        /// A value is valid, but probably not the one that is meant.
        case unlikelyValue = "unlikely_value"
        /// Routes have no target, neither a screen nor a page nor a store, so their links stay on the web.
        case missingTarget = "missing_target"
        /// The route leads to the store, but an app has no store page.
        case missingStore = "missing_store"
        /// Clicks of routes without a page of their own lead to the page of the table's fallback.
        case fallbackPage = "fallback_page"
        /// The tenant has one host for links, from whose pages iOS cannot open the app.
        case noSecondHost = "no_second_host"
        /// The screens of two routes have names with the same letters in another order or case.
        case similarScreen = "similar_screen"
        case unsupportedFeature = "unsupported_feature"
        /// An app in use, or the oldest one that must be supported, does not understand the table.
        case oldClient = "old_client"
        /// Short links would lead nowhere.
        case shortLinkBreaks = "short_link_breaks"
        case tooManySteps = "too_many_steps"
        /// This and the following codes are about the association files generated from the table; see AppAssociation.
        case associationTooLarge = "association_too_large"
        /// A generated file does not pass the validator of this project.
        case associationInvalid = "association_invalid"
        /// Routes open an app on a host whose association file cannot express them.
        case associationNotExpressed = "association_not_expressed"
        /// An Android app has a fingerprint of an example.
        case exampleFingerprint = "example_fingerprint"
        /// A proof would take too long, so no claim is made.
        case undecided
        /// The association files open links in an app that the table would not open.
        case associationOvermatch = "association_over_open"
    }

    public init(
        _ code: Code,
        _ severity: Severity,
        path: String,
        route: RouteID? = nil,
        message: String,
        fix: String,
        example: String? = nil,
        relatedRoute: RouteID? = nil,
        position: JSONNode.Position? = nil
    ) {
        self.code = code
        self.severity = severity
        self.path = path
        self.route = route
        self.message = message
        self.fix = fix
        self.example = example
        self.relatedRoute = relatedRoute
        self.position = position
    }
}
