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
