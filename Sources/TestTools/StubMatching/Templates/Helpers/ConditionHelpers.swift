import LinkRouting

/// Helpers that choose between the parts of a block. Without a block, comparisons are true or false.
let conditionHelpers: [String: TemplateHelper] = [
    "if": { call, rendering in
        let includesZero = call.options["includeZero"] == .bool(true)
        let isZero = if case .number = call.subject { true } else { false }
        return try call.choice(call.subject.isTruthy || (includesZero && isZero), &rendering)
    },
    "unless": { call, rendering in try call.choice(!call.subject.isTruthy, &rendering) },
    "with": { call, rendering in
        guard let block = call.block else { throw call.failure("write a block, such as '{{#with request}}…{{/with}}'") }
        guard call.subject.isTruthy else { return try call.choice(false, &rendering) }
        return .text(try rendering.with(call.subject, block))
    },
    "each": { call, rendering in
        guard let block = call.block else { throw call.failure("write a block, such as '{{#each list}}…{{/each}}'") }
        return .text(try rendering.each(call.subject, block))
    },
    "eq": { call, rendering in try call.choice(isSame(call.subject, call[1]), &rendering) },
    "neq": { call, rendering in try call.choice(!isSame(call.subject, call[1]), &rendering) },
    "gt": { call, rendering in try call.choice(try isBefore(call[1], call.subject, call), &rendering) },
    "gte": { call, rendering in try call.choice(!(try isBefore(call.subject, call[1], call)), &rendering) },
    "lt": { call, rendering in try call.choice(try isBefore(call.subject, call[1], call), &rendering) },
    "lte": { call, rendering in try call.choice(!(try isBefore(call[1], call.subject, call)), &rendering) },
    "and": { call, rendering in try call.choice(call.arguments.allSatisfy(\.isTruthy), &rendering) },
    "or": { call, rendering in try call.choice(call.arguments.contains(where: \.isTruthy), &rendering) },
    "not": { call, rendering in try call.choice(!call.subject.isTruthy, &rendering) },
    "contains": { call, rendering in
        let part = try call.text(call[1], &rendering)
        let holds: Bool
        if let elements = call.subject.elements {
            try rendering.spend(elements.count)
            holds = elements.contains { isSame($0, call[1]) }
        } else {
            let text = try call.text(call.subject, &rendering)
            holds = call[1] != .null && (part.isEmpty || !TextPieces(text, separator: part).isWhole)
        }
        return try call.choice(holds, &rendering)
    },
    "matches": { call, rendering in
        let expression = try regularExpression(call, &rendering)
        return try call.choice(
            try expression.matches(try call.text(call.subject, &rendering), spending: &rendering.matchingSteps),
            &rendering
        )
    },
]

/// Numbers are the same if they have the same value; a number and a text are never the same.
private func isSame(_ left: TemplateValue, _ right: TemplateValue) -> Bool {
    guard case .number(let one) = left, case .number(let other) = right else {
        if case .text(let one) = left, case .text(let other) = right { return one.isExactly(other) }
        return left == right
    }
    return DecimalNumber(one) == DecimalNumber(other)
}

private func isBefore(
    _ left: TemplateValue,
    _ right: TemplateValue,
    _ call: TemplateInvocation
) throws(Template.Failure) -> Bool {
    switch (left, right) {
    case (.number(let one), .number(let other)):
        guard let one = DecimalNumber(one), let other = DecimalNumber(other) else { break }
        return one < other
    case (.text(let one), .text(let other)): return one.utf16.lexicographicallyPrecedes(other.utf16)
    case (.date(let one), .date(let other)): return one.instant < other.instant
    default: break
    }
    throw call.failure(
        "'\(left.text.prefix(40))' and '\(right.text.prefix(40))' have no order; compare two numbers or texts"
    )
}
