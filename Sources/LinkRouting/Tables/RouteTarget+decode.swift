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

private func webTemplate(_ field: DocumentField) throws(DocumentError) -> URLTemplate {
    let template = try urlTemplate(field)
    guard template.host != nil else {
        throw field.error("\(field.shown) is not a web page; write https://…, or use 'open'.")
    }
    return template
}
