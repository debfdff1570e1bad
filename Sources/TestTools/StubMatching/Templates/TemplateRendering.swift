import LinkRouting

/// Renders a template once, within a budget of steps and of output.
struct TemplateRendering {
    var environment: TemplateEnvironment
    private var frames: [Frame]
    /// The variables that helpers such as `assign` and `parseJson` set. A name in the contexts hides a variable.
    private var variables: [ExactText: TemplateValue] = [:]
    private var steps = Template.steps
    /// The steps that all regular expressions and JSONPaths of the rendering share.
    var matchingSteps = Template.matchingSteps
    private var remainingOutput = Template.maximumOutput

    private struct Frame {
        let context: TemplateValue
        /// The names after `as |…|`.
        var names: [ExactText: TemplateValue] = [:]
        /// `@index` and others.
        var data: [String: TemplateValue] = [:]
    }

    init(model: TemplateValue, environment: TemplateEnvironment) {
        self.environment = environment
        frames = [Frame(context: model)]
    }

    var context: TemplateValue { frames.last?.context ?? .null }

    mutating func set(_ name: String, to value: TemplateValue) { variables[ExactText(name)] = value }

    mutating func spend(_ count: Int) throws(Template.Failure) {
        steps -= count
        guard steps >= 0 else {
            throw Template.Failure(description: "the template takes too many steps; shorten its loops or texts")
        }
    }

    // MARK: Nodes

    mutating func text(of nodes: [TemplateNode]) throws -> String {
        var output = ""
        for node in nodes {
            try spend(1)
            switch node {
            case .text(let text): try write(text, to: &output)
            case .output(let expression, let isEscaped):
                let text = try value(of: expression).text
                try spend(text.utf8.count / 16)
                try write(isEscaped ? text.escapedForHandlebars : text, to: &output)
            case .block(let block): try write(try self.text(of: block), to: &output)
            }
        }
        return output
    }

    private mutating func write(_ text: String, to output: inout String) throws(Template.Failure) {
        remainingOutput -= text.utf8.count
        guard remainingOutput >= 0 else {
            throw Template.Failure(description: "the template makes more than \(Template.maximumOutput) bytes")
        }
        output += text
    }

    private mutating func text(of block: TemplateBlock) throws -> String {
        if case .call(let call) = block.subject { return try result(of: call, block).text }
        let value = try value(of: block.subject)
        if value.elements != nil { return try each(value, block) }
        guard value.isTruthy else { return try text(of: block.inverse) }
        return try with(value, block)
    }

    // MARK: Contexts

    /// Renders the block's body once with a value as the context.
    mutating func with(_ value: TemplateValue, _ block: TemplateBlock) throws -> String {
        try body(of: block, value, parameters: [value], data: [:])
    }

    /// Renders the block's body for each element of a list or each member of an object.
    mutating func each(_ value: TemplateValue, _ block: TemplateBlock) throws -> String {
        var items: [(key: TemplateValue, value: TemplateValue)] = []
        var isObject = false
        switch value.plain {
        case .list(let elements): items = elements.enumerated().map { (.number("\($0)"), $1) }
        case .object(let object):
            isObject = true
            items = object.members.map { (.text($0.key), $0.value) }
        default: break
        }
        guard !items.isEmpty else { return try text(of: block.inverse) }
        try spend(items.count)
        var output = ""
        for (index, item) in items.enumerated() {
            var data: [String: TemplateValue] = [
                "index": .number("\(index)"), "first": .text(index == 0 ? "first" : ""),
                "last": .text(index == items.count - 1 ? "last" : ""), "index_1": .number("\(index + 1)"),
                "even": .text(index % 2 == 0 ? "even" : ""), "odd": .text(index % 2 == 1 ? "odd" : ""),
            ]
            if isObject { data["key"] = item.key }
            output += try body(of: block, item.value, parameters: [item.value, item.key], data: data)
        }
        return output
    }

