/// A tenant's routes and defaults, as a team edits them. Resolving needs a ``Router``.
public struct RouteTable: Sendable, Hashable {
    /// The only format that this engine reads.
    public static let formatVersion: Int64 = 1
    /// The features that this engine has, for `requires`.
    public static let features: Set<String> = []

    public var defaults: Defaults
    /// In the document's order, which decides between routes with equal keys.
    public var routes: [Route]

    public struct Defaults: Sendable, Hashable {
        /// What answers when no route holds.
        @Boxed public var fallback: Target?
        /// Whether `+` in a query is a space.
        public var plusSign: Link.PlusSign

        public init(fallback: Target? = nil, plusSign: Link.PlusSign = .plus) {
            self.fallback = fallback
            self.plusSign = plusSign
        }
    }

    public init(defaults: Defaults = Defaults(), routes: [Route] = []) {
        self.defaults = defaults
        self.routes = routes
    }
}
