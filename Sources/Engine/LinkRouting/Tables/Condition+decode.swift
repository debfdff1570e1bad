extension QueryCondition {
    package static let keys = ["present", "absent", "equals", "oneOf", "capture", "as"]

    // Responses contain the captured names and defaults.
    private static let maximumNameBytes = 256
    private static let maximumParameterBytes = 64
    private static let maximumDefaultBytes = 256

    /// Reads one member of `query`: `present`, `absent`, a capture such as `int`, `int?` or `int = 1`, a boolean, or an
    /// object.
    init(name: String, _ field: DocumentField) throws(DocumentError) {
        self.name = name
        guard !name.isEmpty else { throw field.error("a query item needs a name.") }
        try refuseLength(of: name, Self.maximumNameBytes, "the name of the query item", field)
        if let isPresent = field.node.bool {
            test = isPresent ? .present : .absent
            return
        }
        guard field.node.text == nil else {
            test = try Self.shorthand(try patternText(field), name: name, field)
            return
        }
        let object = try field.object(Self.keys)
        if let capture = object["capture"] {
            let parameter =
                try object["as"].map { field throws(DocumentError) in
                    try LinkRouting.text(field, maximumBytes: Self.maximumParameterBytes)
                } ?? name
            test = try Self.capture(try patternText(capture), parameter: parameter, capture)
        } else if let equals = object["equals"] {
            test = .oneOf(ListedValues([try equals.textOrNumber()]))
        } else if let oneOf = object["oneOf"] {
            test = .oneOf(ListedValues(try texts(oneOf)))
        } else if let present = object["present"] {
            test = try present.bool() ? .present : .absent
        } else if let absent = object["absent"] {
            test = try absent.bool() ? .absent : .present
        } else {
            throw field.error(
                "write present, absent, a type such as int, int? or int = 1, {equals: …} or {oneOf: […]}."
            )
        }
    }

    private static func shorthand(_ text: String, name: String, _ field: DocumentField) throws(DocumentError) -> Test {
        switch text {
        case "present": .present
        case "absent": .absent
        default: try capture(text, parameter: name, field)
        }
    }

    /// Parses a capture: `int` is required, `int?` is optional, `int = 1` has a default.
    private static func capture(_ text: String, parameter: String, _ field: DocumentField) throws(DocumentError) -> Test
    {
        guard isParameterName(parameter) else {
            throw field.error("'\(parameter)' is not a valid parameter name; write {capture: \(text), as: name}.")
        }
        var typeText = text[...]
        var need = Presence.required
        if let equals = text.firstRange(of: " = ") {
            typeText = text[..<equals.lowerBound]
            need = .defaultsTo(String(text[equals.upperBound...]))
        } else if typeText.hasSuffix("?") {
            typeText = typeText.dropLast()
            need = .optional
        }
        let type: ParameterType
        do throws(ParameterType.SyntaxError) {
            type = try ParameterType(typeText)
        } catch {
            guard !typeText.hasSuffix("..."), !typeText.hasSuffix("[]"), !typeText.hasPrefix("list") else {
                throw field.error(
                    "capturing a repeated item as a list is not supported: the first value is captured. Write the type of "
                        + "one value; the app finds all of them in the forwarded query."
                )
            }
            if let type = capturedType(ofForeign: text) {
                throw field.error(
                    "'\(text)' is not a type; write \(type) to capture the value, or present for any value."
                )
            }
            let value = text.utf8.allSatisfy(isPlain) ? text : JSONNode.string(text).json()
            throw field.error("\(error.description) To compare with a string, write {equals: \(value)}.")
        }
        try refuseManyValues(of: type, field)
        if case .defaultsTo(let value) = need {
            try refuseLength(of: value, maximumDefaultBytes, "the default", field)
            guard type.accepts(Array(value.utf8)[...]) else {
                throw field.error("the default '\(value)' does not match the type \(type); write a value that does.")
            }
        }
        return .capture(RoutePattern.Parameter(name: parameter, type: type), need)
    }
}

/// Returns the type to write instead of a parameter, such as `{id:int}` or `:id`; nil for another text.
private func capturedType(ofForeign text: String) -> String? {
    guard text.utf8.count <= 256 else { return nil }
    guard text.hasPrefix("{"), text.hasSuffix("}") else {
        return ForeignSegment(text).map { $0.pattern?.contains(":int") == true ? "int" : "string" }
    }
    let type = text.dropLast().drop { $0 != ":" }.dropFirst()
    return (try? ParameterType(type)) == nil ? "string" : String(type)
}

extension FragmentCondition {
    package static let keys = ["equals"]

    /// Reads the condition. A text that starts with `/` is a path pattern; any other text is compared literally.
    init(_ field: DocumentField) throws(DocumentError) {
        if field.node.text == nil {
            self = .equals(try field.object(Self.keys).required("equals").text())
            return
        }
        let text = try field.text()
        self = text.hasPrefix("/") ? .pattern(try pathPattern(field).keepingSegments()) : .equals(text)
    }
}

