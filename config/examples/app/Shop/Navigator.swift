import Foundation
import LinkClient
import LinkRouting
import Observation

/// Where the user is in the app, and what a link changes about it.
@MainActor @Observable
final class Navigator {
    /// The screens above the home screen.
    var path: [ShopScreen] = []
    /// A page to open outside the app.
    var page: URL?
    /// Why a link opened nothing.
    var message: String?
    /// The link that continues after the sign-in, unless a newer one is followed.
    private var waiting: ResolvedLink?
    private var question: Task<Void, Never>?
    private let links: LinkClient
    private let session: Session

    init(links: LinkClient, session: Session) {
        self.links = links
        self.session = session
    }

    /// Whether the sign-in is shown. It ends without a sign-in if the user closes it.
    var isSigningIn: Bool {
        get { waiting != nil }
        set { if !newValue { waiting = nil } }
    }

    var hasMessage: Bool {
        get { message != nil }
        set { if !newValue { message = nil } }
    }

    /// Follows a link: at once if the table decides, or else when the server has answered.
    func follow(_ url: URL) {
        question?.cancel()
        waiting = nil
        let context = LinkContext(authenticated: session.isSignedIn)
        if case .resolved(let link) = links.resolve(url, in: context) { return open(link) }
        open { try await $0.answer(to: url, in: context) }
    }

    /// Continues the link that needed the sign-in.
    func userSignedIn() {
        guard let link = waiting else { return }
        waiting = nil
        open { try await $0.resume(link) }
    }

    /// Opens a link when there is an answer, unless another link is followed in the meantime.
    private func open(_ answer: @escaping @Sendable (LinkClient) async throws -> ResolvedLink) {
        question = Task {
            do {
                let link = try await answer(links)
                if !Task.isCancelled { open(link) }
            } catch {
                // For example without a network: the error is for developers, the message for the user.
                if !Task.isCancelled { message = "The link cannot be opened. Are you online?" }
            }
        }
    }

    private func open(_ link: ResolvedLink) {
        var result = LinkResult.shown
        switch LinkOpening(link) {
        case .show(let screens): path = screens.filter { $0 != .home }
        case .page(let url): page = url
        case .refuse(let reason): message = reason
        case .unknownScreen(let url):
            if let url { page = url } else { message = "Update the app to open this link." }
            result = .failed("no_such_screen")
        case .nothing: return
        case .signIn:
            waiting = link
            return
        }
        Task { await links.report(link, result) }
    }
}
