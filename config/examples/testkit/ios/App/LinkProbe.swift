// LinkProbe: lets UI tests read which screen a link led to, and connects the app to the stub server of a test.
// Written by 'fingerpost testkit probe swift'. Only debug builds contain it; the functions of other builds do nothing.
//
//   1. Call LinkProbe.start() first in application(_:didFinishLaunchingWithOptions:), or in the init of the App.
//   2. Call LinkProbe.received(url) wherever the app receives a link: launch or connection options,
//      scene(_:openURLContexts:) or onOpenURL, and scene(_:continue:) or onContinueUserActivity.
//   3. Call LinkProbe.show("ProductDetail", ["id": 123]) when a screen has appeared, with the names of the route table.
//      Report the pages that the app shows instead of a destination as "SignIn" and "Update".
//   4. Send the requests of the app to LinkProbe.stub when it is not nil, and resolve links with LinkProbe.facts, which
//      replace the app's own facts (such as "authenticated") in the context.
import Foundation

#if DEBUG
    import UIKit

    @MainActor
    enum LinkProbe {
        /// The address of the test's session of the stub server; nil outside of a test.
        private(set) static var stub: URL?
        /// The id of the session, for requests with the header Fingerpost-Session.
        private(set) static var session: String?
        /// The facts about the caller that the test replaces.
        private(set) static var facts: [String: Any] = [:]

        private static let key = "fingerpost.probe"
        /// A launch by the system passes no arguments, so those of the last launch by a test stay valid for this time.
        private static let validity: TimeInterval = 15 * 60
        private static var link: String?
        private static var screen: (name: String, arguments: [String: Any])?
        private static var window: UIWindow?

        static func start() {
            let arguments = ProcessInfo.processInfo.arguments
            func argument(_ name: String) -> String? {
                guard let place = arguments.firstIndex(of: "-" + name), place + 1 < arguments.count else { return nil }
                return arguments[place + 1]
            }
            if let stub = argument("fingerpostStub") {
                let kept: [String: Any] = [
                    "stub": stub, "session": argument("fingerpostSession") ?? "",
                    "facts": argument("fingerpostFacts") ?? "{}", "time": Date().timeIntervalSince1970,
                ]
                UserDefaults.standard.set(kept, forKey: key)
            }
            guard let kept = UserDefaults.standard.dictionary(forKey: key), let time = kept["time"] as? TimeInterval,
                abs(Date().timeIntervalSince1970 - time) < validity
            else {
                UserDefaults.standard.removeObject(forKey: key)
                return
            }
            stub = (kept["stub"] as? String).flatMap { URL(string: $0) }
            session = kept["session"] as? String
            let json = Data((kept["facts"] as? String ?? "{}").utf8)
            facts = (try? JSONSerialization.jsonObject(with: json)) as? [String: Any] ?? [:]
            guard let stub else { return }
            // Waiting for animations makes tests slow.
            UIView.setAnimationsEnabled(false)
            print("LinkProbe: requests go to \(stub) of the last test; the argument -fingerpostStub '' ends this.")
        }

        static func received(_ url: URL) {
            link = url.absoluteString
            report()
        }

        /// - Parameter arguments: Values of JSON.
        static func show(_ name: String, _ arguments: [String: Any] = [:]) {
            screen = (name, arguments)
            report()
        }

        /// Writes the state into an element that UI tests find by its identifier. It has a window of its own, because
        /// a modal page hides the elements below it.
        private static func report() {
            guard stub != nil, let screen else { return }
            if window == nil {
                let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
                guard let scene = scenes.first else { return }
                let new = UIWindow(windowScene: scene)
                new.frame = CGRect(x: 0, y: 0, width: 1, height: 1)
                new.isUserInteractionEnabled = false
                new.isAccessibilityElement = true
                new.accessibilityIdentifier = key
                new.isHidden = false
                window = new
            }
            var report: [String: Any] = ["screen": screen.name, "arguments": screen.arguments]
            report["link"] = link
            let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
            guard JSONSerialization.isValidJSONObject(report),
                let json = try? JSONSerialization.data(withJSONObject: report, options: options)
            else { return assertionFailure("The arguments of \(screen.name) are not JSON.") }
            let text = key + " " + String(decoding: json, as: UTF8.self)
            window?.accessibilityLabel = text
            window?.accessibilityValue = text
        }
    }
#else
    enum LinkProbe {
        static var stub: URL? { nil }
        static var session: String? { nil }
        static var facts: [String: Any] { [:] }
        static func start() {}
        static func received(_ url: URL) {}
        static func show(_ name: String, _ arguments: [String: Any] = [:]) {}
    }
#endif
