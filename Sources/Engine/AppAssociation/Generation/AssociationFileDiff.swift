public import LinkRouting

/// The links that two versions of an association file treat differently, whatever their text looks like.
///
/// It compares the paths of all links with automata, combined with the queries and fragments that rules of either file
/// require, and without a query or fragment. Each move was evaluated with both files.
public struct AssociationFileDiff: Sendable {
    /// One example for each pair of deciding rules, in the order of the apps and rules.
    public private(set) var moves: [Move] = []
    /// Whether the budget sufficed for all comparisons. Otherwise there may be more moves.
    public private(set) var isComplete = true

    public struct Move: Sendable, Hashable {
        public let move: AssociationDiff.Move
        /// The pointers of the deciding rules; nil if no rule decides.
        public let ruleBefore: String?
        public let ruleAfter: String?
    }

    /// The maximum number of combinations of a query and a fragment.
    private static let mostEndings = 64

    /// Compares two `apple-app-site-association` files.
    /// - Parameter host: The host of the example links.
    public init(
        from before: AppleAppSiteAssociation,
        to after: AppleAppSiteAssociation,
        host: String,
        within budget: WorkBudget = .associationFiles
    ) {
        let sides = [before, after]
        for app in Self.unique(sides.flatMap { ($0.applinks?.details ?? []).flatMap(\.appIDs) }) {
            let sheets = sides.map { RuleSheet($0, app: app) }
            compare(sheets, app: app, .ios, host, budget) { link in
                sides.map { side in
                    let decision = side.decision(for: link, app: app)
                    return (decision.outcome == .match ? .app : .browser, decision.pointer)
                }
            }
        }
    }

    /// Compares two `assetlinks.json` files.
    /// - Parameter host: The host of the example links.
    public init(
        from before: AssetLinks,
        to after: AssetLinks,
        host: String,
        within budget: WorkBudget = .associationFiles
    ) {
        let sides = [before, after]
        for app in Self.unique(sides.flatMap { $0.statements.compactMap(\.packageName) }) {
            let sheets = sides.map { RuleSheet($0, package: app) }
            compare(sheets, app: app, .android, host, budget) { link in
                sides.map { side in
                    let decision = side.decision(for: link, package: app)
                    return switch decision.outcome {
                    case .match: (.app, decision.pointer)
                    case .manifest: (.manifest, decision.pointer)
                    case .exclude, .noMatch: (.browser, decision.pointer)
                    }
                }
            }
        }
    }

    /// The diff as JSON: `{"moves": [{"link", "app", "platform", "before", "after", "ruleBefore", "ruleAfter"}],
    /// "complete": true}`.
    public var json: JSONNode {
        .object([
            "moves": .array(
                moves.map { one in
                    JSONNode(
                        .object(
                            (one.move.json.members ?? [])
                                + [
                                    one.ruleBefore.map { JSONNode.Member("ruleBefore", .string($0)) },
                                    one.ruleAfter.map { JSONNode.Member("ruleAfter", .string($0)) },
                                ]
                                .compactMap(\.self)
                        )
                    )
                }
            ),
            "complete": .bool(isComplete),
        ])
    }

    private static func unique(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }

    // MARK: Comparison

    private mutating func compare(
        _ sheets: [RuleSheet],
        app: String,
        _ platform: Platform,
        _ host: String,
        _ budget: WorkBudget,
        handlers: (_ link: String) -> [(handler: AssociationDiff.Handler, pointer: String?)]
    ) {
        var endings = [""]
        for ending in sheets.flatMap(\.endings) where !endings.contains(ending) && endings.count < Self.mostEndings {
            endings.append(ending)
        }
        var known: Set<[String?]> = []
        for ending in endings {
            let rules = sheets.map { $0.rules(forEnding: ending) }
            // Rules at the beginning that are the same in both files decide alike.
            let common = zip(rules[0], rules[1]).prefix { $0.key == $1.key && $0.handler == $1.handler }.count
            for (one, before) in rules[0].enumerated() {
                for (other, after) in rules[1].enumerated()
                where before.handler != after.handler && max(one, other) >= common {
                    guard !known.contains([before.pointer, after.pointer]) else { continue }
                    let earlier = rules[0][..<one].map(\.path) + rules[1][..<other].map(\.path)
                    let universe = platform == .ios ? Glob.allPaths : Language.decodedPaths
                    switch Language.shortestText(
                        in: [before.path, after.path, universe],
                        outside: earlier,
                        budget
                    ) {
                    case .none: continue
                    case .undecided: isComplete = false
                    case .found(let path):
                        let link = "https://\(host)\(Self.spelled(path, platform))\(ending)"
                        let found = handlers(link)
                        guard found[0].handler != found[1].handler,
                            known.insert([found[0].pointer, found[1].pointer]).inserted
                        else { continue }
                        moves.append(
                            Move(
                                move: AssociationDiff.Move(
                                    link: link,
                                    app: app,
                                    platform: platform,
                                    before: found[0].handler,
                                    after: found[1].handler
                                ),
                                ruleBefore: found[0].pointer,
                                ruleAfter: found[1].pointer
                            )
                        )
                    }
                }
            }
        }
    }

