/// A tenant's routes and defaults, as a team edits them. Use a ``Router`` to resolve links.
public struct RouteTable: Sendable, Hashable {
    /// The only supported format version.
    public static let formatVersion: Int64 = 1
    /// The features of this engine, for `requires`.
    public static let features: Set<String> = []

    public var defaults: Defaults
    /// The screens of the app with their typed arguments; nil if the table does not declare them. They have no effect
    /// on resolutions.
    public var screens: [ScreenDeclaration]?
    /// In document order, which decides between routes with equal keys.
    public var routes: [Route]

    public struct Defaults: Sendable, Hashable {
        /// The destination of links that no route matches.
        @Boxed public var fallback: RouteTarget?
        /// What chats show of links, as far as their routes do not say it. It has no parameters.
        @Boxed public var preview: PreviewTemplates?
        /// Whether `+` in a query is a space.
        public var plusSign: DeepLink.PlusSign

        public init(
            fallback: RouteTarget? = nil,
            preview: PreviewTemplates? = nil,
            plusSign: DeepLink.PlusSign = .plus
        ) {
            self.fallback = fallback
            self.preview = preview
            self.plusSign = plusSign
        }
    }

    /// Whether answers may depend on a sticky key.
    package var hasSplits: Bool {
        routes.indices.contains { routes[$0].$experiment.isPresent || routes[$0].when?.hasRollout == true }
    }

    public init(defaults: Defaults = Defaults(), screens: [ScreenDeclaration]? = nil, routes: [Route] = []) {
        self.defaults = defaults
        self.screens = screens
        self.routes = routes
    }
}