    private mutating func body(
        of block: TemplateBlock,
        _ context: TemplateValue,
        parameters: [TemplateValue],
        data: [String: TemplateValue]
    ) throws -> String {
        var frame = Frame(context: context, data: data)
        for (name, value) in zip(block.parameters, parameters) { frame.names[ExactText(name)] = value }
        frames.append(frame)
        defer { frames.removeLast() }
        return try text(of: block.body)
    }

    // MARK: Expressions

    private mutating func value(of expression: TemplateExpression) throws -> TemplateValue {
        switch expression {
        case .literal(let value): return value
        case .path(let path): return try value(of: path)
        case .call(let call): return try result(of: call, nil)
        }
    }

    private mutating func result(of call: TemplateCall, _ block: TemplateBlock?) throws -> TemplateValue {
        try spend(1 + call.arguments.count + call.options.count)
        var arguments: [TemplateValue] = []
        for argument in call.arguments { arguments.append(try value(of: argument)) }
        var options: [String: TemplateValue] = [:]
        for option in call.options { options[option.name] = try value(of: option.value) }
        let invocation = TemplateInvocation(
            name: call.name,
            arguments: arguments,
            options: options,
            block: block,
            compiled: call.compiled,
            context: context
        )
        return try call.helper(invocation, &self)
    }

    private mutating func value(of path: TemplatePath) throws(Template.Failure) -> TemplateValue {
        try spend(1 + path.segments.count)
        let depth = frames.count - path.ups
        guard depth > 0 else { return .null }
        var segments = path.segments[...]
        var value: TemplateValue?
        switch path.kind {
        case .context: value = frames[depth - 1].context
        case .root: value = frames[0].context
        case .data:
            guard let name = segments.popFirst() else { return .null }
            value = frames[..<depth].last { $0.data[name] != nil }?.data[name]
        case .name:
            guard let name = segments.popFirst() else { return .null }
            value = named(name, in: frames[..<depth])
        }
        for segment in segments { value = value?.member(segment) }
        return value ?? .null
    }

    private func named(_ name: String, in frames: ArraySlice<Frame>) -> TemplateValue? {
        let exact = ExactText(name)
        for frame in frames.reversed() {
            if let value = frame.names[exact] ?? frame.context.member(name) { return value }
        }
        return variables[exact]
    }
}

/// A helper's arguments.
struct TemplateInvocation {
    let name: String
    let arguments: [TemplateValue]
    let options: [String: TemplateValue]
    let block: TemplateBlock?
    let compiled: TemplateCall.Compiled?
    let context: TemplateValue

    /// The first argument; the context if there is none.
    var subject: TemplateValue { arguments.first ?? context }

    subscript(index: Int) -> TemplateValue { arguments.indices.contains(index) ? arguments[index] : .null }

    /// The text of a value, at the expense of the budget.
    func text(_ value: TemplateValue, _ rendering: inout TemplateRendering) throws(Template.Failure) -> String {
        let text = value.text
        try rendering.spend(text.utf8.count / 16)
        return text
    }

    func failure(_ message: String) -> Template.Failure { Template.Failure(description: "\(name): \(message)") }

    /// Returns the input of the helper: the first argument, or the text of the block if there is no argument.
    func content(_ rendering: inout TemplateRendering) throws -> String {
        if arguments.isEmpty, let block { return try rendering.text(of: block.body) }
        return try text(subject, &rendering)
    }

    /// The body of the block if the condition holds, else the inverse. Without a block, the value itself.
    func choice(_ condition: Bool, _ rendering: inout TemplateRendering) throws -> TemplateValue {
        guard let block else { return options[condition ? "yes" : "no"] ?? .bool(condition) }
        return .text(try rendering.text(of: condition ? block.body : block.inverse))
    }

    /// A whole number among the arguments or options; nil if it is absent.
    func integer(_ value: TemplateValue?) throws(Template.Failure) -> Int? {
        guard let value, value != .null else { return nil }
        guard let number = Int(value.text) else { throw failure("'\(value.text.prefix(40))' is not a whole number") }
        return number
    }
}
