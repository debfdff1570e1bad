/// One row of a route table: the links it matches, its conditions, and its destination.
public struct Route: Sendable, Hashable {
    public var id: RouteID
    /// The contact for questions about the route; for people.
    @Boxed public var owner: String?
    public var tags: [String]
    @Boxed public var note: String?

    @Boxed public var host: HostPattern?
    public var query: [QueryCondition]
    @Boxed public var fragment: FragmentCondition?
    public var when: Condition?

    public var behaviour: Behaviour
    @Boxed public var experiment: Experiment?
    /// What chats show of the route's links.
    @Boxed public var preview: PreviewTemplates?
    /// Parameters whose values are never recorded.
    public var sensitive: Set<String>
    /// Required features that this engine lacks. Such a route is never matched, and its links are undecided.
    public var unsupported: [String]
    /// The value in ``unsupported`` of a route that this engine cannot read for a reason that its table does not state.
    package static let unreadable = "unreadable"

    // Small members come last; before larger ones, padding would round each up to a whole word.
    public var path: RoutePattern
    public var letterCase: LetterCase
    public var trailingSlash: TrailingSlash
    public var audience: Audience

    public enum TrailingSlash: Sendable, Hashable {
        /// One trailing slash is ignored.
        case ignored
        /// The link must end with a slash exactly if the pattern does.
        case strict
    }

    public enum Behaviour: Sendable, Hashable {
        /// The link is blocked. The reason is meant for people.
        case block(reason: String)
        case answer(RouteTarget)
        /// The route answers with what another link leads to. The engine leaves that to the server.
        case follow(Follow)
    }

    /// The link that a route follows.
    public enum Follow: Sendable, Hashable {
        /// The target of a short link, whose code is the value of the parameter ``codeParameter``.
        case shortLinks
        /// The value of a captured parameter.
        case parameter(String)

        public static let codeParameter = "code"

        /// The name of the parameter whose value is followed.
        public var parameter: String {
            switch self {
            case .shortLinks: Self.codeParameter
            case .parameter(let name): name
            }
        }
    }

    /// The copies of the table that contain a route. It has no effect on resolutions and association files.
    public enum Audience: Sendable, Hashable {
        case everyone
        /// The route must be removed from a table that is copied into an app. The service itself ignores this mark.
        case server
    }

    public init(
        id: RouteID,
        owner: String? = nil,
        tags: [String] = [],
        note: String? = nil,
        host: HostPattern? = nil,
        path: RoutePattern,
        query: [QueryCondition] = [],
        fragment: FragmentCondition? = nil,
        when: Condition? = nil,
        letterCase: LetterCase = .sensitive,
        trailingSlash: TrailingSlash = .ignored,
        behaviour: Behaviour = .answer(RouteTarget()),
        experiment: Experiment? = nil,
        preview: PreviewTemplates? = nil,
        sensitive: Set<String> = [],
        audience: Audience = .everyone,
        unsupported: [String] = []
    ) {
        self.id = id
        self.owner = owner
        self.tags = tags
        self.note = note
        self.host = host
        self.path = path
        self.query = query
        self.fragment = fragment
        self.when = when
        self.letterCase = letterCase
        self.trailingSlash = trailingSlash
        self.behaviour = behaviour
        self.experiment = experiment
        self.preview = preview
        self.sensitive = sensitive
        self.audience = audience
        self.unsupported = unsupported
    }

    /// The names of the captured parameters, in the order host, path, query, fragment.
    public var parameterNames: [String] {
        var names: [String] = []
        if case .label(let parameter?, _) = host { names.append(parameter.name) }
        names += path.parameterNames
        for condition in query {
            if case .capture(let parameter, _) = condition.test { names.append(parameter.name) }
        }
        if case .pattern(let pattern) = fragment { names += pattern.parameterNames }
        return names
    }
}
