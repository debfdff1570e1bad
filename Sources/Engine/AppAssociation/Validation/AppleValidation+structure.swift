import LinkRouting

extension AppleValidation {
    private typealias File = AppleAppSiteAssociation

    private static let services = [
        "applinks", "webcredentials", "activitycontinuation", "appclips", "authsrv", "messagefilter",
        "classificationreport",
    ]

    mutating func checkStructure(of file: AppleAppSiteAssociation) {
        var tokens: [PointerToken] = []
        checkDuplicates(in: file.root, &tokens)
        let members = file.root.effectiveMembers
        for member in members where !Self.services.contains(member.key) {
            guard keeps(.unknownService), continues() else { break }
            let near = KeySpelling.nearest(to: member.key, among: Self.services)
            add(
                .unknownService,
                near == nil ? .info : .error,
                Location(key: member, in: ""),
                "No system reads '\(member.key.excerpt)'.",
                fix: near.map { "Write '\($0)'." } ?? "Remove it, or keep it for your own use."
            )
        }
        if !members.contains(where: { Self.services.contains($0.key) }) {
            add(
                .noService,
                Location(file.root, ""),
                "The file names no service, so it associates no app with the host.",
                fix: "Add 'applinks', 'webcredentials' or another service."
            )
        }
        for service in file.services { checkService(service) }
        guard let applinks = members.first(where: { $0.key == "applinks" })?.value else { return }
        guard let links = file.applinks else {
            return add(
                .detailsType,
                Location(applinks, "/applinks"),
                "'applinks' is \(applinks.kind); devices expect an object, so no link opens any app.",
                fix: "Write {\"details\": […]}."
            )
        }
        variables = PatternVariables(custom: links.substitutionVariables)
        checkApplinks(links, of: file)
    }

    /// A step from a value to one that it contains.
    private enum PointerToken {
        case key(String), index(Int)

        var text: String {
            switch self {
            case .key(let key): JSONNode.pointerToken(key)
            case .index(let index): "\(index)"
            }
        }
    }

    /// Reports duplicate keys at any depth. Most readers take the last value.
    /// - Parameter tokens: The way to `node`. Few of the nodes need a pointer.
    private mutating func checkDuplicates(in node: JSONNode, _ tokens: inout [PointerToken]) {
        switch node.value {
        case .object(let members):
            var seen: Set<String> = []
            for member in members {
                guard continues() else { return }
                if !seen.insert(member.key).inserted, keeps(.duplicateKey) {
                    add(
                        .duplicateKey,
                        Location(key: member, in: tokens.map { "/\($0.text)" }.joined()),
                        "Duplicate key '\(member.key.excerpt)' in this object. Which value applies is not documented; "
                            + "most readers use the last.",
                        fix: "Keep one of them."
                    )
                }
                tokens.append(.key(member.key))
                checkDuplicates(in: member.value, &tokens)
                tokens.removeLast()
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                guard continues() else { return }
                tokens.append(.index(index))
                checkDuplicates(in: element, &tokens)
                tokens.removeLast()
            }
        case .null, .bool, .number, .string: return
        }
    }

    private mutating func checkService(_ service: AppleAppSiteAssociation.Service) {
        let apps = service.node["apps"]
        guard let elements = apps?.elements else {
            return add(
                .serviceApps,
                Location(apps ?? service.node, apps == nil ? service.pointer : "\(service.pointer)/apps"),
                "'\(service.name.rawValue)' has no list 'apps', so it associates no app with the host.",
                fix: "Write {\"apps\": [\"PREFIX.bundle.id\"]}."
            )
        }
        for (index, app) in elements.enumerated() where continues() {
            checkAppID(app, "\(service.pointer)/apps/\(index)")
        }
        checkKeys(of: service.node, service.pointer, known: ["apps"])
    }

    // MARK: applinks

