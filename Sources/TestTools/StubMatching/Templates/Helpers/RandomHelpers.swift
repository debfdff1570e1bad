/// Helpers that use the environment's random numbers.
let randomHelpers: [String: TemplateHelper] = [
    "randomValue": { call, rendering in
        let length = try call.integer(call.options["length"]) ?? 36
        guard (0...largestHelperSize).contains(length) else {
            throw call.failure("the length must be 0 to \(largestHelperSize)")
        }
        try rendering.spend(length)
        let type = call.options["type"]?.text ?? "ALPHANUMERIC"
        var text: String
        if type == "UUID" {
            text = uuid(&rendering.environment.generator)
        } else {
            guard let alphabet = alphabets[type] else {
                throw call.failure(
                    "there is no type '\(type.prefix(40))'; write one of \(alphabets.keys.sorted().joined(separator: ", ")), UUID"
                )
            }
            let bytes = (0..<length).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &rendering.environment.generator)]
            }
            text = String(decoding: bytes, as: UTF8.self)
        }
        if call.options["uppercase"] == .bool(true) { text = text.uppercased() }
        return .text(text)
    },
    "randomInt": { call, rendering in
        let lower = try call.integer(call.options["lower"]) ?? Int(Int32.min)
        let upper = try call.integer(call.options["upper"]) ?? Int(Int32.max)
        guard lower < upper else { throw call.failure("'upper' must be greater than 'lower'") }
        return .number("\(Int.random(in: lower..<upper, using: &rendering.environment.generator))")
    },
    "randomDecimal": { call, rendering in
        let lower = Double(call.options["lower"]?.text ?? "0") ?? .nan
        let upper = Double(call.options["upper"]?.text ?? "1.7976931348623157E308") ?? .nan
        guard lower.isFinite, upper.isFinite, lower < upper, (upper - lower).isFinite else {
            throw call.failure("'upper' must be a number greater than 'lower'")
        }
        return .number(Double.random(in: lower..<upper, using: &rendering.environment.generator).javaText)
    },
    "pickRandom": { call, rendering in
        let choices = call.arguments.count > 1 ? call.arguments : call.subject.elements ?? [call.subject]
        guard let choice = choices.randomElement(using: &rendering.environment.generator) else {
            throw call.failure("the list is empty")
        }
        return choice
    },
]

private let alphabets: [String: [UInt8]] = [
    "ALPHANUMERIC": Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8),
    "ALPHABETIC": Array("abcdefghijklmnopqrstuvwxyz".utf8),
    "NUMERIC": Array("0123456789".utf8),
    "HEXADECIMAL": Array("0123456789abcdef".utf8),
    "ALPHANUMERIC_AND_SYMBOLS": Array(0x21...0x7E),
]

/// A UUID of version 4.
private func uuid(_ generator: inout TemplateEnvironment.Generator) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for index in 0..<32 {
        if [8, 12, 16, 20].contains(index) { text.append(UInt8(ascii: "-")) }
        let random = Int.random(in: 0..<16, using: &generator)
        text.append(index == 12 ? UInt8(ascii: "4") : digits[index == 16 ? 8 + random % 4 : random])
    }
    return String(decoding: text, as: UTF8.self)
}
