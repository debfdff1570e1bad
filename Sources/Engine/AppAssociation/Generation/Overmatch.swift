public import LinkRouting

/// Links that a generated file opens in an app although the table would not, because the file cannot express the table.
public struct Overmatch: Sendable, Hashable {
    public let app: AppID
    /// The route whose rule opens the links, or, for ``Reason/exclusion``, the route that keeps them in the browser; nil
    /// for the coarse rule.
    public let route: RouteID?
    public let reason: Reason
    /// One such link. Both sides were evaluated: the file opens it and the table does not.
    public let example: String

    public enum Reason: String, Sendable, CaseIterable {
        /// Rules have no types: `{id:int}` becomes `?*`.
        case type
        /// A wildcard also matches text after a slash.
        case slash
        /// The route requires a slash at the end, or requires none; iOS ignores the difference.
        case trailingSlash = "trailing_slash"
        /// A condition on the query is stricter than a rule can be.
        case query
        /// A condition on the fragment is stricter than a rule can be.
        case fragment
        /// The path after the first wildcard is left out, because Android's wildcards do not backtrack.
        case tail
        /// A character that is special in a pattern, or a letter of either case, is written as `?`.
        case character
        /// The file is for several hosts, the route only for some of them.
        case host
        /// The route never opens the app, but no exclusion can express these links alone.
        case exclusion
        /// The file has the rule `*` only, because the tenant's settings ask for no more.
        case coarse

        /// A description of these links for people.
        public var explanation: String {
            switch self {
            case .type: "values that are not of the parameter's type"
            case .slash: "paths with more segments than the route has"
            case .trailingSlash: "the same path with or without a trailing slash"
            case .query: "queries that do not satisfy the route's conditions"
            case .fragment: "fragments that do not satisfy the route's condition"
            case .tail: "other endings of the path, after its first parameter"
            case .character: "other characters in place of special ones, or other letters of the same length"
            case .host: "the same path on other hosts of the file"
            case .exclusion: "links of a route that never opens the app"
            case .coarse: "every link that no route opens"
            }
        }
    }
}
