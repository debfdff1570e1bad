import SwiftUI

struct RootView: View {
    @Environment(Navigator.self) private var navigator
    @Environment(\.openURL) private var openURL

    var body: some View {
        @Bindable var navigator = navigator
        NavigationStack(path: $navigator.path) {
            ScreenView(screen: .home)
                .navigationDestination(for: ShopScreen.self) { ScreenView(screen: $0) }
        }
        .onOpenURL { navigator.follow($0) }
        .onContinueUserActivity(NSUserActivityTypeBrowsingWeb) { activity in
            if let url = activity.webpageURL { navigator.follow(url) }
        }
        .onChange(of: navigator.page) { _, page in
            guard let page else { return }
            navigator.page = nil
            openURL(page)
        }
        .sheet(isPresented: $navigator.isSigningIn) { SignInView() }
        .alert(navigator.message ?? "", isPresented: $navigator.hasMessage) {
            Button("OK") {}
        }
    }
}
