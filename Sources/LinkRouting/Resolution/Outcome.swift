/// How a link came out. Callers treat an unknown text as `fallback`.
public enum Outcome: String, Sendable, CaseIterable {
    /// A route holds.
    case matched
    /// No route holds; the table's default answers.
    case fallback
    /// No tenant owns the link, or the table has no default.
    case unmatched
    /// A route would hold that needs a feature this engine lacks. Never recorded: a server refuses such a table.
    case undecided
    /// The text is not a link that may be resolved; see ``Link/Rejection``.
    case rejected
}

/// What the caller should do. Callers treat an unknown text as `open_web`.
public enum Action: String, Sendable, CaseIterable {
    case openApp = "open_app"
    case openWeb = "open_web"
    case openStore = "open_store"
    case updateApp = "update_app"
    case signIn = "sign_in"
    /// The link may not do what it asks for; there is no destination.
    case block
}
