import SwiftUI

struct HomeView: View {
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
