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
    /// The screen is unknown, and there is no page instead of it: the table is newer than the app.
    case unknownScreen
    /// The link is not one of ours.
    case nothing

    init(_ link: ResolvedLink) {
        func page(_ text: String?) -> LinkOpening? { text.flatMap { URL(string: $0) }.map(LinkOpening.page) }
        let destination = link.destination
        switch link.action {
        case .openApp:
            do {
                self = .show(try ShopScreen.path(of: link.resolution))
            } catch {
                self = page(destination?.web) ?? .unknownScreen
            }
        case .signIn: self = .signIn
        case .openWeb: self = page(destination?.web) ?? .nothing
        case .openStore, .updateApp: self = page(destination?.store) ?? page(destination?.web) ?? .nothing
        case .block: self = .refuse(link.blockReason ?? "This link is not allowed.")
        case nil: self = .nothing
        }
    }
}
