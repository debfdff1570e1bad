/// The kind of program that requests a link. If a User-Agent names programs of several kinds, the first in this order
/// applies.
package enum BotClass: String, Sendable, CaseIterable {
    /// Shows a preview of a link where somebody posted it.
    case preview
    /// Indexes pages for a search engine.
    case search
    /// Reads pages to train a language model or to answer with one.
    case ai
    /// Counts links and pages for customers of such data.
    case seo
    /// Checks whether a site answers, and how fast.
    case monitor
    /// Reads feeds.
    case feed
    /// A command-line tool, a library or a scripted browser.
    case tool
    /// Calls itself a bot, or is nothing that a person would use.
    case other
}
