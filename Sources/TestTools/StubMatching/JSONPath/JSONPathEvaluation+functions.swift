import LinkRouting

/// The functions at the end of a path.
extension JSONPathEvaluation {
    mutating func call(
        _ function: JSONPathFunction,
        _ parameters: [JSONPathTokens.Parameter],
        on node: JSONNode
    ) throws(Stop) -> JSONNode {
        switch function {
        case .length, .size: return try length(parameters, of: node)
        case .keys: return node.members.map { .array($0.map { .string($0.key) }) } ?? .null
        case .sum, .avg, .min, .max, .stddev:
            let numbers = try values(parameters, on: node).compactMap { $0.double }
            return try Self.aggregate(function, numbers)
        case .concat:
            return .string(try values(parameters, on: node).compactMap(\.text).joined())
        case .append:
            guard let elements = node.elements else { return node }
            return .array(elements + (try arguments(parameters)))
        }
    }

    private mutating func length(_ parameters: [JSONPathTokens.Parameter], of node: JSONNode) throws(Stop) -> JSONNode {
        if case .path(var path)? = parameters.first {
            // As in Jayway, the length is the number of elements in all results.
            path.tokens.append(.wildcard)
            if let elements = try result(path)?.elements { return .int(elements.count) }
        }
        return (node.elements?.count ?? node.members?.count).map { .int($0) } ?? .null
    }

    /// The elements of the value that a function is called on, and of its arguments.
    private mutating func values(
        _ parameters: [JSONPathTokens.Parameter],
        on node: JSONNode
    ) throws(Stop) -> [JSONNode] {
        var values = node.elements ?? []
        for argument in try arguments(parameters) { values += argument.elements ?? [argument] }
        try spend(values.count)
        return values
    }

    private mutating func arguments(_ parameters: [JSONPathTokens.Parameter]) throws(Stop) -> [JSONNode] {
        var arguments: [JSONNode] = []
        for parameter in parameters {
            switch parameter {
            case .literal(let node): arguments.append(node)
            case .path(let path): if let node = try result(path) { arguments.append(node) }
            }
        }
        return arguments
    }

    private mutating func result(_ path: JSONPathTokens) throws(Stop) -> JSONNode? {
        do throws(JSONPath.Failure) { return try result(of: path, from: document).node } catch { throw .failure(error) }
    }

    private static func aggregate(_ function: JSONPathFunction, _ numbers: [Double]) throws(Stop) -> JSONNode {
        guard let first = numbers.first else {
            throw .failure(.notApplicable("\(function.rawValue)() needs a list with numbers."))
        }
        let count = Double(numbers.count)
        let sum = numbers.reduce(0, +)
        let result: Double =
            switch function {
            case .sum: sum
            case .avg: sum / count
            case .min: numbers.reduce(first, Swift.min)
            case .max: numbers.reduce(first, Swift.max)
            default: deviation(numbers, sum)
            }
        // JSON has no infinity.
        return result.isFinite ? JSONNode(.number(result.javaText)) : .null
    }

    private static func deviation(_ numbers: [Double], _ sum: Double) -> Double {
        let count = Double(numbers.count)
        let squares = numbers.reduce(0) { $0 + $1 * $1 }
        return (squares / count - sum * sum / count / count).squareRoot()
    }
}
