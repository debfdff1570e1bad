// Declarations of UIKit that LinkProbe and the snippets of the docs use, as Apple's SDK has them.
@_exported import Foundation

// Part of Foundation on Apple's systems.
public let NSUserActivityTypeBrowsingWeb = "NSUserActivityTypeBrowsingWeb"
open class NSUserActivity: NSObject {
    public init(activityType: String) { self.activityType = activityType }
    public let activityType: String
    open var webpageURL: URL?
}

@MainActor open class UIResponder: NSObject {}
@MainActor open class UIView: UIResponder {
    open class func setAnimationsEnabled(_ areEnabled: Bool) {}
}
@MainActor open class UIViewController: UIResponder {
    public init(nibName: String?, bundle: Bundle?) {}
    public convenience override init() { self.init(nibName: nil, bundle: nil) }
    public required init?(coder: NSCoder) {}
    open var title: String?
    open func viewDidLoad() {}
    open func present(_ controller: UIViewController, animated: Bool, completion: (@MainActor () -> Void)? = nil) {}
    open func dismiss(animated: Bool, completion: (@MainActor () -> Void)? = nil) {}
}
open class UINavigationController: UIViewController {
    public init(rootViewController: UIViewController) { super.init(nibName: nil, bundle: nil) }
    public required init?(coder: NSCoder) { super.init(coder: coder) }
    open var viewControllers: [UIViewController] = []
    open func setViewControllers(_ controllers: [UIViewController], animated: Bool) {}
    open func pushViewController(_ controller: UIViewController, animated: Bool) {}
}
open class UIAlertController: UIViewController {
    public enum Style: Sendable { case actionSheet, alert }
    public convenience init(title: String?, message: String?, preferredStyle: Style) {
        self.init(nibName: nil, bundle: nil)
    }
    open func addAction(_ action: UIAlertAction) {}
}
@MainActor open class UIAlertAction: NSObject {
    public enum Style: Sendable { case `default`, cancel, destructive }
    public convenience init(
        title: String?,
        style: Style,
        handler: (@MainActor @Sendable (UIAlertAction) -> Void)? = nil
    ) { self.init() }
}

@MainActor open class UIScene: UIResponder {
    @MainActor open class ConnectionOptions: NSObject {
        open var urlContexts: Set<UIOpenURLContext> { [] }
        open var userActivities: Set<NSUserActivity> { [] }
    }
}
@MainActor open class UISceneSession: NSObject {}
@MainActor open class UIOpenURLContext: NSObject {
    open var url: URL { URL(fileURLWithPath: "/") }
}
@MainActor public protocol UISceneDelegate: NSObjectProtocol {
    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions)
    func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>)
    func scene(_ scene: UIScene, continue activity: NSUserActivity)
}
// Optional requirements, which only Objective-C has.
extension UISceneDelegate {
    public func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {}
    public func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) {}
    public func scene(_ scene: UIScene, continue activity: NSUserActivity) {}
}
@MainActor public protocol UIWindowSceneDelegate: UISceneDelegate { var window: UIWindow? { get set } }

@MainActor open class UIWindowScene: UIScene {}
@MainActor open class UIApplication: UIResponder {
    public static var shared: UIApplication { UIApplication() }
    public var connectedScenes: Set<UIScene> { [] }
    public func open(_ url: URL) {}
}
@MainActor open class UIWindow: UIView {
    public init(windowScene: UIWindowScene) {}
    public var rootViewController: UIViewController?
    public func makeKeyAndVisible() {}
    public var frame = CGRect.zero
    public var isUserInteractionEnabled = true
    public var isHidden = true
    public var isAccessibilityElement = false
    public var accessibilityIdentifier: String?
    public var accessibilityLabel: String?
    public var accessibilityValue: String?
}
