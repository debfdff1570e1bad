import LinkRouting

extension Settings {
    /// What is valid in settings, but probably not meant. The paths begin with `settings`.
    ///
    /// - Parameter content: The settings as written.
    static func unlikelyValues(in content: JSONNode) -> [Finding] {
        ["recordQuery", "recordTraits"].flatMap { key -> [Finding] in
            (content["privacy"]?[key]?.elements ?? []).enumerated().compactMap { index, entry -> Finding? in
                guard let name = entry.text, let (message, fix) = unlikely(name, in: key) else { return nil }
                let path = "settings.privacy.\(key)[\(index)]"
                return Finding(.unlikelyValue, .warning, path: path, message: message, fix: fix)
            }
        }
    }

    private static func unlikely(_ name: String, in key: String) -> (message: String, fix: String)? {
        if name.utf8.contains(UInt8(ascii: "*")) {
            return ("'\(name)' is a name and no pattern, so it records nothing else.", "List each name.")
        }
        guard key == "recordQuery", let item = campaignItems[name] else { return nil }
        return ("'\(name)' is the name in events; the query item is '\(item)'.", "Write \(item).")
    }

    private static let campaignItems = [
        "utmSource": "utm_source", "utmMedium": "utm_medium", "utmCampaign": "utm_campaign", "utmTerm": "utm_term",
        "utmContent": "utm_content",
    ]
}