extension Condition {
    package static let keys = [
        "platform", "device", "osVersion", "appVersion", "appBuild", "locale", "country", "authenticated", "traits",
        "inAppBrowser", "time", "rollout", "apps", "not", "anyOf",
    ]
    package static let rangeKeys = ["from", "until"]
    package static let rolloutKeys = ["percent", "salt"]

    // Each evaluation hashes these texts.
    private static let maximumTraitBytes = 128
    private static let maximumSaltBytes = 128

    /// Reads a `when`: every member of an object must hold; a list of objects is an OR. A rollout without its own salt
    /// takes `salt`, the route's id, so that two routes split people differently.
    init(_ field: DocumentField, salt: String) throws(DocumentError) {
        if field.node.elements != nil {
            self = .any(try conditions(try field.oneOrMore(), salt))
            return
        }
        if let text = field.node.text {
            let platform = Platform(rawValue: text).map { "platform: \($0.rawValue)" }
            let device = Device(rawValue: text).map { "device: \($0.rawValue)" }
            throw field.error("\(field.shownKind); write {\(platform ?? device ?? "platform: ios")}.")
        }
        let object = try field.anyObject()
        try object.refuseKeys(besides: Self.keys)
        var parts: [Condition] = []
        for (key, value) in object.all where value.node.value != .null {
            parts.append(try Self.part(key, value, salt))
        }
        guard !parts.isEmpty else { throw field.error("'when' is empty; leave it out or write a condition.") }
        self = parts.count == 1 ? parts[0] : .all(parts)
    }

    private static func part(_ key: String, _ value: DocumentField, _ salt: String) throws(DocumentError) -> Condition {
        switch key {
        case "platform": return .platform(try choices(value, Platform.self))
        case "device": return .device(try choices(value, Device.self))
        case "osVersion": return .osVersion(try versions(value))
        case "appVersion": return .appVersion(try versions(value))
        case "appBuild":
            guard value.node.members != nil else {
                throw value.error("\(value.shownKind); write {from: 400}, {until: 500} or both.")
            }
            let range = try value.object(rangeKeys)
            let from = try range["from"]?.int(in: 0...Int64.max)
            let until = try range["until"]?.int(in: 0...Int64.max)
            guard from != nil || until != nil else { throw value.error("write {from: 400}, {until: 500} or both.") }
            return .appBuild(BuildRange(from: from, until: until))
        case "locale":
            var tags: [LanguageTag] = []
            for field in try value.oneOrMore() {
                guard let tag = LanguageTag(try field.text()), !tag.isRange else {
                    throw field.error("\(field.shown) is not a language tag; write one such as en or en-GB.")
                }
                guard tag.subtagCount <= LanguageTag.maximumSubtags else {
                    throw field.error(
                        "\(field.shown) has more than \(LanguageTag.maximumSubtags) parts; write a shorter tag."
                    )
                }
                tags.append(tag)
            }
            return .locale(tags)
        case "country":
            for field in try value.oneOrMore() where try field.text().utf8.count != 2 {
                throw field.error("\(field.shown) is not a country; write two letters such as GB.")
            }
            return .country(ListedValues(try texts(value)))
        case "authenticated": return .authenticated(try value.bool())
        case "inAppBrowser": return .inAppBrowser(try value.bool())
        case "traits":
            var traits: [Condition] = []
            for (name, values) in try value.anyObject().all {
                try refuseLength(of: name, maximumTraitBytes, "the name of the trait", values)
                traits.append(.trait(name, oneOf: ListedValues(try traitValues(values))))
            }
            guard !traits.isEmpty else {
                throw value.error("name a trait and its values, as in {userType: [premium]}.")
            }
            return traits.count == 1 ? traits[0] : .all(traits)
        case "time": return try time(value)
        case "rollout": return .rollout(try rollout(value, salt))
        case "apps":
            var apps: [AppID] = []
            for field in try value.oneOrMore() { apps.append(try field.identifier(AppID.self)) }
            return .apps(apps)
        case "not":
            return .not(try Condition(value, salt: salt))
        default:
            return .any(try conditions(try value.oneOrMore(), salt))
        }
    }

    private static func versions(_ field: DocumentField) throws(DocumentError) -> VersionRange {
        guard field.node.members != nil else {
            throw field.error(
                "\(field.shownKind); write {from: \"17.0\"}, {until: \"18.0\"} or both."
            )
        }
        let object = try field.object(rangeKeys)
        let from = try object["from"].map { field throws(DocumentError) in try version(field) }
        let until = try object["until"].map { field throws(DocumentError) in try version(field) }
        guard from != nil || until != nil else {
            throw field.error("write {from: \"17.0\"}, {until: \"18.0\"} or both.")
        }
        return VersionRange(from: from, until: until)
    }

