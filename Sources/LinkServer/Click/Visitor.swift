import HTTPTypes
import LinkEvents
import LinkRouting

/// What a browser's headers tell about who clicks. Nothing says whether the app is installed, so it counts as missing.
struct Visitor {
    let context: Context
    let purpose: Event.Purpose
    let referrerHost: String?

    init(_ headers: HTTPFields) {
        let agent = headers[.userAgent] ?? ""
        let (platform, device) = Self.system(agent)
        context = Context(
            platform: platform,
            device: device,
            installed: false,
            locale: Self.locales(headers[.acceptLanguage] ?? "")
        )
        let prefetch = [headers[.secPurpose], headers[.purpose]].compactMap(\.self)
        purpose = prefetch.contains { $0.lowercased().contains("prefetch") } ? .prefetch : .live
        referrerHost = headers[.referer].flatMap { try? Link.parse($0) }?.host
    }

    /// iPads that ask for desktop pages call themselves Macs; nothing tells them apart here.
    private static func system(_ agent: String) -> (Platform, Device?) {
        if agent.contains("iPhone") || agent.contains("iPod") { return (.ios, .phone) }
        if agent.contains("iPad") { return (.ios, .tablet) }
        if agent.contains("Android") { return (.android, agent.contains("Mobile") ? .phone : .tablet) }
        if agent.contains("Windows") { return (.windows, .desktop) }
        if agent.contains("Macintosh") { return (.macos, .desktop) }
        if agent.contains("Linux") || agent.contains("X11") { return (.linux, .desktop) }
        return (.other, nil)
    }

    /// `Accept-Language` by weight, best first; at most 16.
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
    fileprivate static let secPurpose = HTTPField.Name("Sec-Purpose") ?? .contentType
    fileprivate static let purpose = HTTPField.Name("Purpose") ?? .contentType
}
