public import LinkRouting

/// Generates the `apple-app-site-association` file of one host from the tenant's apps and route table.
///
/// The file refuses no link that the table opens in an app. It may open more links, because iOS knows neither types nor
/// conditions; ``overmatches()`` returns examples. The guarantee has one exception: iOS ignores an empty segment (`//`)
/// of a link. It holds for iOS 14, macOS 11 and later, which support `percentEncoded`.
public struct AASAGenerator: Sendable {
    public let host: String
    public let router: Router
    public let policy: AssociationPolicy

    /// Creates a generator. `host` is in lookup form. If `policy` is nil, the tenant's policy applies.
    public init(host: String, router: Router, policy: AssociationPolicy? = nil) {
        self.host = host
        self.router = router
        self.policy = policy ?? router.identity.association
    }

    /// Returns the file's JSON. Without apps for the host, the file names none.
    public static func file(
        for host: String,
        router: Router,
        within budget: WorkBudget = .associationFiles
    ) -> [UInt8] {
        AASAGenerator(host: host, router: router).file(within: budget)
    }

    /// Returns the file's JSON. Without apps for the host, the file names none.
    public func file(within budget: WorkBudget = .associationFiles) -> [UInt8] { file(of: entries(budget)) }

    /// Returns the file's entries and JSON; nil if `size` is used up. See ``AssociationFiles/maximumBytes``.
    func make(within budget: WorkBudget, size: WorkBudget) -> (entries: [Entry], file: [UInt8])? {
        let before = size.steps
        let entries = entries(budget, size: size)
        guard !size.isUsedUp else { return nil }
        let file = file(of: entries)
        return size.spend(on: file, estimated: before - size.steps) ? (entries, file) : nil
    }

    func file(of entries: [Entry]) -> [UInt8] {
        let variables = AppleVariables(of: entries.flatMap(\.rules))
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("applinks")
        writer.beginObject()
        if policy.legacyPaths {
            writer.key("apps")
            writer.beginArray()
            writer.endArray()
        }
        if !variables.all.isEmpty {
            writer.key("substitutionVariables")
            writer.beginObject()
            for variable in variables.all {
                writer.key(escaping: variable.name)
                writer.strings(variable.values)
            }
            writer.endObject()
        }
        writer.key("details")
        writer.beginArray()
        for entry in entries { write(entry, to: &writer, variables) }
        writer.endArray()
        writer.endObject()
        for (service, apps) in [("webcredentials", ids(of: .app)), ("appclips", clips)] where !apps.isEmpty {
            writer.key(escaping: service)
            writer.beginObject()
            writer.strings("apps", apps)
            writer.endObject()
        }
        writer.endObject()
        return writer.finish()
    }

    // MARK: Overmatches

    /// Returns links that the file opens and the table would not: at most one example for each route and reason, in the
    /// order of the file's entries and the table's routes.
    public func overmatches() -> [Overmatch] { overmatches(of: entries(.associationFiles)) }

    /// Returns the same for the first `mostRoutes` routes only, as far as the bytes of the evaluated links suffice.
    func overmatches(
        of entries: [Entry],
        mostRoutes: Int = .max,
        within budget: WorkBudget = .unlimited
    ) -> [Overmatch] {
        entries.flatMap { entry in
            guard let app = entry.apps.first, let id = entry.ids.first, !budget.isUsedUp else { return [Overmatch]() }
            let index = PrefixIndex(entry.rules)
            let costs = entry.rules.map(\.comparisonCost)
            var files: [[Int]: AppleAppSiteAssociation] = [:]
            var search = OvermatchSearch(router.appRoutes(of: app, on: host), .ios, within: budget) { link in
                let numbers = Set(index.beginning(link.head)).sorted()
                guard budget.spend(numbers.reduce(0) { $0 + costs[$1] }) else { return .stays }
                let file = files[numbers] ?? parsed(entry, rules: numbers)
                files[numbers] = file
                let decision = file.decision(for: link.text, app: id)
                guard decision.outcome == .match else { return .stays }
                return .opens(decision.rule.flatMap { entry.rules[numbers[$0]].route })
            }
            return search.run(policy.detail, mostRoutes: mostRoutes)
        }
    }

    /// Returns the file with some of an entry's rules. A file may have thousands of rules, and those with other literal
    /// prefixes cannot decide.
    private func parsed(_ entry: Entry, rules numbers: [Int]) -> AppleAppSiteAssociation {
        var part = entry
        part.rules = numbers.map { entry.rules[$0] }
        return AppleAppSiteAssociation(generated: file(of: [part]))
    }

