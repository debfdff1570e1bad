package import LinkRouting

/// A JSONPath expression in the dialect of Jayway's library, which WireMock 2.35.1 uses.
///
/// A path is definite if it can find one value at most; then a missing value is no result. Other paths find a list, which
/// may be empty. An evaluation spends steps of a budget.
package struct JSONPath: Sendable {
    package let expression: String
    let path: JSONPathTokens

    /// The maximum length of an expression in UTF-8 bytes.
    package static let maximumLength = 8_192
    /// The maximum number of steps in a path, such as `.name` or `[0]`.
    package static let maximumTokens = 128
    /// The maximum nesting depth of filters, parentheses and functions.
    package static let maximumDepth = 16
    /// Steps of one evaluation. Each visited value, comparison and step of a regular expression counts.
    package static let steps = 5_000_000

    package init(_ expression: String) throws(SyntaxError) {
        self.expression = expression
        guard expression.utf8.count <= Self.maximumLength else {
            throw SyntaxError(
                position: 0,
                message: "the expression is longer than \(Self.maximumLength) bytes; shorten it."
            )
        }
        var parser = JSONPathParser(expression)
        path = try parser.parse()
    }

    /// Returns the result of the path in a document.
    package func evaluate(_ document: JSONNode) throws(Failure) -> Result {
        var evaluation = JSONPathEvaluation(document: document, steps: Self.steps)
        return try evaluation.result(of: path, from: document)
    }

    /// Returns the result of the path in a document. Subtracts the steps from a budget that several evaluations share.
    func evaluate(_ document: JSONNode, spending steps: inout Int) throws(Failure) -> Result {
        var evaluation = JSONPathEvaluation(document: document, steps: steps)
        let result = try evaluation.result(of: path, from: document)
        steps = evaluation.steps
        return result
    }

    package enum Result: Sendable, Hashable {
        /// The document has no such value.
        case nothing
        case value(JSONNode)
        /// The values that an indefinite path finds.
        case list([JSONNode])
    }

    /// An expression that is not a path.
    package struct SyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The position of the error in Unicode scalars, from 0.
        package let position: Int
        /// The problem, and what to write instead.
        package let message: String

        package var description: String { "at character \(position + 1): \(message)" }
    }

    /// An evaluation without a result.
    package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        case stepLimitExceeded
        /// The path does not apply to this document, for example `sum()` to a list without numbers.
        case notApplicable(String)

        package var description: String {
            switch self {
            case .stepLimitExceeded:
                "the JSONPath takes too many steps for this document; avoid '..' and nested filters."
            case .notApplicable(let reason): reason
            }
        }
    }
}

extension JSONPath.Result {
    /// Whether the expression alone matches, as in `"matchesJsonPath": "$.name"`: null, `[]` and `{}` do not match.
    package var isMatch: Bool {
        switch self {
        case .nothing: false
        case .list(let nodes): !nodes.isEmpty
        case .value(let node):
            switch node.value {
            case .null: false
            case .array(let elements): !elements.isEmpty
            case .object(let members): !members.isEmpty
            default: true
            }
        }
    }

    /// The result as one value; nil if there is none.
    package var node: JSONNode? {
        switch self {
        case .nothing: nil
        case .value(let node): node
        case .list(let nodes): .array(nodes)
        }
    }

    /// The texts that a matcher of the result compares: one of them must match. A list has a text for each element.
    package var texts: [String] {
        switch self {
        case .nothing: return []
        case .list(let nodes): return nodes.map(\.comparedText)
        case .value(let node):
            switch node.value {
            case .null: return []
            case .array(let elements): return elements.map(\.comparedText)
            default: return [node.comparedText]
            }
        }
    }
}

extension JSONNode {
    /// The value as Java writes it: a text without quotes, numbers as ``DecimalNumber/javaText(of:)``, lists and objects
    /// as JSON.
    package var comparedText: String {
        switch value {
        case .string(let text): text
        case .number(let lexeme): DecimalNumber.javaText(of: lexeme)
        case .null: "null"
        case .bool(let bool): bool ? "true" : "false"
        case .array, .object: withJavaNumbers.json()
        }
    }

    /// The same value with numbers as Java writes them.
    var withJavaNumbers: JSONNode {
        switch value {
        case .number(let lexeme): JSONNode(.number(DecimalNumber.javaText(of: lexeme)))
        case .array(let elements): .array(elements.map(\.withJavaNumbers))
        case .object(let members): JSONNode(.object(members.map { Member($0.key, $0.value.withJavaNumbers) }))
        default: self
        }
    }
}
