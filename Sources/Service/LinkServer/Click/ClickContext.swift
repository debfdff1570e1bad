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
            locale: headers.value(of: .acceptLanguage).map(Self.locales) ?? [],
            inAppBrowser: agent.inAppBrowser
        )
        botClass = agent.botClass
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

    /// Returns the languages of `Accept-Language` by weight, best first; at most 16.
    private static func locales(_ header: String) -> [LanguageTag] {
        let weighted = header.split(separator: ",").prefix(16).enumerated().compactMap { index, item in
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " } }
            guard let text = parts.first, let tag = LanguageTag(text) else {
                return nil as (tag: LanguageTag, key: (Double, Int))?
            }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            return weight > 0 ? (tag, (-weight, index)) : nil
        }
        return weighted.sorted { $0.key < $1.key }.map(\.tag)
    }
}

extension HTTPField.Name {
    fileprivate static let secPurpose = HTTPField.Name.constant("Sec-Purpose")
    fileprivate static let purpose = HTTPField.Name.constant("Purpose")
    fileprivate static let xPurpose = HTTPField.Name.constant("X-Purpose")
    fileprivate static let xMoz = HTTPField.Name.constant("X-Moz")
}
