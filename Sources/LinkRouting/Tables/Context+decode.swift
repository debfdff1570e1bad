extension Context {
    private static let keys = [
        "app", "platform", "device", "osVersion", "appVersion", "appBuild", "installed", "locale", "country",
        "authenticated",
        "traits", "stickyKey", "inAppBrowser", "now", "occurredAt",
    ]

    /// Reads a `context` object. Unknown keys are ignored and reported in `warnings`. An unreadable version or language
    /// tag counts as unknown and is reported as well. `occurredAt` is accepted, but belongs to the request and not to
    /// the context. `now` is honoured by suites and offline runs only.
    public init(_ field: Field, warnings: inout [String]) throws(DocumentError) {
        self.init()
        let object = try field.anyObject()
        for (key, value) in object.all where !Self.keys.contains(key) {
            warnings.append("\(value.path) is not known and was ignored.")
        }
        app = try object["app"]?.identifier(AppID.self)
        platform = try object["platform"]?.choice(Platform.self)
        device = try object["device"]?.choice(Device.self)
        osVersion = try Self.version(object["osVersion"], &warnings)
        appVersion = try Self.version(object["appVersion"], &warnings)
        appBuild = try object["appBuild"]?.int(in: 0...Int64.max)
        installed = try object["installed"]?.bool() ?? true
        for field in try object["locale"]?.oneOrMore() ?? [] {
            guard let tag = LanguageTag(try field.text()) else {
                warnings.append("\(field.path) is not a language tag and was ignored.")
                continue
            }
            locale.append(tag)
        }
        country = try object["country"]?.text()
        authenticated = try object["authenticated"]?.bool()
        for (name, value) in try object["traits"]?.anyObject().all ?? [] where value.node.value != .null {
            traits[name] = try traitValues(value)
        }
        stickyKey = try object["stickyKey"]?.text()
        inAppBrowser = try object["inAppBrowser"]?.bool()
        if let now = object["now"] {
            guard let instant = Timestamp(try now.text()) else {
                throw now.error("\(now.shown) is not a timestamp; write one such as 2026-11-21T10:00:00Z.")
            }
            self.now = instant
        }
    }

    private static func version(_ field: Field?, _ warnings: inout [String]) throws(DocumentError) -> Version? {
        guard let field else { return nil }
        let version = Version(try field.textOrNumber())
        if version == nil { warnings.append("\(field.path) is not a version and is treated as unknown.") }
        return version
    }
}
