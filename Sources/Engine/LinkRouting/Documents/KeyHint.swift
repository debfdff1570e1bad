/// Advice for keys that people write in another object of a document, or under another name.
enum KeyHint {
    /// Objects, and the keys that people write beside them instead of in them.
    private static let objects: [(key: String, members: [String])] = [
        ("open", ["screen", "arguments", "stack", "uri"]),
        (
            "when",
            [
                "platform", "device", "osVersion", "appVersion", "appBuild", "locale", "country", "authenticated",
                "traits", "inAppBrowser", "time", "rollout", "apps", "not", "anyOf",
            ]
        ),
        ("defaults", ["fallback", "plusIsSpace"]),
        (
            "settings",
            ["domains", "schemes", "apps", "destinations", "environments", "privacy", "export", "retentionDays"]
        ),
        ("privacy", ["recordQuery", "recordTraits", "recordInstall", "unmatchedPath"]),
        (
            "expect",
            [
                "outcome", "action", "route", "parameters", "screen", "arguments", "stack", "uri", "web", "store",
                "data", "campaign", "fallbacks", "reason", "trace", "continuation", "experiment",
            ]
        ),
        ("context", ["platform", "device", "osVersion", "appVersion", "appBuild", "locale", "country", "traits"]),
    ]

    /// Keys of an object around the one that has the key `beside`.
    private static let outer: [(key: String, beside: String, place: String)] = [
        ("fallback", "retentionDays", "under 'defaults' of 'table'; move it there."),
        ("table", "retentionDays", "beside 'settings'; indent it less."),
        ("routes", "retentionDays", "under 'table'; move it there."),
        ("defaults", "retentionDays", "under 'table'; move it there."),
        ("settings", "routes", "beside 'table'; indent it less."),
        ("tenant", "routes", "beside 'table'; indent it less."),
    ]

    private static let otherNames: [(key: String, name: String)] = [
        ("redirect", "web"), ("language", "locale"), ("retention", "retentionDays"), ("url", "link"), ("url", "web"),
    ]

    /// Returns where a key belongs, if it is one of another object; nil if it is not known.
    ///
    /// - Parameter known: The keys of the object that has it.
    static func place(of key: String, beside known: [String]) -> String? {
        if let place = outer.first(where: { $0.key == key && known.contains($0.beside) })?.place { return place }
        let object = objects.first { known.contains($0.key) && $0.members.contains(key) }
        return object.map { "under '\($0.key)'; indent it." }
    }

    /// Returns the key that was probably meant; nil if there is none.
    static func name(for key: String, in known: [String]) -> String? {
        let other = otherNames.first { $0.key == key && known.contains($0.name) }?.name
        if let name = other ?? key.nearest(among: known) { return "did you mean '\(name)'?" }
        let inside = objects.lazy.filter { known.contains($0.key) }.compactMap { object in
            key.nearest(among: object.members).map { "did you mean '\($0)' under '\(object.key)'?" }
        }
        return inside.first
    }
}