    // MARK: Entries

    /// One entry of `details`: apps with the same rules.
    struct Entry {
        var apps: [RegisteredApp]
        var ids: [String]
        var rules: [AssociationRule]
    }

    /// Returns the entries in the order of the tenant's apps. An app that no link opens has no entry. With legacy paths
    /// each app has an entry of its own, because iOS 12 reads one app per entry.
    ///
    /// - Parameter size: About as many steps as the file has bytes. When it is used up, entries are missing.
    func entries(_ budget: WorkBudget, size: WorkBudget = .unlimited) -> [Entry] {
        var entries: [Entry] = []
        var known: [(routes: AppRoutes, rules: [AssociationRule])] = []
        for app in router.apps(on: host) where app.kind == .app {
            guard let id = app.applicationIdentifier, !entries.contains(where: { $0.ids.contains(id) }) else {
                continue
            }
            let routes = router.appRoutes(of: app, on: host)
            // In most tables all apps have the same rules.
            let rules: [AssociationRule]
            if let same = known.first(where: { $0.routes.means(routes, within: budget) }) {
                rules = same.rules
            } else {
                rules = self.rules(for: routes, budget)
                // Once the budget is used up, nothing can be compared with it.
                if !budget.isUsedUp { known.append((routes, rules)) }
            }
            guard !rules.isEmpty else { continue }
            guard size.spend(id.utf8.count) else { return entries }
            if !policy.legacyPaths, let same = entries.firstIndex(where: { $0.rules == rules }) {
                entries[same].apps.append(app)
                entries[same].ids.append(id)
            } else {
                guard size.spend(rules.reduce(0) { $0 + $1.size }) else { return entries }
                entries.append(Entry(apps: [app], ids: [id], rules: rules))
            }
        }
        return entries
    }

    private func rules(for routes: AppRoutes, _ budget: WorkBudget) -> [AssociationRule] {
        switch policy.detail {
        case .routes: return RulePlan<AppleRules>(routes, budget).rules()
        case .coarse: return routes.opensAnything ? [AppleRules.everything] : []
        }
    }

    private func ids(of kind: RegisteredApp.Kind) -> [String] {
        var seen: Set<String> = []
        return router.apps(on: host).filter { $0.kind == kind }.compactMap(\.applicationIdentifier)
            .filter { seen.insert($0).inserted }
    }

    /// The App Clips of the file. An App Clip cannot be associated with a wildcard domain.
    private var clips: [String] {
        FileHosts(host, of: router.identity).includesHost ? ids(of: .clip) : []
    }

    // MARK: Writing

    private func write(_ entry: Entry, to writer: inout JSONWriter, _ variables: AppleVariables) {
        writer.beginObject()
        writer.strings("appIDs", entry.ids)
        writer.key("components")
        writer.beginArray()
        for rule in entry.rules { AppleRules.write(rule, to: &writer, variables) }
        writer.endArray()
        if policy.legacyPaths, let id = entry.ids.first {
            writer.member("appID", id)
            writer.strings("paths", entry.rules.compactMap(\.legacyPath))
        }
        writer.endObject()
    }
}

extension AssociationRule {
    /// The rule as iOS 12 and earlier read it: a path that is compared as written. Nil if the path would refuse more
    /// than the rule does, or if it cannot be written.
    fileprivate var legacyPath: String? {
        guard !isExcluded || query.isEmpty && fragment == nil && !foldsCase else { return nil }
        var text = isExcluded ? "NOT " : ""
        for piece in path.pieces {
            switch piece {
            case .byte(let byte) where foldsCase && ByteSet.letters.contains(byte): text += "?"
            case .byte(let byte) where byte == UInt8(ascii: "/") || byte == UInt8(ascii: "%") && isExcluded:
                text.unicodeScalars.append(Unicode.Scalar(byte))
            case .byte(let byte) where ByteSet.plainInSegment.contains(byte):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            // The URL has the byte percent-encoded, with digits of either case.
            case .byte: text += "%??"
            // The character may be a special one, which the URL may percent-encode.
            case .one: text += isExcluded ? "?" : "?*"
            case .many where text.hasSuffix("*"): break
            case .many: text += "*"
            case .values where isExcluded: return nil
            case .values: text += "?*"
            case .character, .never: return nil
            }
        }
        return text
    }
}

extension JSONWriter {
    mutating func strings(_ name: StaticString, _ texts: [String]) {
        key(name)
        strings(texts)
    }

    mutating func strings(_ texts: [String]) {
        beginArray()
        for text in texts { string(text) }
        endArray()
    }
}