    private static func time(_ field: DocumentField) throws(DocumentError) -> Condition {
        let object = try field.object(rangeKeys)
        func instant(_ key: String) throws(DocumentError) -> Timestamp? {
            guard let field = object[key] else { return nil }
            guard let instant = Timestamp(try field.text()) else {
                throw field.error("\(field.shown) is not a timestamp; write one such as 2026-11-21T10:00:00Z.")
            }
            return instant
        }
        let (from, until) = (try instant("from"), try instant("until"))
        guard from != nil || until != nil else { throw field.error("write {from: …}, {until: …} or both.") }
        if let from, let until, from >= until {
            throw field.error("'from' must be before 'until'.")
        }
        return .time(from: from, until: until)
    }

    private static func rollout(_ field: DocumentField, _ salt: String) throws(DocumentError) -> Rollout {
        var percent = field
        var salt = salt
        if field.node.members != nil {
            let object = try field.object(rolloutKeys)
            percent = try object.required("percent")
            if let own = object["salt"] { salt = try text(own, maximumBytes: maximumSaltBytes) }
        }
        guard let value = percent.node.double, value >= 0, value <= 100 else {
            throw percent.error("\(percent.shown) is not a percentage; write a number from 0 to 100, such as 10.")
        }
        // `rounded()` would need the C math library, which a program that uses only this module does not link.
        return Rollout(basisPoints: Int(value * 100 + 0.5), salt: salt)
    }
}

private func conditions(_ fields: [DocumentField], _ salt: String) throws(DocumentError) -> [Condition] {
    var conditions: [Condition] = []
    for field in fields { conditions.append(try Condition(field, salt: salt)) }
    return conditions
}

private func choices<Choice: RawRepresentable & CaseIterable>(
    _ field: DocumentField,
    _ type: Choice.Type
) throws(DocumentError) -> [Choice] where Choice.RawValue == String {
    var choices: [Choice] = []
    for field in try field.oneOrMore() { choices.append(try field.choice(type)) }
    return choices
}

private let maximumTraitValueBytes = 256

func traitValues(_ field: DocumentField) throws(DocumentError) -> [String] {
    var values: [String] = []
    for field in try field.oneOrMore() {
        if let flag = field.node.bool {
            values.append("\(flag)")
        } else {
            let value = try field.textOrNumber()
            try refuseLength(of: value, maximumTraitValueBytes, "the value", field)
            values.append(value)
        }
    }
    return values
}

/// Reads one text or a list of texts; numbers count as texts.
func texts(_ field: DocumentField) throws(DocumentError) -> [String] {
    var texts: [String] = []
    for field in try field.oneOrMore() { texts.append(try field.textOrNumber()) }
    return texts
}

func version(_ field: DocumentField) throws(DocumentError) -> Version {
    guard let version = Version(try field.textOrNumber()) else {
        throw field.error("\(field.shown) is not a version; write one such as \"2.0\".")
    }
    return version
}

func pathPattern(_ field: DocumentField) throws(DocumentError) -> RoutePattern {
    let text = try patternText(field)
    let pattern: RoutePattern
    do throws(RoutePattern.SyntaxError) {
        pattern = try RoutePattern(text)
    } catch {
        throw field.error(error.description)
    }
    // A pattern with too many values has at least twice as many bytes. Shorter patterns need no check.
    guard text.utf8.count > 2 * RoutePattern.maximumValues else { return pattern }
    for segment in pattern.segments {
        switch segment {
        case .parameter(let parameter): try refuseManyValues(of: parameter.type, field)
        case .mixed(let mixed): for piece in mixed.pieces { try refuseManyValues(of: piece.parameter.type, field) }
        case .literal, .any, .rest: continue
        }
    }
    return pattern
}

/// Reads a text of limited length.
func text(_ field: DocumentField, maximumBytes: Int) throws(DocumentError) -> String {
    let text = try field.text()
    try refuseLength(of: text, maximumBytes, "the text", field)
    return text
}

/// Refuses a text that is too long.
private func refuseLength(
    of text: String,
    _ maximumBytes: Int,
    _ name: String,
    _ field: DocumentField
) throws(DocumentError) {
    guard text.utf8.count <= maximumBytes else {
        throw field.error("\(name) has \(text.utf8.count) bytes; at most \(maximumBytes) are allowed.")
    }
}

/// Reads the text of a pattern or type. Its length is limited because a link is compared with it as a whole.
func patternText(_ field: DocumentField) throws(DocumentError) -> String {
    let text = try field.text()
    guard text.utf8.count <= RoutePattern.maximumBytes else {
        throw field.error(
            "a pattern can have at most \(RoutePattern.maximumBytes) bytes; split it into several routes."
        )
    }
    return text
}

func refuseManyValues(of type: ParameterType, _ field: DocumentField) throws(DocumentError) {
    guard case .oneOf(let values) = type, values.count > RoutePattern.maximumValues else { return }
    throw field.error("a set can have at most \(RoutePattern.maximumValues) values; split it into several routes.")
}
