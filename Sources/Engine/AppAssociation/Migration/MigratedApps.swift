import LinkRouting

/// The apps of a file, with the one entry that devices read for each app.
struct MigratedApps {
    /// The apps, grouped by equal rules, in the file's order.
    private(set) var groups: [Group] = []
    private(set) var reports: [AssociationMigration.Report] = []
    /// The ids in the settings, by application identifier. Apps that the settings cannot name have none.
    private(set) var ids: [String: String] = [:]
    /// The App Clips that the file names.
    private(set) var clips: [String] = []

    struct Group {
        /// The application identifiers.
        var apps: [String]
        let entry: AppleAppSiteAssociation.Entry
        let rules: [AppleAppSiteAssociation.Rule]
        let merged: [AppleAppSiteAssociation.MergedRule]
        fileprivate let meaning: [Meaning]
    }

    /// The effective content of a merged rule, without the levels that set it.
    fileprivate struct Meaning: Hashable {
        let path: String
        let query: AppleAppSiteAssociation.RuleKeys.Query
        let fragment: String
        let flags: [Bool]

        init(_ rule: AppleAppSiteAssociation.MergedRule) {
            path = rule.path.value
            query = rule.query.value
            fragment = rule.fragment.value
            flags = [rule.exclude.value, rule.caseSensitive.value, rule.percentEncoded.value]
        }
    }

    /// Reads one app of a file, or all apps if `app` is nil.
    init(_ file: AppleAppSiteAssociation, only app: String?) {
        var identifiers: [String] = []
        for entry in file.applinks?.details ?? [] {
            for identifier in entry.appIDs where app == nil || identifier == app {
                guard !identifiers.contains(identifier) else {
                    addRepetition(identifier, entry)
                    continue
                }
                identifiers.append(identifier)
                add(identifier, entry, file)
            }
        }
        let clips = app == nil ? file.services.first { $0.name == .appclips }?.apps ?? [] : []
        let nameable = (identifiers + clips).filter { Self.node($0, id: "app") != nil }
        var seen: Set<String> = []
        ids = MigrationNames.appIDs(nameable.filter { seen.insert($0).inserted })
        self.clips = clips.filter { !identifiers.contains($0) && ids[$0] != nil }
        guard app == nil, let service = file.services.first(where: { $0.name == .webcredentials }) else { return }
        addDifference(of: service, identifiers)
    }

    /// The generated file lists the apps of `applinks` under `webcredentials`.
    private mutating func addDifference(of service: AppleAppSiteAssociation.Service, _ identifiers: [String]) {
        let added = identifiers.filter { !service.apps.contains($0) }
        let lost = service.apps.filter { !identifiers.contains($0) }
        guard !added.isEmpty || !lost.isEmpty else { return }
        let parts = [("also ", added), ("not ", lost)].filter { !$0.1.isEmpty }
        let apps = parts.map { $0.0 + $0.1.listed(first: 5) }.joined(separator: ", but ")
        reports.append(
            AssociationMigration.Report(
                kind: .service,
                pointer: service.pointer,
                position: service.node.position,
                app: nil,
                message: "The generated file lists \(apps) under 'webcredentials': with these apps, iOS shares the "
                    + "passwords that people saved for the hosts.",
                fix: "The settings have no other list; keep an app out of 'apps' if it must not have them.",
                example: nil
            )
        )
    }

    private mutating func add(
        _ identifier: String,
        _ entry: AppleAppSiteAssociation.Entry,
        _ file: AppleAppSiteAssociation
    ) {
        let merged = entry.ruleList.map { file.merged($0, of: entry) }
        let meaning = merged.map(Meaning.init)
        if let same = groups.firstIndex(where: { $0.meaning == meaning }) {
            groups[same].apps.append(identifier)
        } else {
            let group = Group(
                apps: [identifier],
                entry: entry,
                rules: entry.ruleList,
                merged: merged,
                meaning: meaning
            )
            groups.append(group)
        }
        guard case .none = entry.rules else { return }
        reports.append(
            AssociationMigration.Report(
                kind: .notDocumented,
                pointer: entry.pointer,
                position: entry.node.position,
                app: identifier,
                message:
                    "The entry has neither 'components' nor 'paths'; Apple does not document what a device does "
                    + "with it.",
                fix: "No route opens \(identifier); add routes for the links that it should open.",
                example: nil
            )
        )
    }

    private mutating func addRepetition(_ identifier: String, _ entry: AppleAppSiteAssociation.Entry) {
        reports.append(
            AssociationMigration.Report(
                kind: .unreachable,
                pointer: entry.pointer,
                position: entry.node.position,
                app: identifier,
                message:
                    "An earlier entry names \(identifier); devices read only the first entry of an app, so this one "
                    + "was left out.",
                fix: "Move its rules to the first entry if they should apply.",
                example: nil
            )
        )
    }

    // MARK: Settings

    /// The apps as the settings list them.
    var settings: [JSONNode] {
        groups.flatMap(\.apps).compactMap { identifier in ids[identifier].flatMap { Self.node(identifier, id: $0) } }
            + clips.compactMap { identifier in ids[identifier].flatMap { Self.node(identifier, id: $0, kind: "clip") } }
    }

    /// Returns an app of the settings; nil if the identifier is not a team ID, a dot and a bundle ID.
    private static func node(_ identifier: String, id: String, kind: String? = nil) -> JSONNode? {
        guard let dot = identifier.firstIndex(of: ".") else { return nil }
        let node = JSONNode.object([
            "id": .string(id), "platform": .string("ios"), "kind": kind.map(JSONNode.string),
            "teamID": .string(String(identifier[..<dot])),
            "bundleID": .string(String(identifier[identifier.index(after: dot)...])),
        ])
        let settings = DocumentField(.object(["apps": .array([node])]), path: "")
        do throws(DocumentError) {
            _ = try Identity(settings.anyObject())
            return node
        } catch {
            return nil
        }
    }
}
