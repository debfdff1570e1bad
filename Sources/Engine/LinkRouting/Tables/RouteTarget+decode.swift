extension RouteTarget {
    // Every response contains these texts.
    static let maximumDataBytes = 4_096
    fileprivate static let maximumCampaignBytes = 1_024

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
            guard DocumentSize(of: data.node).bytes <= Self.maximumDataBytes else {
                throw data.error(
                    "'data' has more than \(Self.maximumDataBytes) bytes; let the app fetch larger data itself."
                )
            }
            self.data = data.node
        }
        if let campaign = object["campaign"] {
            _ = try text(campaign, maximumBytes: Self.maximumCampaignBytes)
            self.campaign = try template(campaign)
        }
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

    private static let maximumBytes = 8_192
    private static let maximumStack = 16

    init(_ field: DocumentField) throws(DocumentError) {
        guard field.node.text == nil else { throw field.error("write {screen: \(field.shown)}.") }
        let object = try field.object(Self.keys)
        try Open.refuseManyBytes(object, field)
        self.init(screen: try object.required("screen").text())
        guard !screen.isEmpty else { throw field.error("'screen' is empty; name a screen of the app.") }
        if let arguments = object["arguments"] { self.arguments = try Open.arguments(arguments) }
        if let stack = object["stack"] {
            let entries = try stack.list()
            guard entries.count <= Self.maximumStack else {
                throw stack.error("'stack' has \(entries.count) screens; at most \(Self.maximumStack) are allowed.")
            }
            for entry in entries {
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

    /// The URI has a limit of its own.
    private static func refuseManyBytes(_ object: ObjectField, _ field: DocumentField) throws(DocumentError) {
        let bytes = ["screen", "arguments", "stack"].reduce(0) {
            $0 + (object[$1].map { DocumentSize(of: $0.node).bytes } ?? 0)
        }
        guard bytes <= maximumBytes else {
            throw field.error(
                "'open' has \(bytes) bytes besides its 'uri'; at most \(maximumBytes) are allowed. Let the app fetch larger "
                    + "data itself."
            )
        }
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
            let campaign = try field.object(StoreTarget.keys)["campaign"]
            self = StoreTarget(
                campaign: try campaign.map { field throws(DocumentError) in
                    try text(field, maximumBytes: RouteTarget.maximumCampaignBytes)
                }
            )
        }
    }
}

extension MinimumVersion {
    package static let buildKeys = ["build"]

    /// The maximum number of apps in settings.
    private static let maximumApps = 256

    /// Reads a version, `{build: 412}`, or an object of these by app id.
    init(_ field: DocumentField) throws(DocumentError) {
        guard field.node.members != nil, field.node["build"]?.int == nil else {
            self = .everyApp(try Self.minimum(field))
            return
        }
        var minimums: [AppID: Minimum] = [:]
        let members = try field.anyObject().all
        guard members.count <= Self.maximumApps else {
            throw field.error("at most \(Self.maximumApps) apps can have a minimum; remove some.")
        }
        for (key, value) in members {
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
        case nil where field.node.elements != nil:
            let names = try texts(field)
            // Each item of a link is compared with each of these names.
            guard names.count <= Route.maximumQueryItems else {
                throw field.error(
                    "at most \(Route.maximumQueryItems) query items can be forwarded by name; remove some."
                )
            }
            self = .names(names)
        default: throw field.error("\(field.shown) is not valid; write all, none, or a list of names.")
        }
    }
}

extension Experiment {
    package static let keys = ["id", "salt", "variants"]
    package static let variantKeys = [
        "name", "weight", "open", "web", "store", "data", "campaign", "forward", "signIn",
    ]

    /// For the id and the variants' names, which every event contains, and for the salt.
    private static let maximumNameBytes = 128

    init(_ field: DocumentField, _ target: RouteTarget, salt: String) throws(DocumentError) {
        let object = try field.object(Self.keys)
        let id = try text(try object.required("id"), maximumBytes: Self.maximumNameBytes)
        let fields = try object.required("variants").list()
        guard (1...100).contains(fields.count) else {
            throw field.error("an experiment must have 1 to 100 variants.")
        }
        var variants: [Variant] = []
        for field in fields {
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
            let name = try text(try variant.required("name"), maximumBytes: Self.maximumNameBytes)
            guard !variants.contains(where: { $0.name == name }) else {
                throw field.error("duplicate variant name '\(name)'; give each variant its own.")
            }
            let weight = try variant["weight"]?.int(in: 1...1_000_000) ?? 1
            variants.append(Variant(name: name, weight: Int(weight), target: merged))
        }
        let salt = try object["salt"].map { field throws(DocumentError) in
            try text(field, maximumBytes: Self.maximumNameBytes)
        }
        self.init(id: id, salt: salt ?? id, variants: variants)
    }
}

private func webTemplate(_ field: DocumentField) throws(DocumentError) -> URLTemplate {
    let template = try urlTemplate(field)
    guard template.host != nil else {
        throw field.error("\(field.shown) is not a web page; write https://…, or use 'open'.")
    }
    return template
}
