extension LinkContext {
    /// The keys of a `context` object besides `occurredAt`.
    package enum Key: String, CaseIterable {
        case platform, app, appVersion, osVersion, locale, installed, device, appBuild, country, authenticated
        case stickyKey, inAppBrowser, traits, now

        /// The keys that a caller may send.
        package static let names = allCases.filter { $0 != .now }.map(\.rawValue)

        /// The key with this name; nil if there is none. It is compared in the text that is being read: no text is created
        /// for the keys of a message.
        package init?(_ name: JSONReader.QuotedText) {
            switch name {
            case "platform": self = .platform
            case "app": self = .app
            case "appVersion": self = .appVersion
            case "osVersion": self = .osVersion
            case "locale": self = .locale
            case "installed": self = .installed
            case "device": self = .device
            case "appBuild": self = .appBuild
            case "country": self = .country
            case "authenticated": self = .authenticated
            case "stickyKey": self = .stickyKey
            case "inAppBrowser": self = .inAppBrowser
            case "traits": self = .traits
            case "now": self = .now
            default: return nil
            }
        }
    }

    /// The maximum number of unknown keys that are reported.
    private static let mostWarnings = 20

    /// Reads a `context` object. Unknown keys are ignored and reported in `warnings`. An unreadable version or language
    /// tag counts as unknown and is reported as well. `occurredAt` is accepted, but belongs to the request and not to
    /// the context. `now` is honoured by suites and offline runs only.
    public init(_ field: DocumentField, warnings: inout [String]) throws(DocumentError) {
        self.init()
        var unreadable: [String] = []
        for (key, value) in try field.anyObject().all
        where try !read(key, value, warnings: &unreadable) && key != "occurredAt" && warnings.count < Self.mostWarnings
        {
            warnings.append(ignoredMember(key, at: value.path, besides: Key.names))
        }
        warnings += unreadable
    }

    /// Reads one member of a `context` object; a null value counts as missing.
    ///
    /// - Returns: False if the key is unknown.
    package mutating func read(
        _ key: String,
        _ field: DocumentField,
        warnings: inout [String]
    ) throws(DocumentError) -> Bool {
        guard let key = Key(rawValue: key) else { return false }
        try read(key, field, warnings: &warnings)
        return true
    }

    /// Reads one member of a `context` object; a null value counts as missing.
    package mutating func read(
        _ key: Key,
        _ field: DocumentField,
        warnings: inout [String]
    ) throws(DocumentError) {
        let isNull = if case .null = field.node.value { true } else { false }
        switch key {
        case .platform: if !isNull { platform = try field.choice(Platform.self) }
        case .app: if !isNull { app = try field.identifier(AppID.self) }
        case .appVersion: if !isNull { appVersion = try Self.version(field, &warnings) }
        case .osVersion: if !isNull { osVersion = try Self.version(field, &warnings) }
        case .locale: if !isNull { locale = try Self.languages(field, &warnings) }
        case .installed: if !isNull { installed = try field.bool() }
        case .device: if !isNull { device = try field.choice(Device.self) }
        case .appBuild: if !isNull { appBuild = try field.int(in: 0...Int64.max) }
        case .country: if !isNull { country = try field.text() }
        case .authenticated: if !isNull { authenticated = try field.bool() }
        case .stickyKey: if !isNull { stickyKey = try Self.stickyKey(field) }
        case .inAppBrowser: if !isNull { inAppBrowser = try field.bool() }
        case .traits:
            guard !isNull else { break }
            for (name, value) in try field.anyObject().all where value.node.value != .null {
                let values = try traitValues(value)
                if values.count > Self.maximumTraitValues {
                    warnings.append(
                        "\(value.path) has \(values.count) values; the first \(Self.maximumTraitValues) are used."
                    )
                }
                traits[name] = Array(values.prefix(Self.maximumTraitValues))
            }
        case .now:
            guard !isNull else { break }
            guard let instant = Timestamp(try field.text()) else {
                throw field.error("\(field.shown) is not a timestamp; write one such as 2026-11-21T10:00:00Z.")
            }
            now = instant
        }
    }

    // Every route with a condition on these may compare them.

    /// The maximum number of languages that count.
    private static let maximumLanguages = 16
    /// The maximum number of values of one trait that count.
    private static let maximumTraitValues = 100
    /// In UTF-8 bytes.
    private static let maximumStickyKeyLength = 1_024

    private static func stickyKey(_ field: DocumentField) throws(DocumentError) -> String {
        let key = try field.text()
        guard key.utf8.count <= maximumStickyKeyLength else {
            throw field.error("the key has \(key.utf8.count) bytes; at most \(maximumStickyKeyLength) are allowed.")
        }
        return key
    }

    private static func languages(_ field: DocumentField, _ warnings: inout [String]) throws(DocumentError)
        -> [LanguageTag]
    {
        let fields = try field.oneOrMore()
        if fields.count > maximumLanguages {
            warnings.append("\(field.path) has \(fields.count) languages; the first \(maximumLanguages) are used.")
        }
        var tags: [LanguageTag] = []
        for field in fields.prefix(maximumLanguages) {
            guard let tag = LanguageTag(try field.text()) else {
                warnings.append("\(field.path) is not a language tag and was ignored.")
                continue
            }
            tags.append(tag)
        }
        return tags
    }

    private static func version(_ field: DocumentField, _ warnings: inout [String]) throws(DocumentError) -> Version? {
        let version = Version(try field.textOrNumber())
        if version == nil { warnings.append("\(field.path) is not a version and is treated as unknown.") }
        return version
    }
}
