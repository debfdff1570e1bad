/// The content of an argument of a route, for all of its links.
package struct ArgumentShape: Sendable, Hashable {
    package var type: ArgumentType
    /// Whether some links lack the argument, because it uses an optional query item that they do not have.
    package var mayBeMissing: Bool

    package init(type: ArgumentType, mayBeMissing: Bool = false) {
        self.type = type
        self.mayBeMissing = mayBeMissing
    }
}

extension ArgumentTemplate {
    /// The shape of the filled argument; nil if it uses a parameter that is not captured.
    ///
    /// - Parameter captured: The shapes of the captured parameters, by name.
    package func shape(_ captured: [String: ArgumentShape]) -> ArgumentShape? {
        switch self {
        case .constant(let node):
            return ArgumentShape(type: ArgumentType(of: node), mayBeMissing: node.value == .null)
        case .template(let template):
            if let name = template.soleParameter { return captured[name] }
            var shape = ArgumentShape(type: .string)
            for name in template.parameterNames {
                guard let parameter = captured[name] else { return nil }
                shape.mayBeMissing = shape.mayBeMissing || parameter.mayBeMissing
            }
            return shape
        }
    }

    /// The constant value; nil if the argument depends on the link.
    package var constant: JSONNode? {
        switch self {
        case .constant(let node): return node
        case .template(let template):
            guard template.parameterNames.isEmpty else { return nil }
            let texts = template.parts.map { part in
                switch part {
                case .literal(let text): text
                case .parameter: ""
                }
            }
            return .string(texts.joined())
        }
    }
}

extension ArgumentType {
    /// The narrowest type that accepts the value.
    package init(of node: JSONNode) {
        switch node.value {
        case .null, .object: self = .json
        case .bool: self = .bool
        case .number: self = node.int == nil ? .number : .int
        case .string: self = .string
        case .array(let elements):
            let types = elements.map { ArgumentType(of: $0) }
            let joined = types.dropFirst().reduce(types.first ?? .json) { $0.joined(with: $1) }
            // Lists of lists are not a type of their own.
            if case .list = joined { self = .json } else { self = elements.isEmpty ? .json : .list(joined) }
        }
    }

    /// The type of the values that a parameter captures.
    init(of parameter: ParameterType, _ letterCase: LetterCase) {
        switch parameter {
        case .string, .slug, .alpha, .alnum, .hex: self = .string
        case .int: self = .int
        case .number: self = .number
        case .bool: self = .bool
        case .uuid: self = .uuid
        case .date: self = .date
        // A captured value has the letters of the link, not those of the set.
        case .oneOf(let values): self = letterCase == .sensitive ? .oneOf(values.texts) : .string
        }
    }
}

extension Route {
    /// The shapes of the captured parameters, by name.
    package var capturedShapes: [String: ArgumentShape] {
        var shapes: [String: ArgumentShape] = [:]
        if case .label(let parameter?, _) = host { shapes[parameter.name] = shape(of: parameter) }
        add(path, to: &shapes)
        for condition in query {
            guard case .capture(let parameter, let presence) = condition.test else { continue }
            shapes[parameter.name] = shape(of: parameter)
            if case .optional = presence { shapes[parameter.name]?.mayBeMissing = true }
        }
        if case .pattern(let pattern) = fragment { add(pattern, to: &shapes) }
        return shapes
    }

    private func add(_ pattern: RoutePattern, to shapes: inout [String: ArgumentShape]) {
        for segment in pattern.segments {
            switch segment {
            case .literal, .any: break
            case .parameter(let parameter): shapes[parameter.name] = shape(of: parameter)
            case .mixed(let mixed):
                for piece in mixed.pieces { shapes[piece.parameter.name] = shape(of: piece.parameter) }
            case .rest(let name): shapes[name] = ArgumentShape(type: .list(.string))
            }
        }
    }

    private func shape(of parameter: RoutePattern.Parameter) -> ArgumentShape {
        ArgumentShape(type: ArgumentType(of: parameter.type, letterCase))
    }
}
