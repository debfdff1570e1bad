/// The texts of the pages that people see instead of a redirect. LinkServer has them in several languages, and a tenant
/// may replace each.
package enum PageText: String, Sendable, CaseIterable {
    /// A page that opens an app. `{name}` is the tenant's name.
    case lead, open, store, web, copy, copied, scan
    /// How to leave the browser of another app: one without a name; or of `{app}`, with its menu, or with the menu `{menu}` at
    /// the top or the bottom.
    case leave, leaveMenu, leaveTop, leaveBottom
    /// A link that leaves it.
    case browser
    /// Why a page opens nothing.
    case notFound, unreadable, denied, busy, unavailable, failed, expired, ended, blocked
    case report
}
