import LinkRouting

/// A pattern, and what it captures from paths.
struct PatternCase: Sendable {
    private let pattern: String
    /// The captured parameters by path; null if the pattern does not match.
    private let paths: [(path: String, captured: JSONNode)]

    init(_ field: DocumentField) throws(DocumentError) {
        let object = try field.object("pattern", "paths")
        pattern = try object.required("pattern").text()
        paths = try object.required("paths").anyObject().all.map { ($0.key, $0.value.node) }
    }

    var json: JSONNode {
        let paths = paths.map { JSONNode.object(["path": .string($0.path), "captured": $0.captured]) }
        return .object(["pattern": .string(pattern), "paths": .array(paths)])
    }

    var disagreements: [String] {
        let router = Router(patterns: [pattern])
        return paths.compactMap { path, expected in
            let resolution = router?.resolve("https://\(Router.testHost)\(path)", in: LinkContext())
            let found =
                resolution?.outcome == .matched
                ? JSONNode(
                    .object(
                        (resolution?.parameters ?? []).map {
                            JSONNode.Member($0.name, ArgumentValue.parameter($0.value).json)
                        }
                    )
                ) : .null
            return found == expected
                ? nil : "'\(pattern)' captures \(found.json()) from \(path), not \(expected.json())."
        }
    }
}

/// Routes with these patterns in this order, and the pattern that each path leads to.
struct OrderCase: Sendable {
    private let patterns: [String]
    private let wins: [(path: String, pattern: String)]

    init(_ field: DocumentField) throws(DocumentError) {
        let object = try field.object("patterns", "wins")
        var patterns: [String] = []
        for field in try object.required("patterns").list() { patterns.append(try field.text()) }
        var wins: [(path: String, pattern: String)] = []
        for (path, field) in try object.required("wins").anyObject().all { wins.append((path, try field.text())) }
        self.patterns = patterns
        self.wins = wins
    }

    var json: JSONNode {
        let wins = wins.map { JSONNode.object(["path": .string($0.path), "pattern": .string($0.pattern)]) }
        return .object(["patterns": .array(patterns.map(JSONNode.string)), "wins": .array(wins)])
    }

    var disagreements: [String] {
        [patterns, patterns.reversed()].flatMap { patterns in
            let router = Router(patterns: patterns)
            return wins.compactMap { path, expected -> String? in
                let found = router?.resolve("https://\(Router.testHost)\(path)", in: LinkContext()).pattern
                return found == expected ? nil : "\(path) leads to \(found ?? "no pattern"), not to \(expected)."
            }
        }
    }
}

extension Router {
    fileprivate static let testHost = "go.example.com"

    /// A router with one route for each pattern; nil if one is not a pattern.
    fileprivate init?(patterns: [String]) {
        let routes = patterns.enumerated().map { index, pattern in
            JSONNode.object([
                "id": .string("r\(index)"), "path": .string(pattern), "open": .object(["screen": .string("S")]),
            ])
        }
        let settings = JSONNode.object(["domains": .array([.string(Self.testHost)])])
        guard let identity = try? Identity(DocumentField(settings, path: "").anyObject()),
            let table = try? RouteTable(DocumentField(.object(["routes": .array(routes)]), path: ""))
        else { return nil }
        self.init(identity: identity, table: table)
    }
}
