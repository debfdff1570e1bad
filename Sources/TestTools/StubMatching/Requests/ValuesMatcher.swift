package import LinkRouting

/// A matcher of all values of a header, parameter or form field.
package struct ValuesMatcher: Sendable {
    package enum Kind: Sendable {
        /// Any value matches.
        case any(ValueMatcher)
        /// Each matcher has a value that it matches.
        case includes([ValueMatcher])
        /// As `includes`, with as many values as matchers.
        case hasExactly([ValueMatcher])
    }

    package let kind: Kind

    init(_ field: MappingField) throws(MappingError) {
        for (key, isExact) in [("includes", false), ("hasExactly", true)] {
            guard let operand = field[key] else { continue }
            try field.requireKeys([key])
            let matchers = try operand.list().map { entry throws(MappingError) in try ValueMatcher(entry) }
            guard !matchers.isEmpty else { throw operand.error("\(key) needs at least one matcher.") }
            kind = isExact ? .hasExactly(matchers) : .includes(matchers)
            return
        }
        kind = .any(try ValueMatcher(field))
    }

    init(_ matcher: ValueMatcher) { kind = .any(matcher) }

    package var json: JSONNode {
        switch kind {
        case .any(let matcher): matcher.json
        case .includes(let matchers): .object(["includes": .array(matchers.map(\.json))])
        case .hasExactly(let matchers): .object(["hasExactly": .array(matchers.map(\.json))])
        }
    }

    package func matches(_ values: [String], at now: Timestamp) throws -> Bool {
        switch kind {
        case .any(let matcher): return try matcher.matchesAny(of: values, at: now)
        case .includes(let matchers): return try includes(matchers, values, now)
        case .hasExactly(let matchers):
            guard values.count == matchers.count, try includes(matchers, values, now) else { return false }
            return try values.allSatisfy { value in
                try matchers.contains { try $0.matches(MatchedText(value), at: now) }
            }
        }
    }

    private func includes(_ matchers: [ValueMatcher], _ values: [String], _ now: Timestamp) throws -> Bool {
        try !values.isEmpty && matchers.allSatisfy { try $0.matchesAny(of: values, at: now) }
    }

    func distance(_ values: [String], at now: Timestamp) throws -> Double {
        switch kind {
        case .any(let matcher): try matcher.distanceToBest(of: values, at: now)
        case .includes(let matchers), .hasExactly(let matchers):
            try matches(values, at: now)
                ? 0 : max(0.01, mean(matchers.map { try $0.distanceToBest(of: values, at: now) }))
        }
    }

    // MARK: Printing

    var expectation: String {
        switch kind {
        case .any(let matcher): matcher.expectation
        case .includes(let matchers), .hasExactly(let matchers):
            matchers.map { "\($0.name) \($0.expectation)" }.joined(separator: " AND ")
        }
    }
}

package struct NamedMatcher<Matcher: Sendable>: Sendable {
    package let name: String
    package let matcher: Matcher
}