    private mutating func checkApplinks(_ links: AppleAppSiteAssociation.Applinks, of file: AppleAppSiteAssociation) {
        let pointer = AppleAppSiteAssociation.Applinks.pointer
        checkKeys(of: links.node, pointer, known: ["apps", "details", "defaults", "substitutionVariables"])
        checkVariables(links.node["substitutionVariables"], "\(pointer)/substitutionVariables")
        if let defaults = links.node["defaults"] { checkRule(defaults, "\(pointer)/defaults", isDefaults: true) }
        let details = links.node["details"]
        switch links.form {
        case .missing:
            add(
                .detailsMissing,
                Location(links.node, pointer),
                "'applinks' has no 'details': no app can open links on this host.",
                fix: "Add \"details\": [{\"appIDs\": [\"PREFIX.bundle.id\"], \"components\": [{\"/\": \"/path/*\"}]}]."
            )
        case .other:
            guard let details else { break }
            add(
                .detailsType,
                Location(details, "\(pointer)/details"),
                "'details' is \(details.kind); devices expect a list of entries.",
                fix: "Write a list of objects with 'appIDs' and 'components'."
            )
        case .dictionary:
            guard let details else { break }
            add(
                .detailsDictionary,
                Location(details, "\(pointer)/details"),
                "'details' is an object with an app as each key, the obsolete form of iOS 8. It is still read, but "
                    + "the order of its apps is not defined.",
                fix: "Write a list: [{\"appIDs\": [\"…\"], \"components\": […]}]."
            )
        case .array: break
        }
        if let details, links.form == .array || links.form == .dictionary, links.details.isEmpty {
            add(
                .detailsEmpty,
                Location(details, "\(pointer)/details"),
                "'details' is empty: no app can open links on this host.",
                fix: "Add an entry, or remove 'applinks'."
            )
        }
        checkApps(links, pointer)
        var seen: Set<String> = []
        for entry in links.details where continues() { checkEntry(entry, links, file, &seen) }
    }

    private mutating func checkApps(_ links: AppleAppSiteAssociation.Applinks, _ pointer: String) {
        guard let apps = links.node["apps"] else {
            let legacy = links.details.first { if case .paths(let paths) = $0.rules { !paths.isEmpty } else { false } }
            guard let legacy else { return }
            return add(
                .appsMissing,
                Location(legacy.node, legacy.pointer),
                "'paths' is for iOS 12 and earlier, which need \"apps\": [] in 'applinks' and drop the file without "
                    + "it.",
                fix: "Add \"apps\": [], or write 'components' if you do not support iOS 12."
            )
        }
        guard let elements = apps.elements else {
            return add(
                .detailsType,
                Location(apps, "\(pointer)/apps"),
                "'apps' is \(apps.kind); iOS 12 and earlier expect an empty list.",
                fix: "Write \"apps\": [], or remove it."
            )
        }
        guard !elements.isEmpty else { return }
        let alone = links.form == .missing
        add(
            .appsNotEmpty,
            alone ? .error : .warning,
            Location(apps, "\(pointer)/apps"),
            alone
                ? "'apps' names apps but there is no 'details': such an app is reported to open every link."
                : "'apps' is not empty. iOS 13 and later do not use it; iOS 12 and earlier require an empty list.",
            fix: "Write \"apps\": [] and name the apps in 'details'."
        )
    }

    // MARK: Entries

    private mutating func checkEntry(
        _ entry: AppleAppSiteAssociation.Entry,
        _ links: AppleAppSiteAssociation.Applinks,
        _ file: AppleAppSiteAssociation,
        _ seen: inout Set<String>
    ) {
        guard entry.node.members != nil else {
            return add(
                .detailsType,
                Location(entry.node, entry.pointer),
                "This entry is \(entry.node.kind); devices expect objects.",
                fix: "Write {\"appIDs\": […], \"components\": […]}."
            )
        }
        checkKeys(of: entry.node, entry.pointer, known: ["appID", "appIDs", "components", "paths", "defaults"])
        checkApps(of: entry, isDictionary: links.form == .dictionary, &seen)
        checkForms(of: entry)
        if let defaults = entry.node["defaults"] { checkRule(defaults, "\(entry.pointer)/defaults", isDefaults: true) }
        checkRules(of: entry, file)
    }

    private mutating func checkApps(
        of entry: AppleAppSiteAssociation.Entry,
        isDictionary: Bool,
        _ seen: inout Set<String>
    ) {
        let (one, many) = (entry.node["appID"], entry.node["appIDs"])
        if let many, many.elements == nil {
            add(
                .valueType,
                Location(many, "\(entry.pointer)/appIDs"),
                "'appIDs' is \(many.kind); devices expect a list of strings and skip this value.",
                fix: "Write [\"PREFIX.bundle.id\"]."
            )
        }
        if let one, one.text == nil {
            add(
                .valueType,
                Location(one, "\(entry.pointer)/appID"),
                "'appID' is \(one.kind); devices expect a string and skip this value.",
                fix: "Write \"PREFIX.bundle.id\"."
            )
        }
        if entry.appIDs.isEmpty {
            add(
                .noAppID,
                Location(entry.node, entry.pointer),
                "The entry names no app and is skipped.",
                fix: "Add \"appIDs\": [\"PREFIX.bundle.id\"]."
            )
        }
        if isDictionary, let app = entry.appIDs.first {
            checkAppID(JSONNode(.string(app), at: entry.node.position), entry.pointer)
        }
        for (index, app) in (many?.elements ?? []).enumerated() where continues() {
            checkAppID(app, "\(entry.pointer)/appIDs/\(index)")
        }
        if let one, many?.elements == nil, !isDictionary { checkAppID(one, "\(entry.pointer)/appID") }
        var listed: Set<String> = []
        for (index, app) in entry.appIDs.enumerated() where !listed.insert(app).inserted {
            add(
                .duplicateApp,
                Location(many ?? entry.node, "\(entry.pointer)/appIDs/\(index)"),
                "'\(app)' is listed twice.",
                fix: "Remove one of the two."
            )
        }
        for app in listed.sorted() where !seen.insert(app).inserted {
            add(
                .duplicateApp,
                Location(entry.node, entry.pointer),
                "'\(app)' has an earlier entry. Devices use only the first entry of an app, so they ignore the "
                    + "rules of this one for it.",
                fix: "Move the rules into the first entry."
            )
        }
    }

