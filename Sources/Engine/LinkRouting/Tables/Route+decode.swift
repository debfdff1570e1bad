extension Route {
    package static let keys = [
        "id", "owner", "tags", "note", "host", "path", "query", "fragment", "when", "caseSensitive", "trailingSlash",
        "open",
        "web", "store", "minimumVersion", "signIn", "forward", "data", "campaign", "preview", "sensitive", "audience",
        "block", "follow", "experiment", "requires",
    ]

    static let maximumQueryItems = 64
    private static let maximumConditions = 64
    private static let maximumReasonBytes = 4_096
    /// For all conditions of a route together.
    private static let maximumListedValues = 1_000

    /// Table-wide defaults for route settings.
    struct Defaults {
        var letterCase = LetterCase.sensitive
        var trailingSlash = TrailingSlash.ignored
    }

    init(_ field: DocumentField, defaults: Defaults) throws(DocumentError) {
        let object = try field.anyObject()
        let id = try object.required("id").identifier(RouteID.self)
        let unsupported = try object["requires"].map { field throws(DocumentError) in try unknownFeatures(field) } ?? []
        guard unsupported.isEmpty else {
            // The other keys may mean anything.
            try self.init(matchingKeysOf: object, id: id, defaults: defaults, unsupported: unsupported)
            return
        }
        try object.refuseKeys(besides: Self.keys)
        self.init(id: id, path: try pathPattern(try object.required("path")))
        owner = try object["owner"]?.text()
        tags = try object["tags"].map(texts) ?? []
        note = try object["note"]?.text()
        letterCase = try object["caseSensitive"].map(LetterCase.init) ?? defaults.letterCase
        trailingSlash = try object["trailingSlash"].map(TrailingSlash.init) ?? defaults.trailingSlash
        if let host = object["host"] { self.host = try hostPattern(host) }
        if let query = object["query"] {
            let items = try query.anyObject().all
            guard items.count <= Self.maximumQueryItems else {
                throw query.error("a route can name at most \(Self.maximumQueryItems) query items; remove some.")
            }
            for (name, value) in items {
                self.query.append(try QueryCondition(name: name, value))
            }
        }
        if let fragment = object["fragment"] { self.fragment = try FragmentCondition(fragment) }
        if let when = object["when"] { self.when = try Condition(when, salt: id.rawValue) }
        try refuseManyConditions(field)
        if let audience = object["audience"] {
            switch try audience.text() {
            case "everyone": self.audience = .everyone
            case "server": self.audience = .server
            default: throw audience.error("\(audience.shown) is not one of: everyone, server.")
            }
        }
        if let sensitive = object["sensitive"] { self.sensitive = try sensitiveNames(sensitive) }
        behaviour = try behaviour(object)
        // Codes and whole links have too many values for the log.
        if case .follow(let follow) = behaviour { sensitive.insert(follow.parameter) }
        if let experiment = object["experiment"] {
            guard case .answer(let target) = behaviour else {
                let key = object["block"] == nil ? "follow" : "block"
                throw experiment.error("a route with '\(key)' cannot have variants; remove 'experiment' or '\(key)'.")
            }
            self.experiment = try Experiment(experiment, target, salt: id.rawValue)
        }
        if let preview = object["preview"] { self.preview = try PreviewTemplates(preview) }
        try refuseDoubledNames(field)
    }

    /// Reads the keys that determine the links that the route may match, and its precedence.
    private init(
        matchingKeysOf object: ObjectField,
        id: RouteID,
        defaults: Defaults,
        unsupported: [String]
    ) throws(DocumentError) {
        self.init(id: id, path: try pathPattern(try object.required("path")), unsupported: unsupported)
        letterCase = try object["caseSensitive"].map(LetterCase.init) ?? defaults.letterCase
        if let host = object["host"] { self.host = try hostPattern(host) }
    }

    /// Reads the matching keys of a route that cannot be read as a whole, for a reason that its table does not announce.
    /// Like a route that requires an unknown feature, it keeps its position in the order, and its links are undecided.
    init(unreadable field: DocumentField, defaults: Defaults) throws(DocumentError) {
        let object = try field.anyObject()
        let id = try object.required("id").identifier(RouteID.self)
        try self.init(matchingKeysOf: object, id: id, defaults: defaults, unsupported: [Self.unreadable])
    }

    private func behaviour(_ object: ObjectField) throws(DocumentError) -> Behaviour {
        if let follow = object["follow"] {
            try refuseDestination(object, besides: "follow", "a route that follows")
            if let block = object["block"] {
                throw block.error("a route that follows cannot block; remove 'block' or 'follow'.")
            }
            return .follow(try self.follow(follow))
        }
        guard let block = object["block"] else { return .answer(try RouteTarget(object, forward: .all)) }
        try refuseDestination(object, besides: "block", "a route that blocks")
        let reason = try text(block, maximumBytes: Self.maximumReasonBytes)
        guard !reason.isEmpty else {
            throw block.error("'block' is empty; write a reason for the person who follows the link.")
        }
        return .block(reason: reason)
    }

    private func refuseDestination(_ object: ObjectField, besides own: String, _ subject: String)
        throws(DocumentError)
    {
        for key in ["open", "web", "store", "minimumVersion", "signIn", "forward", "data", "campaign", "preview"] {
            if let field = object[key] {
                throw field.error("\(subject) cannot have a destination; remove '\(key)' or '\(own)'.")
            }
        }
    }

    /// Reads `shortLinks`, or a captured parameter such as `{link}`.
    private func follow(_ field: DocumentField) throws(DocumentError) -> Follow {
        let text = try field.text()
        let names = parameterNames
        if text == "shortLinks" {
            guard names.contains(Follow.codeParameter) else {
                throw field.error("the route captures no code; write {code} in 'path', such as /s/{code}.")
            }
            return .shortLinks
        }
        guard text.hasPrefix("{"), text.hasSuffix("}") else {
            throw field.error(
                "\(field.shown) is not 'shortLinks' or a captured parameter such as \"{\(names.first ?? "link")}\"."
            )
        }
        let name = String(text.dropFirst().dropLast())
        guard names.contains(name) else {
            throw field.error("'follow' names '\(name)', which the route does not capture.")
        }
        return .parameter(name)
    }

    /// Limits the conditions of a route, because matching evaluates each of them.
    private func refuseManyConditions(_ field: DocumentField) throws(DocumentError) {
        let conditions = when?.size.conditions ?? 0
        guard conditions <= Self.maximumConditions else {
            throw field.error(
                "'when' has \(conditions) conditions; a route can have at most \(Self.maximumConditions)."
            )
        }
        let values = conditionSize.values
        guard values <= Self.maximumListedValues else {
            throw field.error(
                "the route's conditions list \(values) values; at most \(Self.maximumListedValues) are allowed."
            )
        }
    }

    /// Reads the names of captured parameters.
    private func sensitiveNames(_ field: DocumentField) throws(DocumentError) -> Set<String> {
        guard field.node.bool == nil else {
            let example = parameterNames.first ?? "token"
            throw field.error("\(field.shownKind); write a list of parameters, such as [\(example)].")
        }
        let captured = Set(parameterNames)
        var names: Set<String> = []
        for name in try field.oneOrMore() {
            let text = try name.textOrNumber()
            guard captured.contains(text) else {
                throw name.error("'sensitive' names '\(text)', which the route does not capture.")
            }
            names.insert(text)
        }
        return names
    }

    private func refuseDoubledNames(_ field: DocumentField) throws(DocumentError) {
        // A path alone has no doubled names, or its pattern would not have been read.
        guard $host.isPresent || !query.isEmpty || $fragment.isPresent else { return }
        var seen: Set<String> = []
        for name in parameterNames where !seen.insert(name).inserted {
            throw field.error("the parameter '\(name)' is captured twice; give each its own name.")
        }
    }
}

