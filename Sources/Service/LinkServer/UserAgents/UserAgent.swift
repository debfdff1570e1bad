package import LinkRouting

/// The facts in a `User-Agent` that decide where a click leads, and whether it is a person's.
///
/// The first 512 bytes are split into words, and each word is looked up in ``UserAgentWords``: the time grows only
/// with the length, whatever the text is. The facts are only what the sender claims.
package struct UserAgent: Sendable, Hashable {
    static let maximumBytes = 512

    package private(set) var platform = Platform.other
    package private(set) var device: Device?
    /// Nil also where all browsers report the same version, whatever the system.
    package private(set) var osVersion: Version?
    /// Whether an app shows the page in a web view of its own; nil if unknown.
    package private(set) var inAppBrowser: Bool?
    /// The app; nil if it is unknown.
    package private(set) var app: InAppBrowser?
    /// The kind of bot; nil for programs that people use.
    package private(set) var botClass: BotClass?

    struct Signs: OptionSet, Hashable {
        let rawValue: UInt32

        static let iPhone = Signs(rawValue: 1 << 0)
        static let iPad = Signs(rawValue: 1 << 1)
        static let android = Signs(rawValue: 1 << 2)
        static let windows = Signs(rawValue: 1 << 3)
        static let mac = Signs(rawValue: 1 << 4)
        static let linux = Signs(rawValue: 1 << 5)
        static let otherSystem = Signs(rawValue: 1 << 6)
        static let tv = Signs(rawValue: 1 << 7)
        static let watch = Signs(rawValue: 1 << 8)
        static let console = Signs(rawValue: 1 << 9)
        static let phone = Signs(rawValue: 1 << 10)
        static let tablet = Signs(rawValue: 1 << 11)
        static let app = Signs(rawValue: 1 << 12)
        static let webView = Signs(rawValue: 1 << 13)
        static let webKit = Signs(rawValue: 1 << 14)
        static let browser = Signs(rawValue: 1 << 15)
        /// A program that runs on iPhones, iPads and Android phones, but not on Macs.
        static let mobileOnly = Signs(rawValue: 1 << 16)
        static let harmony = Signs(rawValue: 1 << 17)

        static let systems: Signs = [.iPhone, .iPad, .android, .windows, .mac, .linux, .otherSystem, .harmony]
    }

    package init(_ text: String) {
        let words = UserAgentScanner(text)
        let signs = words.signs
        (platform, device) = Self.system(words)
        osVersion = words.osVersion(of: platform)
        botClass = Self.botClass(words)
        guard botClass == nil else { return }
        if signs.contains(.app) || signs.contains(.webView) {
            inAppBrowser = true
            app = words.app
        } else if signs.contains(.browser) {
            inAppBrowser = false
        } else if signs.contains(.webKit), platform == .ios || platform == .macos {
            // On these systems, Safari and every other browser call themselves Safari; a bare web view does not.
            inAppBrowser = true
        }
    }

    /// Returns the platform and device. An iPad that requests desktop pages calls itself a Mac; only a program that no Mac
    /// has, such as Chrome for iOS, tells them apart.
    private static func system(_ words: UserAgentScanner) -> (Platform, Device?) {
        let signs = words.signs
        let held: Device? = signs.contains(.tablet) ? .tablet : signs.contains(.phone) ? .phone : nil
        if signs.contains(.tv) { return (signs.contains(.android) ? .android : .other, .tv) }
        if signs.contains(.watch) { return (.other, .watch) }
        if signs.contains(.console) { return (signs.contains(.android) ? .android : .other, .other) }
        // Phones with Windows also name Android and iPhone.
        if signs.contains(.windows), held == .phone { return (.other, .phone) }
        if signs.contains(.iPhone) { return (.ios, .phone) }
        if signs.contains(.iPad) { return (.ios, .tablet) }
        if signs.contains(.otherSystem) { return (.other, held) }
        if signs.contains(.android) || words.isHarmonyWithAndroidApps { return (.android, held ?? .tablet) }
        if signs.contains(.harmony) { return (.other, held) }
        if signs.contains(.windows) { return (.windows, .desktop) }
        if signs.contains(.mac) { return signs.contains(.mobileOnly) ? (.ios, .tablet) : (.macos, .desktop) }
        if signs.contains(.linux) { return (.linux, held ?? .desktop) }
        return (.other, held)
    }

    private static func botClass(_ words: UserAgentScanner) -> BotClass? {
        if let named = words.botClass { return named }
        // Browsers contain no URL.
        if words.holdsURL { return .other }
        switch words.first {
        case .mozilla: return words.signs.isDisjoint(with: Signs.systems.union([.app, .browser])) ? .other : nil
        case .known: return nil
        case .unknown: return .other
        }
    }
}
