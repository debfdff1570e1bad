import LinkClient
import UIKit

final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?
    private var coordinator: AppCoordinator?

    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
        guard let scene = scene as? UIWindowScene else { return }
        let window = UIWindow(windowScene: scene)
        let coordinator = AppCoordinator(links: .shop, session: Session())
        window.rootViewController = coordinator.navigation
        window.makeKeyAndVisible()
        (self.window, self.coordinator) = (window, coordinator)
        // Cold start: the methods below are not called for this link.
        let activity = options.userActivities.first { $0.activityType == NSUserActivityTypeBrowsingWeb }
        if let url = activity?.webpageURL ?? options.urlContexts.first?.url { coordinator.follow(url) }
    }

    func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) {
        if let url = contexts.first?.url { coordinator?.follow(url) }
    }

    func scene(_ scene: UIScene, continue activity: NSUserActivity) {
        if let url = activity.webpageURL { coordinator?.follow(url) }
    }
}
