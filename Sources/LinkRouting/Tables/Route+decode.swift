extension Route {
    package static let keys = [
        "id", "owner", "tags", "note", "host", "path", "query", "fragment", "when", "caseSensitive", "trailingSlash",
        "open",
        "web", "store", "minimumVersion", "signIn", "forward", "data", "campaign", "sensitive", "audience", "block",
        "experiment", "requires",
    ]

    /// Limits for routes that are written; stored routes are not checked.
    private static let maximumQueryItems = 64
    private static let maximumConditions = 64
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
            try self.init(placeOf: object, id: id, defaults: defaults, unsupported: unsupported)
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
            guard field.isStored || items.count <= Self.maximumQueryItems else {
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
        sensitive = Set(try object["sensitive"].map(texts) ?? [])
        behaviour = try Self.behaviour(object)
        if let experiment = object["experiment"] {
            guard case .answer(let target) = behaviour else {
                throw experiment.error("a route that blocks cannot have variants; remove 'experiment' or 'block'.")
            }
            self.experiment = try Experiment(experiment, target, salt: id.rawValue)
        }
        try refuseDoubledNames(field)
    }

    /// Reads the keys that tell which links the route may match, and its precedence.
    private init(
        placeOf object: ObjectField,
        id: RouteID,
        defaults: Defaults,
        unsupported: [String]
    ) throws(DocumentError) {
        self.init(id: id, path: try pathPattern(try object.required("path")), unsupported: unsupported)
        letterCase = try object["caseSensitive"].map(LetterCase.init) ?? defaults.letterCase
        if let host = object["host"] { self.host = try hostPattern(host) }
    }

    /// Reads the place of a route that cannot be read as a whole, for a reason that its table does not announce. Like a
    /// route that requires an unknown feature, it keeps its place in the order, and its links are undecided.
    init(unreadable field: DocumentField, defaults: Defaults) throws(DocumentError) {
        let object = try field.anyObject()
        let id = try object.required("id").identifier(RouteID.self)
        try self.init(placeOf: object, id: id, defaults: defaults, unsupported: [Self.unreadable])
    }

    private static func behaviour(_ object: ObjectField) throws(DocumentError) -> Behaviour {
        guard let block = object["block"] else { return .answer(try RouteTarget(object, forward: .all)) }
        for key in ["open", "web", "store", "minimumVersion", "signIn", "forward", "data", "campaign"] {
            if let field = object[key] {
                throw field.error("a route that blocks cannot have a destination; remove '\(key)' or 'block'.")
            }
        }
        let reason = try block.text()
        guard !reason.isEmpty else {
            throw block.error("'block' is empty; write a reason for the person who follows the link.")
        }
        return .block(reason: reason)
    }

    /// Limits the conditions of a route, because matching evaluates each of them.
    private func refuseManyConditions(_ field: DocumentField) throws(DocumentError) {
        guard !field.isStored else { return }
        let (conditions, listed) = when?.size ?? (0, 0)
        guard conditions <= Self.maximumConditions else {
            throw field.error(
                "'when' has \(conditions) conditions; a route can have at most \(Self.maximumConditions)."
            )
        }
        let values = query.reduce(listed) { $0 + $1.test.listedCount }
        guard values <= Self.maximumListedValues else {
            throw field.error(
                "the route's conditions list \(values) values; at most \(Self.maximumListedValues) are allowed."
            )
        }
    }

    private func refuseDoubledNames(_ field: DocumentField) throws(DocumentError) {
        // A path alone has no doubled names, or its pattern would not have been read.
        guard $host.isPresent || !query.isEmpty || $fragment.isPresent || !sensitive.isEmpty else { return }
        var seen: Set<String> = []
        for name in parameterNames where !seen.insert(name).inserted {
            throw field.error("the parameter '\(name)' is captured twice; give each its own name.")
        }
        for name in sensitive where !seen.contains(name) {
            throw field.error("'sensitive' names '\(name)', which the route does not capture.")
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

extension RouteTarget {
    static let maximumDataBytes = 4_096

    /// Reads the keys of a route, a fallback or a variant that describe its destination.
    init(_ object: ObjectField, forward: Forwarding) throws(DocumentError) {
        self.init(forward: forward)
        if let open = object["open"] { self.open = try Open(open) }
        if let web = object["web"] { self.web = try WebTarget(web) }
        if let store = object["store"] { self.store = try StoreTarget?(store) }
        if let minimum = object["minimumVersion"] { minimumVersion = try MinimumVersion(minimum) }
        if let signIn = object["signIn"] {
            switch signIn.node.text {
            case "required": self.signIn = .required
            case "optional": self.signIn = .optional
            default: throw signIn.error("\(signIn.shown) is not one of: required, optional.")
            }
        }
        if let forward = object["forward"] { self.forward = try Forwarding(forward) }
        if let data = object["data"] {
            guard data.node.json().utf8.count <= Self.maximumDataBytes else {
                throw data.error(
                    "'data' has more than \(Self.maximumDataBytes) bytes; let the app fetch larger data itself."
                )
            }
            self.data = data.node
        }
        if let campaign = object["campaign"] { self.campaign = try template(campaign) }
        if let association = object["association"] {
            switch association.node.text {
            case "open": self.association = .open
            case "closed": self.association = .closed
            default: throw association.error("\(association.shown) is not one of: open, closed.")
            }
        }
    }
}

extension Open {
    package static let keys = ["screen", "arguments", "stack", "uri"]
    package static let stackKeys = ["screen", "arguments"]

    init(_ field: DocumentField) throws(DocumentError) {
        guard field.node.text == nil else { throw field.error("write {screen: \(field.shown)}.") }
        let object = try field.object(Self.keys)
        self.init(screen: try object.required("screen").text())
        guard !screen.isEmpty else { throw field.error("'screen' is empty; name a screen of the app.") }
        if let arguments = object["arguments"] { self.arguments = try Open.arguments(arguments) }
        if let stack = object["stack"] {
            for entry in try stack.list() {
                if let name = entry.node.text {
                    self.stack.append(Screen(name: name))
                } else {
                    let screen = try entry.object(Self.stackKeys)
                    self.stack.append(
                        Screen(
                            name: try screen.required("screen").text(),
                            arguments: try screen["arguments"].map(Open.arguments) ?? []
                        )
                    )
                }
            }
        }
        if let uri = object["uri"] { self.uri = try urlTemplate(uri) }
    }

    private static func arguments(_ field: DocumentField) throws(DocumentError) -> [Argument] {
        var arguments: [Argument] = []
        for (name, value) in try field.anyObject().all {
            let template =
                value.node.text == nil ? ArgumentTemplate.constant(value.node) : .template(try template(value))
            arguments.append(Argument(name: name, value: template))
        }
        return arguments
    }
}

extension WebTarget {
    package static let keys = ["ios", "ipad", "android", "desktop", "default"]

    init(_ field: DocumentField) throws(DocumentError) {
        guard field.node.text == nil else {
            self.init(default: try webTemplate(field))
            return
        }
        let object = try field.object(Self.keys)
        self.init(
            ios: try object["ios"].map(webTemplate),
            ipad: try object["ipad"].map(webTemplate),
            android: try object["android"].map(webTemplate),
            desktop: try object["desktop"].map(webTemplate),
            default: try object["default"].map(webTemplate)
        )
        guard !all.isEmpty else {
            throw field.error("write a URL, or an object with ios, ipad, android, desktop or default.")
        }
    }
}

extension StoreTarget {
    package static let keys = ["campaign"]
}

extension StoreTarget? {
    /// Reads `true`, `false` or `{campaign: …}`.
    init(_ field: DocumentField) throws(DocumentError) {
        if let offers = field.node.bool {
            self = offers ? StoreTarget() : nil
        } else {
            guard field.node.members != nil else {
                throw field.error("\(field.shownKind); write true, false or {campaign: spring}.")
            }
            self = StoreTarget(campaign: try field.object(StoreTarget.keys)["campaign"]?.text())
        }
    }
}

extension MinimumVersion {
    package static let buildKeys = ["build"]

    /// Reads a version, `{build: 412}`, or an object of these by app id.
    init(_ field: DocumentField) throws(DocumentError) {
        guard field.node.members != nil, field.node["build"]?.int == nil else {
            self = .everyApp(try Self.minimum(field))
            return
        }
        var minimums: [AppID: Minimum] = [:]
        for (key, value) in try field.anyObject().all {
            guard let app = AppID(key) else { throw value.error("'\(key)' is not the id of an app.") }
            minimums[app] = try Self.minimum(value)
        }
        self = .byApp(minimums)
    }

    private static func minimum(_ field: DocumentField) throws(DocumentError) -> Minimum {
        guard field.node.members != nil else { return .version(try version(field)) }
        return .build(try field.object(buildKeys).required("build").int(in: 0...Int64.max))
    }
}

extension Forwarding {
    init(_ field: DocumentField) throws(DocumentError) {
        switch field.node.text {
        case "all": self = .all
        case "none": self = .none
        case nil: self = .names(try texts(field))
        default: throw field.error("\(field.shown) is not valid; write all, none, or a list of names.")
        }
    }
}

extension Experiment {
    package static let keys = ["id", "salt", "variants"]
    package static let variantKeys = [
        "name", "weight", "open", "web", "store", "data", "campaign", "forward", "signIn",
    ]

    init(_ field: DocumentField, _ target: RouteTarget, salt: String) throws(DocumentError) {
        let object = try field.object(Self.keys)
        let id = try object.required("id").text()
        var variants: [Variant] = []
        for field in try object.required("variants").list() {
            let variant = try field.object(Self.variantKeys)
            let own = try RouteTarget(variant, forward: target.forward)
            var merged = target
            merged.open = own.open ?? target.open
            merged.web = own.web ?? target.web
            if variant["store"] != nil { merged.store = own.store }
            merged.data = own.data ?? target.data
            merged.campaign = own.campaign ?? target.campaign
            merged.forward = own.forward
            if variant["signIn"] != nil { merged.signIn = own.signIn }
            let name = try variant.required("name").text()
            guard !variants.contains(where: { $0.name == name }) else {
                throw field.error("duplicate variant name '\(name)'; give each variant its own.")
            }
            let weight = try variant["weight"]?.int(in: 1...1_000_000) ?? 1
            variants.append(Variant(name: name, weight: Int(weight), target: merged))
        }
        guard (1...100).contains(variants.count) else {
            throw field.error("an experiment must have 1 to 100 variants.")
        }
        self.init(id: id, salt: try object["salt"]?.text() ?? id, variants: variants)
    }
}

func template(_ field: DocumentField) throws(DocumentError) -> Template {
    let text = try field.text()
    do throws(Template.SyntaxError) {
        return try Template(text)
    } catch {
        throw field.error(error.description)
    }
}

func urlTemplate(_ field: DocumentField) throws(DocumentError) -> URLTemplate {
    let text = try field.text()
    do throws(Template.SyntaxError) {
        return try URLTemplate(text)
    } catch {
        throw field.error(error.description)
    }
}

private func webTemplate(_ field: DocumentField) throws(DocumentError) -> URLTemplate {
    let template = try urlTemplate(field)
    guard template.host != nil else {
        throw field.error("\(field.shown) is not a web page; write https://…, or use 'open'.")
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

extension QueryCondition.Test {
    /// The number of values that the item is compared with.
    fileprivate var listedCount: Int {
        switch self {
        case .oneOf(let values): return values.count
        case .capture(let parameter, _):
            guard case .oneOf(let values) = parameter.type else { return 0 }
            return values.count
        case .present, .absent: return 0
        }
    }
}

extension Condition {
    /// The number of conditions, and of the values that they list.
    fileprivate var size: (conditions: Int, values: Int) {
        switch self {
        case .platform(let platforms): (1, platforms.count)
        case .device(let devices): (1, devices.count)
        case .locale(let tags): (1, tags.count)
        case .country(let countries): (1, countries.count)
        case .trait(_, let values): (1, values.count)
        case .apps(let apps): (1, apps.count)
        case .all(let conditions), .any(let conditions):
            conditions.reduce((0, 0)) { sum, condition in
                let size = condition.size
                return (sum.0 + size.conditions, sum.1 + size.values)
            }
        case .not(let condition): condition.size
        case .osVersion, .appVersion, .appBuild, .authenticated, .inAppBrowser, .time, .rollout: (1, 0)
        }
    }
}

func unknownFeatures(_ field: DocumentField) throws(DocumentError) -> [String] {
    try texts(field).filter { !RouteTable.features.contains($0) }
}
