/// Something that a check found in a table or its settings.
public struct Finding: Sendable, Hashable {
    public var code: Code
    public var severity: Severity
    /// Such as `table.routes[3].web`.
    public var path: String
    public var route: RouteID?
    public var message: String
    /// What to write instead.
    public var fix: String
    /// A link that shows it, where one does: resolving it gives the answer that the message speaks of.
    public var example: String?
    /// The other route that it is about, such as the one that answers instead.
    public var relatedRoute: RouteID?
    /// Where the path stands in the text that was checked, if there was one.
    public var position: JSONNode.Position?

    public enum Severity: String, Sendable, CaseIterable, Comparable {
        case info, warning, error

        public static func < (left: Severity, right: Severity) -> Bool {
            allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
        }
    }

    public enum Code: String, Sendable, CaseIterable {
        /// The text does not say what a table must say.
        case invalid
        /// Two routes for the same links and callers.
        case duplicateRoute = "duplicate_route"
        /// Earlier routes answer all of a route's links.
        case unreachableRoute = "unreachable_route"
        /// A route whose own conditions contradict each other.
        case neverTrue = "never_true"
        /// Two routes that hold for one link and caller; nothing but the order of the document decides.
        case overlappingRoutes = "overlapping_routes"
        /// A route whose time is over.
        case timeEnded = "time_ended"
        case unknownParameter = "unknown_parameter"
        case reservedPath = "reserved_path"
        case foreignHost = "foreign_host"
        case destinationNotAllowed = "destination_not_allowed"
        case webLoop = "web_loop"
        case unknownApp = "unknown_app"
        case missingWeb = "missing_web"
        case unsupportedFeature = "unsupported_feature"
        case tooManySteps = "too_many_steps"
        /// Of the files made from the table, as are the following: see AppAssociation.
        case associationTooLarge = "association_too_large"
        /// Our own validator finds an error in a generated file.
        case associationInvalid = "association_invalid"
        /// Routes open an app on a host whose file cannot say so.
        case associationNotExpressed = "association_not_expressed"
        /// Proving something would take too long, so it is not claimed.
        case undecided
        /// The files open links in an app that the table would not.
        case associationOverOpen = "association_over_open"
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
