package import LinkRouting

/// A matcher of one text, such as `{"equalTo": "a"}`.
package struct ValueMatcher: Sendable {
    package let kind: Kind
    /// The matcher as WireMock writes it back.
    package let json: JSONNode

    package indirect enum Kind: Sendable {
        case equalTo(String, LetterCaseRule)
        case equalToJson(JSONEquality, expected: JSONNode)
        case matchesJsonPath(JSONPath, expression: String, ValueMatcher?)
        case contains(String)
        case doesNotContain(String)
        case matches(RegularExpression, String)
        case doesNotMatch(RegularExpression, String)
        case date(DateMatcher)
        case binaryEqualTo([UInt8])
        case absent
        case anything
        case and([ValueMatcher])
        case or([ValueMatcher])
        case not(ValueMatcher)
    }

    package enum LetterCaseRule: Sendable {
        case exact
        case ignored
    }

    init(_ kind: Kind, json: JSONNode) {
        self.kind = kind
        self.json = json
    }

    /// Whether the value matches. Nil is an absent value.
    ///
    /// - Throws: When a pattern takes too many steps.
    package func matches(_ value: MatchedText?, at now: Timestamp) throws -> Bool {
        switch kind {
        case .absent: return value == nil
        case .anything: return true
        case .doesNotContain(let part): return value.map { !$0.text.containsExactly(part) } ?? true
        case .doesNotMatch(let pattern, _): return try value.map { try !pattern.matches($0.text) } ?? true
        case .and(let matchers): return try matchers.allSatisfy { try $0.matches(value, at: now) }
        case .or(let matchers): return try matchers.contains { try $0.matches(value, at: now) }
        case .not(let matcher): return try !matcher.matches(value, at: now)
        default: return try value.map { try matchesPresent($0, at: now) } ?? false
        }
    }

    private func matchesPresent(_ value: MatchedText, at now: Timestamp) throws -> Bool {
        switch kind {
        case .equalTo(let text, .exact): return value.text.isExactly(text)
        case .equalTo(let text, .ignored): return value.text.lowercased().isExactly(text.lowercased())
        case .equalToJson(let equality, _): return try value.json.map { try equality.matches($0) } ?? false
        case .contains(let part): return value.text.containsExactly(part)
        case .matches(let pattern, _): return try pattern.matches(value.text)
        case .date(let matcher): return matcher.matches(value.text, at: now)
        case .binaryEqualTo(let bytes): return value.bytes.map { $0 == bytes } ?? value.text.utf8.elementsEqual(bytes)
        case .matchesJsonPath(let path, _, let matcher):
            guard let json = value.json else { return false }
            let result = try path.result(in: json)
            guard let matcher else { return result.isMatch }
            return try matcher.matchesFound(matcher.texts(of: result), at: now)
        default: preconditionFailure("`matches` handles the kinds that can match an absent value")
        }
    }

    /// The texts of a path's result that are compared one by one. `equalToJson` compares a list as a whole.
    private func texts(of result: JSONPath.Result) -> [String] {
        guard case .equalToJson = kind, let node = result.node, case .array = node.value else { return result.texts }
        return [node.comparedText]
    }

    /// Whether any text of a path's result matches. An empty result matches only `absent`.
    private func matchesFound(_ texts: [String], at now: Timestamp) throws -> Bool {
        if texts.isEmpty {
            guard case .absent = kind else { return false }
        }
        return try matchesAny(of: texts, at: now)
    }

    /// Whether any of the values matches; without values, whether absence does.
    package func matchesAny(of values: [String], at now: Timestamp) throws -> Bool {
        guard !values.isEmpty else { return try matches(nil, at: now) }
        return try values.contains { try matches(MatchedText($0), at: now) }
    }

    /// The distance as WireMock computes it: 0 for a match, 1 for none, and a share of the differing parts between.
    package func distance(_ value: MatchedText?, at now: Timestamp) throws -> Double {
        guard try !matches(value, at: now) else { return 0 }
        switch kind {
        case .equalTo(let text, _): return TextDistance.between(text, value?.text)
        case .equalToJson(let equality, _): return try value?.json.map { try equality.distance(to: $0) } ?? 1
        case .and(let matchers): return try mean(matchers.map { try $0.distance(value, at: now) })
        case .or(let matchers): return try matchers.map { try $0.distance(value, at: now) }.min() ?? 1
        case .matchesJsonPath(let path, _, let matcher?):
            guard let json = value?.json else { return 1 }
            let texts = matcher.texts(of: try path.result(in: json))
            return texts.isEmpty ? 1 : try matcher.distanceToBest(of: texts, at: now)
        default: return 1
        }
    }

    func distanceToBest(of values: [String], at now: Timestamp) throws -> Double {
        try values.map { try distance(MatchedText($0), at: now) }.min() ?? distance(nil, at: now)
    }

    // MARK: Printing

    /// The name that mappings use.
    package var name: String {
        switch kind {
        case .equalTo: "equalTo"
        case .equalToJson: "equalToJson"
        case .matchesJsonPath: "matchesJsonPath"
        case .contains: "contains"
        case .doesNotContain: "doesNotContain"
        case .matches: "matches"
        case .doesNotMatch: "doesNotMatch"
        case .date(let matcher): matcher.comparison.rawValue
        case .binaryEqualTo: "binaryEqualTo"
        case .absent: "absent"
        case .anything: "anything"
        case .and: "and"
        case .or: "or"
        case .not: "not"
        }
    }

    /// Whether a comparison prints it without its name.
    var isEquation: Bool {
        switch kind {
        case .equalTo, .equalToJson, .binaryEqualTo: true
        default: false
        }
    }

    /// The expectation as a comparison prints it.
    package var expectation: String {
        switch kind {
        case .equalTo(let text, _), .contains(let text), .doesNotContain(let text), .matches(_, let text),
            .doesNotMatch(_, let text), .matchesJsonPath(_, let text, _):
            text
        case .equalToJson(_, let expected): expected.json()
        case .date(let matcher): matcher.expectation
        case .binaryEqualTo(let bytes): Base64.encode(bytes)
        case .absent: "(absent)"
        case .anything: "anything"
        case .and(let matchers): matchers.map(\.operation).joined(separator: " AND ")
        case .or(let matchers): matchers.map(\.operation).joined(separator: " OR ")
        case .not(let matcher): matcher.operation
        }
    }

    private var operation: String { "\(name) \(expectation)" }
}

extension JSONPath {
    /// Returns the result of the path. As in WireMock, it is empty for a document without the path.
    ///
    /// - Throws: When the path takes too many steps.
    func result(in document: JSONNode) throws -> Result {
        do throws(Failure) {
            return try evaluate(document)
        } catch {
            guard case .notApplicable = error else { throw error }
            return .nothing
        }
    }
}

/// The mean of distances; 0 without any.
func mean(_ distances: [Double]) -> Double {
    distances.isEmpty ? 0 : distances.reduce(0, +) / Double(distances.count)
}

extension String {
    /// Whether the text contains the bytes of `part`. An empty part is contained in every text.
    func containsExactly(_ part: String) -> Bool {
        let (text, part) = (Array(utf8), Array(part.utf8))
        guard let first = part.first else { return true }
        guard text.count >= part.count else { return false }
        var index = 0
        while index <= text.count - part.count {
            guard let found = text[index...(text.count - part.count)].firstIndex(of: first) else { return false }
            if text[found..<(found + part.count)].elementsEqual(part) { return true }
            index = found + 1
        }
        return false
    }
}
