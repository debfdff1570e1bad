import Foundation
import LinkClient
import LinkRouting

/// What the app does with the answer for a link.
enum LinkOpening: Equatable {
    /// Show these screens; the last one is on top.
    case show([ShopScreen])
    /// Sign in, and resume the link afterwards.
    case signIn
    /// Open a page of the web or of a store.
    case page(URL)
    /// Tell the user why the link opens nothing.
    case refuse(String)
    /// The table is newer than the app, which lacks the screen or an argument. Open the page instead, if there is one.
    case unknownScreen(page: URL?)
    /// The link is malformed, or not one of ours.
    case nothing

    init(_ link: ResolvedLink) {
        func url(_ text: String?) -> URL? { text.flatMap { URL(string: $0) } }
        func page(_ text: String?) -> LinkOpening? { url(text).map(LinkOpening.page) }
        let destination = link.destination
        switch link.action {
        case .openApp:
            do {
                self = .show(try ShopScreen.path(of: link.resolution))
            } catch {
                self = .unknownScreen(page: url(destination?.web))
            }
        case .signIn: self = .signIn
        case .openWeb: self = page(destination?.web) ?? .nothing
        case .openStore, .updateApp: self = page(destination?.store) ?? page(destination?.web) ?? .nothing
        case .block: self = .refuse(link.blockReason ?? "This link is not allowed.")
        // The answer for a link of ours names the app, also if no route matches.
        case nil: self = link.app == nil ? .nothing : .refuse("This link leads nowhere in this app.")
        }
    }
}
