/// What kind of program asks for a link. Where a User-Agent names programs of several kinds, the first of these is meant.
package enum BotClass: String, Sendable, CaseIterable {
    /// Shows what is behind a link in the place where somebody wrote it.
    case preview
    /// Fills the index of a search engine.
    case search
    /// Reads pages to train or to answer with a language model.
    case ai
    /// Counts links and pages for people who sell them.
    case seo
    /// Asks whether something still answers, and how fast.
    case monitor
    /// Reads feeds.
    case feed
    /// A command, a library or a browser that a script drives.
    case tool
    /// Calls itself a bot, or nothing that a person would use.
    case other
}