    private mutating func checkForms(of entry: AppleAppSiteAssociation.Entry) {
        let has = { (key: String) in entry.node[key] != nil }
        if has("appID"), entry.node["appIDs"]?.elements != nil, let one = entry.node["appID"] {
            add(
                .mixedAppIDs,
                Location(one, "\(entry.pointer)/appID"),
                "'appID' is ignored by iOS 13 and later because 'appIDs' is present; earlier systems read only 'appID'.",
                fix: "Keep only 'appIDs', unless you support iOS 12."
            )
        }
        if entry.node["components"]?.elements != nil, let paths = entry.node["paths"] {
            add(
                .mixedRules,
                Location(paths, "\(entry.pointer)/paths"),
                "'paths' is ignored by iOS 13 and later because 'components' is present"
                    + (has("appID")
                        ? "; earlier systems read only 'paths'."
                        : ". Earlier systems do not know 'appIDs' and skip the entry."),
                fix: has("appID")
                    ? "Keep only 'components', unless you support iOS 12."
                    : "Remove 'paths', or add 'appID' if you support iOS 12."
            )
        }
        if has("appIDs"), !has("appID"), has("paths"), !has("components"), let paths = entry.node["paths"] {
            add(
                .mixedForms,
                Location(paths, "\(entry.pointer)/paths"),
                "'appIDs' is unknown before iOS 13 and 'paths' is for earlier systems: iOS 12 skips the entry, and "
                    + "later systems are reported to use it.",
                fix: "Write 'components' instead of 'paths'."
            )
        }
        if has("appID"), !has("appIDs"), has("components"), !has("paths"), let one = entry.node["appID"] {
            add(
                .mixedForms,
                Location(one, "\(entry.pointer)/appID"),
                "'components' is for iOS 13 and later, 'appID' for earlier systems. The mix works, but Apple "
                    + "advises against it.",
                fix: "Write \"appIDs\": [\"…\"]."
            )
        }
    }

    // MARK: App identifiers

    private mutating func checkAppID(_ node: JSONNode, _ pointer: String) {
        guard let app = node.text else {
            return add(
                .valueType,
                Location(node, pointer),
                "An app identifier must be a string; this is \(node.kind) and is skipped.",
                fix: "Write \"PREFIX.bundle.id\"."
            )
        }
        let parts = app.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let prefix = Array(parts[0].utf8)
        let bundle = parts.count == 2 ? Array(parts[1].utf8) : []
        let bundleBytes = ByteSet.letters.union(.digits).union(ByteSet("-."))
        let isBundle = !bundle.isEmpty && bundle.allSatisfy(bundleBytes.contains) && !bundle.starts(with: ".".utf8)
        let isTenLong = prefix.count == 10 && prefix.allSatisfy(ByteSet.letters.union(.digits).contains)
        guard isBundle, isTenLong, Set(prefix).count > 1 else {
            return add(
                .appID,
                Location(node, pointer),
                "'\(app)' is not PREFIX.bundle.id, with a prefix of 10 capital letters and digits: no installed app has it.",
                fix:
                    "Copy the application identifier of the app: its prefix (usually the team ID), a dot, its "
                    + "bundle ID."
            )
        }
        guard !parts[1].hasPrefix("\(parts[0]).") else {
            return add(
                .appID,
                Location(node, pointer),
                "'\(app)' has the prefix twice: no installed app has such a bundle ID.",
                fix: "Write \(parts[1])."
            )
        }
        guard prefix.contains(where: ByteSet.lower.contains) else { return }
        add(
            .appIDPrefix,
            Location(node, pointer),
            "The prefix of '\(app)' has lower-case letters; identifiers are compared exactly, and team IDs have no "
                + "lower-case letters.",
            fix: "Compare it with the app's entitlements."
        )
    }
}
