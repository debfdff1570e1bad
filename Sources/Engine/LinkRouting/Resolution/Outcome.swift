/// The result of a resolution. Callers treat an unknown value as `fallback`.
public enum Outcome: String, Sendable, CaseIterable {
    /// A route matches.
    case matched
    /// No route matches; the table's fallback answers.
    case fallback
    /// No tenant owns the link, or no route matches and the table has no fallback.
    case unmatched
    /// The route that would match needs a feature that this engine lacks. Never recorded: a server refuses such a
    /// table.
    case undecided
    /// The text is not a link that can be resolved; see ``DeepLink/Rejection``.
    case rejected
}

/// The action for the caller. Callers treat an unknown value as `open_web`.
public enum Action: String, Sendable, CaseIterable {
    /// Opens the destination's screen in the app. From outside the app, opens its URI.
    case openApp = "open_app"
    /// Opens the destination's web page, which may be nil.
    case openWeb = "open_web"
    /// Opens the app's store page, because the app is not installed.
    case openStore = "open_store"
    /// Asks the user to update the app, because its version is older than the route's minimum.
    case updateApp = "update_app"
    /// Asks the user to sign in, and then resolves the link again with `authenticated: true`.
    case signIn = "sign_in"
    /// The link is blocked. There is no destination.
    case block
}
