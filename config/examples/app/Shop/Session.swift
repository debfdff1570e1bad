import Observation

/// Who is signed in. A real app keeps a token here.
@MainActor @Observable
final class Session {
    private(set) var user: String?

    var isSignedIn: Bool { user != nil }

    func signIn(as user: String) { self.user = user }

    func signOut() { user = nil }
}