extension LetterCase {
    init(_ field: DocumentField) throws(DocumentError) { self = try field.bool() ? .sensitive : .ignored }
}

extension Route.TrailingSlash {
    init(_ field: DocumentField) throws(DocumentError) {
        switch field.node.text {
        case "strict": self = .strict
        case "ignore": self = .ignored
        default: throw field.error("\(field.shown) is not one of: ignore, strict.")
        }
    }
}

func template(_ field: DocumentField) throws(DocumentError) -> Template {
    let text = try field.text()
    let template: Template
    do throws(Template.SyntaxError) {
        template = try Template(text)
    } catch {
        throw field.error(error.description)
    }
    try refuseManyPlaceholders(template, field)
    return template
}

/// A placeholder is looked up among all captured parameters.
private func refuseManyPlaceholders(_ template: Template, _ field: DocumentField) throws(DocumentError) {
    guard template.parts.count > Template.maximumPlaceholders else { return }
    let count = template.parts.count {
        if case .parameter = $0 { true } else { false }
    }
    guard count <= Template.maximumPlaceholders else {
        throw field.error("the template uses \(count) parameters; at most \(Template.maximumPlaceholders) are allowed.")
    }
}

func urlTemplate(_ field: DocumentField) throws(DocumentError) -> URLTemplate {
    let text = try field.text()
    let template: URLTemplate
    do throws(Template.SyntaxError) {
        template = try URLTemplate(text)
    } catch {
        throw field.error(error.description)
    }
    try refuseManyPlaceholders(template.template, field)
    // Each item of a link is compared with each of these names.
    guard template.queryNames.count <= Route.maximumQueryItems else {
        throw field.error("a URL can set at most \(Route.maximumQueryItems) query items; remove some.")
    }
    return template
}

func hostPattern(_ field: DocumentField) throws(DocumentError) -> HostPattern {
    let text = try patternText(field)
    let pattern: HostPattern
    do throws(RoutePattern.SyntaxError) {
        pattern = try HostPattern(text)
    } catch {
        throw field.error(error.description)
    }
    if case .label(let parameter?, _) = pattern { try refuseManyValues(of: parameter.type, field) }
    return pattern
}

func unknownFeatures(_ field: DocumentField) throws(DocumentError) -> [String] {
    try texts(field).filter { !RouteTable.features.contains($0) }
}
