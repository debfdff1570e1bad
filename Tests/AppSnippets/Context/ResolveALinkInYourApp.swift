// What an app of its own has, and the article does not show.
import SwiftUI

struct HomeView: View {
    var body: some View { Text("Home") }
}

struct ScreenView: View {
    let screen: AppScreen
    var body: some View { Text("\(screen)") }
}
