import AppAssociation
import HTTPTransport
import HTTPTypes
import LinkEvents
import LinkRouting

/// Facts about the visitor from a request's headers. No header tells whether the app is installed, so it counts as
/// missing.
struct ClickContext {
    let context: LinkContext
    let purpose: Event.Purpose
    let botClass: BotClass?
    /// The app that shows the page in a browser of its own; nil if it is unknown.
    let app: InAppBrowser?
    let referrerHost: String?

    /// Maximum length of a host name in DNS.
    private static let longestHost = 253

    init(_ method: HTTPRequest.Method, _ headers: HTTPFields) {
        let agent = UserAgent(headers.value(of: .userAgent) ?? "")
        context = LinkContext(
            platform: agent.platform,
            device: agent.device,
            osVersion: agent.osVersion,
            installed: false,
            locale: [LanguageTag](acceptLanguage: headers.value(of: .acceptLanguage)),
            inAppBrowser: agent.inAppBrowser
        )
        botClass = agent.botClass
        app = agent.app
        purpose = Self.purpose(method, headers, agent.botClass)
        referrerHost = headers.value(of: .referer).flatMap(Self.host(ofReferrer:)).flatMap {
            $0.utf8.count <= Self.longestHost ? $0 : nil
        }
    }

    /// Returns the host of a page, or the package of an Android app: `com.example.chat` of `android-app://com.example.chat/`.
    private static func host(ofReferrer referrer: String) -> String? {
        guard referrer.lowercased().hasPrefix(appReferrer) else { return (try? DeepLink.parse(referrer))?.host }
        let package = referrer.dropFirst(appReferrer.count).prefix { !"/?#".contains($0) }
        return PackageName(String(package))?.description
    }

    private static let appReferrer = "android-app://"

    /// Returns the purpose of the request: browsers mark pages that they fetch before a person asks for them, and send no
    /// HEAD for one who does.
    private static func purpose(
        _ method: HTTPRequest.Method,
        _ headers: HTTPFields,
        _ botClass: BotClass?
    ) -> Event.Purpose {
        let purposes = purposeNames.compactMap { headers.value(of: $0)?.lowercased() }
        let isEarly = { (purpose: String) in purpose.contains("prefetch") || purpose.contains("prerender") }
        if method == .head || purposes.contains(where: isEarly) { return .prefetch }
        return botClass == .preview || purposes.contains { $0.contains("preview") } ? .preview : .live
    }

    private static let purposeNames: [HTTPField.Name] = [.secPurpose, .purpose, .xPurpose, .xMoz]
}

extension HTTPField.Name {
    fileprivate static let secPurpose = HTTPField.Name.constant("Sec-Purpose")
    fileprivate static let purpose = HTTPField.Name.constant("Purpose")
    fileprivate static let xPurpose = HTTPField.Name.constant("X-Purpose")
    fileprivate static let xMoz = HTTPField.Name.constant("X-Moz")
}
