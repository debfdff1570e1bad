package import LinkRouting

/// The comparison of `equalToJson`: JSON values are compared by value, and the expected value may contain placeholders.
///
/// 1, 1.0 and 1e0 are equal. The placeholders are `${json-unit.ignore}`, `ignore-element`, `any-string`, `any-number`,
/// `any-boolean` and `${json-unit.regex}` with a regular expression; `#{…}` means the same.
package struct JSONEquality: Sendable {
    package let options: Options
    let expected: ExpectedJSON

    package struct Options: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let ignoresArrayOrder = Options(rawValue: 1)
        /// Ignores extra members of objects, and extra elements at the end of a list. With ``ignoresArrayOrder``, the
        /// extra elements may be anywhere in the list.
        package static let ignoresExtraElements = Options(rawValue: 2)
    }

    /// The maximum number of values that one comparison compares.
    package static let steps = 2_000_000

    package init(expected: JSONNode, options: Options = []) throws(PlaceholderError) {
        self.options = options
        self.expected = try ExpectedJSON(expected)
    }

    package func matches(_ actual: JSONNode) throws(StepLimitExceeded) -> Bool {
        var comparison = JSONComparison(options: options, steps: Self.steps)
        return try comparison.areEqual(expected, actual)
    }

    /// Returns the distance of a value as WireMock computes it for near misses: the size of all differing parts divided
    /// by the size of the larger value. 0 means equal. The result exceeds 1 if parts are both missing and unexpected.
    package func distance(to actual: JSONNode) throws(StepLimitExceeded) -> Double {
        var comparison = JSONComparison(options: options, steps: Self.steps)
        let differences = try comparison.differences(expected, actual)
        return Double(differences) / Double(max(expected.size, actual.deepSize))
    }

    /// A placeholder that cannot be used.
    package struct PlaceholderError: Error, Hashable, Sendable, CustomStringConvertible {
        package let position: JSONNode.Position
        package let description: String
    }

    /// A comparison that exceeded its budget.
    package struct StepLimitExceeded: Error, Hashable, Sendable, CustomStringConvertible {
        package var description: String {
            "the JSON comparison takes too many steps; compare smaller lists, or keep their order."
        }
    }
}

extension JSONNode {
    /// The number of values in a document, where lists and objects count twice except at the top.
    var deepSize: Int {
        switch value {
        case .array(let elements): elements.reduce(1) { $0 + $1.sizeAsChild }
        case .object(let members): members.reduce(1) { $0 + $1.value.sizeAsChild }
        default: 1
        }
    }

    private var sizeAsChild: Int { elements == nil && members == nil ? 1 : 1 + deepSize }
}
