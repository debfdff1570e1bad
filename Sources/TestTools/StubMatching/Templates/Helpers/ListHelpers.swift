/// Helpers that make or read lists.
let listHelpers: [String: TemplateHelper] = [
    "array": { call, _ in .list(call.arguments) },
    "range": { call, rendering in
        guard call.arguments.count >= 2, let lower = Int(call[0].text), let upper = Int(call[1].text) else {
            return .text("[ERROR: The range helper requires both lower and upper bounds as integer parameters]")
        }
        let (count, overflow) = upper.subtractingReportingOverflow(lower)
        guard !overflow, count >= -1, count < largestHelperSize else {
            throw call.failure(
                "the upper bound must be at least the lower one, with at most \(largestHelperSize) numbers"
            )
        }
        try rendering.spend(count + 1)
        return .list(count < 0 ? [] : (lower...upper).map { .number("\($0)") })
    },
    "size": { call, _ in
        switch call.subject.plain {
        case .text(let text): .number("\(text.utf16.count)")
        case .list(let elements): .number("\(elements.count)")
        case .object(let object): .number("\(object.members.count)")
        case .null: .number("0")
        case .bool, .number, .date, .presented: .null
        }
    },
    "join": { call, rendering in
        var elements = call.subject.elements ?? Array(call.arguments.dropLast())
        if call.subject == .null { elements = [] }
        guard call.arguments.count > 1, let separator = call.arguments.last?.text else {
            throw call.failure("write a separator as the last argument")
        }
        var texts: [String] = []
        for element in elements {
            texts.append(try call.text(element, &rendering))
            try rendering.spend(1 + separator.utf8.count / 16)
        }
        let joined = texts.joined(separator: separator)
        return .text((call.options["prefix"]?.text ?? "") + joined + (call.options["suffix"]?.text ?? ""))
    },
    // As in WireMock, a value without such a member is the result itself.
    "lookup": { call, _ in call.subject.member(call[1].text) ?? call.subject },
]
