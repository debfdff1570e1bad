import SwiftUI

struct SignInView: View {
    @Environment(Session.self) private var session
    @Environment(Navigator.self) private var navigator

    var body: some View {
        Button("Sign in as Ada") {
            session.signIn(as: "Ada")
            navigator.userSignedIn()
        }
    }
}
