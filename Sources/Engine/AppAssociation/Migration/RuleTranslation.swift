import LinkRouting

/// One rule, translated into the grammar of routes.
struct RuleTranslation {
    /// The path patterns; empty if routes cannot express the rule at all.
    let paths: [MigratedPath]
    let inexactness: Inexactness?
    private let query: [QueryTest]
    private let fragment: String?
    private let foldsCase: Bool

    private struct QueryTest {
        let name: String
        let test: Test

        enum Test {
            case equals(String)
            case oneOf([String])
            /// A type as captures write it, such as `string(1..)`.
            case capture(String)
        }
    }

    init(_ rule: AppleAppSiteAssociation.MergedRule, _ variables: PatternVariables) {
        let reading = Glob.Reading(rule)
        let path = PathTranslation(Glob(path: rule, variables), reading)
        let query = Self.query(rule.query.value, reading, variables)
        let fragment = Self.fragment(rule.fragment.value, reading, variables)
        self.query = query ?? []
        self.fragment = fragment ?? nil
        foldsCase = reading.foldsCase
        // Without the condition, a route would match links that are unrelated to the rule.
        paths = query == nil || fragment == nil ? [] : path.paths
        inexactness = query == nil ? .query : fragment == nil ? .fragment : path.inexactness
    }

    // MARK: Query and fragment

    /// Returns the tests for the query; nil if tables have no such condition.
    private static func query(
        _ query: AppleAppSiteAssociation.RuleKeys.Query,
        _ reading: Glob.Reading,
        _ variables: PatternVariables
    ) -> [QueryTest]? {
        switch query {
        case .whole(let pattern): return pattern == "*" ? [] : nil
        case .items(let items):
            var tests: [QueryTest] = []
            for item in items where item.pattern != "*" {
                guard !item.name.isEmpty, let test = test(Glob(item.pattern, variables).pieces, reading) else {
                    return nil
                }
                tests.append(QueryTest(name: item.name, test: test))
            }
            return tests
        }
    }

    private static func test(_ pieces: [Glob.Piece], _ reading: Glob.Reading) -> QueryTest.Test? {
        // iOS treats an absent item as an empty one.
        guard !pieces.isEmpty else { return .capture("string(..0)?") }
        if pieces == [.one, .many] || pieces == [.many, .one] { return .capture("string(1..)") }
        let translation = SegmentTranslation(pieces, reading)
        guard translation.inexactness == nil, translation.parts.count == 1 else { return nil }
        return switch translation.parts[0] {
        case .literal(let text): String(validUTF8: text).map(QueryTest.Test.equals)
        case .parameter(_, let type): .capture(String(type.drop { $0 == ":" }))
        case .set(_, let texts): .oneOf(texts.map { String(decoding: $0, as: UTF8.self) })
        }
    }

    /// Returns the text that the fragment must equal. A nil inside means any fragment. An outer nil means that tables
    /// have no such condition.
    private static func fragment(
        _ pattern: String,
        _ reading: Glob.Reading,
        _ variables: PatternVariables
    ) -> String?? {
        guard pattern != "*" else { return .some(nil) }
        let translation = SegmentTranslation(Glob(pattern, variables).pieces, reading)
        guard translation.parts.count == 1, case .literal(let text) = translation.parts[0] else { return nil }
        return String(validUTF8: text)
    }

    /// The texts of the conditions besides the path, for readable names.
    var words: [String] { query.map(\.name) + (fragment.map { [$0] } ?? []) }

    // MARK: Routes

    /// Returns a route with one of ``paths``, as tables write it. If `screen` is nil, the route opens nothing.
    func route(_ path: MigratedPath, id: String, note: String, apps: [String]?, screen: String?) -> JSONNode {
        var names = ParameterNames()
        let pattern = path.text(&names)
        var captured = names.all
        let query = query.map { item -> JSONNode.Member in
            switch item.test {
            case .equals(let text): return JSONNode.Member(item.name, .object(["equals": .string(text)]))
            case .oneOf(let texts): return JSONNode.Member(item.name, .object(["oneOf": .strings(texts)]))
            case .capture(let type):
                let name = names.new(item.name)
                captured.append(name)
                let capture = JSONNode.object(["capture": .string(type), "as": .string(name)])
                return JSONNode.Member(item.name, name == item.name ? .string(type) : capture)
            }
        }
        let arguments = captured.map { JSONNode.Member($0, .string("{\($0)}")) }
        return .object([
            "id": .string(id), "note": .string(note), "path": .string(pattern),
            "caseSensitive": foldsCase ? .bool(false) : nil,
            "query": query.isEmpty ? nil : JSONNode(.object(query)),
            "fragment": fragment.map { .object(["equals": .string($0)]) },
            "when": apps.map { .object(["apps": .strings($0)]) },
            "open": screen.map { screen in
                .object([
                    "screen": .string(screen), "arguments": arguments.isEmpty ? nil : JSONNode(.object(arguments)),
                ])
            },
        ])
    }
}

extension Inexactness {
    static let query = Inexactness(
        reason: "a route has no condition on the whole query, or on the beginning or end of a value"
    )
    static let fragment = Inexactness(reason: "a route has no condition for an empty fragment or one with wildcards")
}

extension JSONNode {
    static func strings(_ texts: [String]) -> JSONNode { .array(texts.map(JSONNode.string)) }
}