    /// Returns a path as a URL writes it. A path of iOS ends with a slash that devices add.
    private static func spelled(_ path: [UInt8], _ platform: Platform) -> String {
        guard platform == .android else {
            let isAdded = path.count > 1 && path.last == UInt8(ascii: "/")
            return String(decoding: isAdded ? path.dropLast() : path[...], as: UTF8.self)
        }
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = path.flatMap { byte in
            byte == UInt8(ascii: "/") || ByteSet.plainInSegment.contains(byte)
                ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The rules of one app in one file, with the outcome for links that no rule matches.
private struct RuleSheet {
    struct Rule {
        /// Identifies rules with the same meaning in both files.
        let key: String
        let path: Language
        let handler: AssociationDiff.Handler
        let pointer: String?
    }

    private let all: [Rule]
    private let holds: (_ rule: Int, _ ending: String) -> Bool
    /// Queries and fragments that the rules ask for.
    let endings: [String]
    private let last: AssociationDiff.Handler

    /// Returns the rules whose conditions on query and fragment hold for a link with this ending, and a last rule for all
    /// other links.
    func rules(forEnding ending: String) -> [Rule] {
        all.indices.filter { holds($0, ending) }.map { all[$0] }
            + [Rule(key: "", path: .repeated(.byte(.all)), handler: last, pointer: nil)]
    }

    init(_ file: AppleAppSiteAssociation, app: String) {
        last = .browser
        guard let links = file.applinks, let entry = links.details.first(where: { $0.appIDs.contains(app) }) else {
            (all, endings, holds) = ([], [], { _, _ in false })
            return
        }
        let variables = PatternVariables(custom: links.substitutionVariables)
        let rules = entry.ruleList
        let merged = rules.map { file.merged($0, of: entry) }
        let glob = { (pattern: String) in
            Glob(pattern) { name in if case .values(let values) = variables[name] { values } else { nil } }
        }
        all = zip(rules, merged).map { rule, merged in
            let reading = Glob.Reading(
                foldsCase: !merged.caseSensitive.value,
                comparesEncoded: merged.percentEncoded.value
            )
            return Rule(
                key: "\(merged.json.json()) \(links.node["substitutionVariables"]?.json() ?? "")",
                path: glob(merged.path.value).pathLanguage(reading),
                handler: merged.exclude.value ? .browser : .app,
                pointer: rule.pointer
            )
        }
        endings = merged.map { rule in
            let query =
                switch rule.query.value {
                case .whole(let pattern): glob(pattern).sample
                case .items(let items):
                    items.map { item in
                        let value = glob(item.pattern).sample
                        return value.isEmpty ? "" : "\(item.name)=\(value)"
                    }
                    .filter { !$0.isEmpty }.joined(separator: "&")
                }
            let fragment = glob(rule.fragment.value).sample
            return (query.isEmpty ? "" : "?\(query)") + (fragment.isEmpty ? "" : "#\(fragment)")
        }
        holds = { number, ending in
            guard let url = try? DeviceURL("https://host.example/\(ending)") else { return false }
            var evaluation = RuleEvaluation(url, variables, .decision)
            let result = try? evaluation.run(rules[number], merged[number], entry: entry.index)
            return result?.parts.allSatisfy { $0.kind == .path || $0.matches } ?? false
        }
    }

    init(_ file: AssetLinks, package: String) {
        let relation = StatementRelation.handleAllURLs.description
        let granting = file.statements.filter {
            $0.packageName == package && $0.relationTexts.contains(relation) && !$0.isDropped
        }
        let statement = granting.first { $0.dynamicRules != nil } ?? granting.first
        guard let statement, let dynamic = statement.dynamicRules, dynamic.flaw == nil, !dynamic.rules.isEmpty else {
            last = statement == nil ? .browser : .manifest
            (all, endings, holds) = ([], [], { _, _ in false })
            return
        }
        last = .browser
        let rules = dynamic.rules
        all = rules.map { rule in
            Rule(
                key: rule.node.json(),
                path: rule.isEmpty
                    ? .nothing : rule.path.map { Glob(android: $0).androidLanguage } ?? .repeated(.byte(.all)),
                handler: rule.exclude ? .browser : .app,
                pointer: rule.pointer
            )
        }
        endings = rules.map { rule in
            let items = rule.query.map { "\($0.name)=\(Glob(android: $0.pattern).sample)" }
            let query = items.isEmpty ? "" : "?" + items.joined(separator: "&")
            return query + (rule.fragment.map { "#\(Glob(android: $0).sample)" } ?? "")
        }
        holds = { number, ending in
            guard let url = try? AndroidURL("https://host.example/\(ending)") else { return false }
            var evaluation = AndroidRuleEvaluation(url, .decision)
            let result = try? evaluation.run(rules[number], entry: statement.index)
            return result?.parts.allSatisfy { $0.kind == .path || $0.matches } ?? false
        }
    }
}

extension Glob {
    /// Parses a pattern of Android, which has no variables.
    fileprivate init(android text: String) {
        self.init(
            pieces: text.utf8.map { byte in
                switch byte {
                case UInt8(ascii: "*"): .many
                case UInt8(ascii: "?"): .one
                default: .byte(byte)
                }
            }
        )
    }

    /// A short text that the pattern matches.
    fileprivate var sample: String {
        func bytes(_ pieces: [Piece]) -> [UInt8] {
            pieces.flatMap { piece -> [UInt8] in
                switch piece {
                case .byte(let byte): [byte]
                case .one: [UInt8(ascii: "1")]
                case .many, .never: []
                case .character(let set): set.bytes.first.map { [$0] } ?? []
                case .values(let values, _): values.first.map(bytes) ?? []
                }
            }
        }
        return String(decoding: bytes(pieces), as: UTF8.self)
    }
}
