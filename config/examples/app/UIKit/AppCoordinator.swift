import LinkClient
import LinkRouting
import UIKit

/// Makes the screens of one part of the app. It returns nil for a screen of another part.
@MainActor protocol Coordinator {
    func controller(for screen: ShopScreen) -> UIViewController?
}

@MainActor struct CatalogCoordinator: Coordinator {
    func controller(for screen: ShopScreen) -> UIViewController? {
        switch screen {
        case .home: HomeController()
        case .productDetail(let id): ProductController(id: id)
        case .reset, .settings, .userProfile: nil
        }
    }
}

@MainActor struct AccountCoordinator: Coordinator {
    func controller(for screen: ShopScreen) -> UIViewController? {
        switch screen {
        case .reset(let token): PasswordController(token: token)
        case .settings: SettingsController()
        case .userProfile(let id): ProfileController(user: id)
        case .home, .productDetail: nil
        }
    }
}

@MainActor final class AppCoordinator {
    let navigation = UINavigationController(rootViewController: HomeController())
    private let chain: [any Coordinator] = [CatalogCoordinator(), AccountCoordinator()]
    private let links: LinkClient
    private let session: Session
    private var question: Task<Void, Never>?

    init(links: LinkClient, session: Session) {
        (self.links, self.session) = (links, session)
    }

    func follow(_ url: URL) {
        // A newer link replaces one that waits for the sign-in.
        navigation.dismiss(animated: false)
        let context = LinkContext(authenticated: session.isSignedIn)
        open { try await $0.answer(to: url, in: context) }
    }

    /// Opens a link when there is an answer. A newer link replaces an older one.
    private func open(_ answer: @escaping @Sendable (LinkClient) async throws -> ResolvedLink) {
        question?.cancel()
        question = Task {
            do {
                let link = try await answer(links)
                if !Task.isCancelled { open(link) }
            } catch {
                if !Task.isCancelled { tell("The link cannot be opened. Are you online?") }
            }
        }
    }

    private func open(_ link: ResolvedLink) {
        var result = LinkResult.shown
        switch LinkOpening(link) {
        case .show(let screens):
            let controllers = screens.compactMap { screen in
                chain.lazy.compactMap { $0.controller(for: screen) }.first
            }
            navigation.setViewControllers(controllers, animated: false)
        case .signIn: return signIn(for: link)
        case .page(let url): UIApplication.shared.open(url)
        case .refuse(let reason): tell(reason)
        case .unknownScreen(let page):
            if let page { UIApplication.shared.open(page) } else { tell("Update the app to open this link.") }
            result = .failed("no_such_screen")
        case .nothing: return
        }
        Task { await links.report(link, result) }
    }

    private func signIn(for link: ResolvedLink) {
        let controller = SignInController(session: session) { [weak self] in
            self?.navigation.dismiss(animated: true)
            self?.open { try await $0.resume(link) }
        }
        navigation.present(controller, animated: true)
    }

    private func tell(_ message: String) {
        let alert = UIAlertController(title: nil, message: message, preferredStyle: .alert)
        alert.addAction(UIAlertAction(title: "OK", style: .default))
        navigation.present(alert, animated: true)
    }
}
