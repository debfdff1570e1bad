import LinkClient
import SwiftUI

@main
struct ShopApp: App {
    @State private var session: Session
    @State private var navigator: Navigator

    init() {
        let session = Session()
        _session = State(initialValue: session)
        _navigator = State(initialValue: Navigator(links: .shop, session: session))
    }

    var body: some Scene {
        WindowGroup {
            RootView()
                .environment(session)
                .environment(navigator)
                // Loads the table, keeps it current, and delivers reports.
                .task { await LinkClient.shop.run() }
        }
    }
}
