package import LinkCatalog
package import LinkRouting

/// A case of a suite as a test on a device: the link to open, and what must be shown.
package struct DeviceCase: Sendable {
    /// The link as the platform carries it. iOS percent-encodes what RFC 3986 does not allow.
    package let link: String
    /// The line of the case in its suite.
    package let line: Int
    /// The host of a web link; nil for a custom scheme.
    package let host: String?
    /// The facts about the caller that this case changes; null takes a fact away.
    package let facts: JSONNode
    package let expected: Expected
    /// The ways to open the link, from the case's `via`; all of them if it has none.
    package let ways: Set<LinkSuite.Via>
    /// The decision of the generated association file about a web link.
    package let association: Association

    package enum Expected: Sendable, Hashable {
        /// A screen of the app with all its arguments; nil if they are not compared.
        case screen(String, arguments: JSONNode?)
        /// The link stays in the browser.
        case browser
    }

    package enum Association: Sendable, Hashable {
        case opensApp, staysInBrowser
    }

    /// The screens that an app shows instead of the destination of a link; it reports them under these names.
    package static let signInScreen = "SignIn"
    package static let updateScreen = "Update"

    /// Whether the expected result needs the association file to agree.
    package var agreesWithAssociation: Bool {
        switch expected {
        case .screen: association == .opensApp
        case .browser: association == .staysInBrowser
        }
    }
}

/// A case that no test on the device can decide, and why.
package struct UntestedCase: Sendable {
    package let link: String
    package let line: Int
    package let reason: String
}

/// The state of the app when a link is opened.
package enum LaunchState: String, Sendable, CaseIterable {
    case notRunning, inBackground, running
    /// In the background, and the system has ended the process. Android restores its state.
    case processDeath

    package static func states(on platform: Platform) -> [LaunchState] {
        platform == .android ? allCases : [.notRunning, .inBackground, .running]
    }

    /// The state in the name of a test.
    var words: String {
        switch self {
        case .notRunning: "NotRunning"
        case .inBackground: "InBackground"
        case .running: "Running"
        case .processDeath: "ProcessDeath"
        }
    }
}
