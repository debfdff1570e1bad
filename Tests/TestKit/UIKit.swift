// Declarations of UIKit that LinkProbe uses, as Apple's SDK has them.
@_exported import Foundation

@MainActor open class UIScene: Hashable {
    public nonisolated static func == (left: UIScene, right: UIScene) -> Bool { left === right }
    public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
@MainActor open class UIWindowScene: UIScene {}
@MainActor open class UIApplication {
    public static var shared: UIApplication { UIApplication() }
    public var connectedScenes: Set<UIScene> { [] }
}
@MainActor open class UIWindow {
    public init(windowScene: UIWindowScene) {}
    public var frame = CGRect.zero
    public var isUserInteractionEnabled = true
    public var isHidden = true
    public var isAccessibilityElement = false
    public var accessibilityIdentifier: String?
    public var accessibilityLabel: String?
    public var accessibilityValue: String?
}
