import LinkClient
import LinkRouting
import SwiftUI

/// One screen. With a new screen in the table, the `switch` does not compile until the app handles it.
struct ScreenView: View {
    let screen: ShopScreen

    var body: some View {
        switch screen {
        case .home: HomeView()
        case .productDetail(let id): Text("Product \(id)").navigationTitle("Product")
        case .reset: Text("Choose a new password.").navigationTitle("Password")
        case .settings: SettingsView()
        case .userProfile(let id): Text("The profile of \(id)").navigationTitle("Profile")
        }
    }
}

private struct HomeView: View {
    @Environment(Navigator.self) private var navigator

    private static let links = [
        "yourapp://product/7", "https://yourappdomain.com/product/8", "yourapp://user/42", "yourapp://settings",
        "yourapp://user/42/delete", "https://yourappdomain.com/legal/terms",
    ]

    var body: some View {
        List(Self.links, id: \.self) { link in
            Button(link) {
                if let url = URL(string: link) { navigator.follow(url) }
            }
        }
        .navigationTitle("Links to try")
    }
}

/// Shows what the client has and does: for developers.
private struct SettingsView: View {
    @State private var links = LinkClientObserver(.shop)

    var body: some View {
        List {
            Text("Table: \(links.state.table.map { "revision \($0.revision) (\($0.origin))" } ?? "none")")
            Text("Reports to deliver: \(links.state.waitingReports)")
            ForEach(links.state.problems, id: \.kind) { problem in
                Text(problem.message)
            }
        }
        .navigationTitle("Settings")
        .task { await links.run() }
    }
}
