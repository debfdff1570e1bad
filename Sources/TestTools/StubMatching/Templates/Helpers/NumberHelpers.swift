/// Helpers for numbers.
let numberHelpers: [String: TemplateHelper] = [
    "math": { call, _ in
        guard call.arguments.count >= 3 else {
            return .text("[ERROR: All maths functions require two operands and an operator as parameters e.g. 3 '+' 2]")
        }
        return try calculated(call[0], call[1].text, call[2], call)
    },
    "numberFormat": { call, _ in
        guard case .number(let text) = call.subject else { return .null }
        var format = try NumberFormat(named: call[1], call)
        if let digits = try call.integer(call.options["maximumFractionDigits"]) {
            format.maximum = max(0, min(digits, 100))
            format.minimum = min(format.minimum, format.maximum)
        }
        if let digits = try call.integer(call.options["minimumFractionDigits"]) {
            format.minimum = max(0, min(digits, 100))
            format.maximum = max(format.minimum, format.maximum)
        }
        if let uses = call.options["groupingUsed"] { format.isGrouped = uses == .bool(true) }
        guard let formatted = format.text(text) else { throw call.failure("'\(text.prefix(40))' has too many digits") }
        return .text(formatted)
    },
    "isEven": { call, rendering in try parity(call, "even", &rendering) },
    "isOdd": { call, rendering in try parity(call, "odd", &rendering) },
    "stripes": { call, _ in
        guard let remainder = remainder(call.subject) else { return .null }
        return remainder == 0
            ? call.arguments.count > 1 ? call[1] : .text("even") : call.arguments.count > 2 ? call[2] : .text("odd")
    },
]

/// The remainder of a whole number by 2; nil for other values.
private func remainder(_ value: TemplateValue) -> Int? {
    guard case .number(let text) = value, let number = Int(text) else { return nil }
    return number & 1
}

private func parity(
    _ call: TemplateInvocation,
    _ name: String,
    _ rendering: inout TemplateRendering
) throws -> TemplateValue {
    let holds = remainder(call.subject) == (name == "even" ? 0 : 1)
    if call.block != nil { return try call.choice(holds, &rendering) }
    return holds ? call.arguments.count > 1 ? call[1] : .text(name) : .null
}

/// Computes as Java's `BigDecimal` does: a quotient has the decimal places of the dividend, rounded half up.
private func calculated(
    _ left: TemplateValue,
    _ operation: String,
    _ right: TemplateValue,
    _ call: TemplateInvocation
) throws(Template.Failure) -> TemplateValue {
    guard let one = ScaledNumber(left.text), let other = ScaledNumber(right.text) else {
        throw call.failure(
            "'\(left.text.prefix(40))' and '\(right.text.prefix(40))' must be numbers of at most 18 digits"
        )
    }
    let result: ScaledNumber?
    switch operation {
    case "+": result = one.adding(other)
    case "-": result = one.adding(ScaledNumber(digits: -other.digits, places: other.places))
    case "*", "x": result = ScaledNumber(digits: one.digits * other.digits, places: one.places + other.places)
    case "/": result = one.divided(by: other)
    case "%": result = one.remainder(by: other)
    default: return .text("[ERROR: \(operation) is not a valid mathematical operator]")
    }
    guard let result else { throw call.failure("a division by 0 has no result") }
    return .number(result.text)
}

/// `digits` × 10 to the power of -`places`. Numbers that are read have at most 18 digits, so that no operation on two of
/// them leaves the range of 128 bits.
private struct ScaledNumber {
    let digits: Int128
    let places: Int

    init(digits: Int128, places: Int) { (self.digits, self.places) = (digits, places) }

    init?(_ text: String) {
        let plain = DecimalNumber.javaText(of: text)
        guard DecimalNumber(plain) != nil, plain.utf8.count <= 19, !plain.utf8.contains(where: { $0 | 0x20 == 0x65 })
        else {
            return nil
        }
        let parts = plain.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let digits = Int128(parts.joined()) else { return nil }
        self.init(digits: digits, places: parts.count == 2 ? parts[1].count : 0)
    }

    private static func power(_ exponent: Int) -> Int128 { (0..<exponent).reduce(1) { power, _ in power * 10 } }

    private func aligned(_ places: Int) -> Int128 { digits * Self.power(places - self.places) }

    func adding(_ other: Self) -> Self {
        let places = max(places, other.places)
        return Self(digits: aligned(places) + other.aligned(places), places: places)
    }

    func remainder(by other: Self) -> Self? {
        guard other.digits != 0 else { return nil }
        let places = max(places, other.places)
        return Self(digits: aligned(places) % other.aligned(places), places: places)
    }

    func divided(by other: Self) -> Self? {
        guard other.digits != 0 else { return nil }
        // The quotient has the places of the dividend: (a / 10^p) / (b / 10^q) = (a * 10^q / b) / 10^p.
        let (quotient, rest) = (digits * Self.power(other.places)).quotientAndRemainder(dividingBy: other.digits)
        guard rest.magnitude * 2 >= other.digits.magnitude else { return Self(digits: quotient, places: places) }
        let isNegative = (rest < 0) != (other.digits < 0)
        return Self(digits: quotient + (isNegative ? -1 : 1), places: places)
    }

    /// A number with decimal places is shown as Java's double.
    var text: String {
        guard places > 0 else { return "\(digits)" }
        let magnitude = "\(digits.magnitude)"
        let padded = String(repeating: "0", count: max(0, places + 1 - magnitude.count)) + magnitude
        let plain = "\(digits < 0 ? "-" : "")\(padded.dropLast(places)).\(padded.suffix(places))"
        return Double(plain)?.javaText ?? plain
    }
}

/// A format of Java's `DecimalFormat` for the locale en_US.
private struct NumberFormat {
    var minimum: Int
    var maximum: Int
    var isGrouped = true
    private var minimumWhole = 1
    private var isPercent = false
    private var (prefix, suffix) = ("", "")

    /// - Parameter value: `integer`, `percent`, `currency`, a pattern such as `#,##0.00`, or null for the default.
    init(named value: TemplateValue, _ call: TemplateInvocation) throws(Template.Failure) {
        switch value.text {
        case "": (minimum, maximum) = (0, 3)
        case "integer": (minimum, maximum) = (0, 0)
        case "percent":
            (minimum, maximum, isPercent, suffix) = (0, 0, true, "%")
        case "currency":
            (minimum, maximum, prefix) = (2, 2, "¤")
        default:
            (minimum, maximum) = (0, 0)
            try read(value.text, call)
        }
    }

    private mutating func read(_ pattern: String, _ call: TemplateInvocation) throws(Template.Failure) {
        let digits = pattern.drop { !"#0,.".contains($0) }.prefix { "#0,.".contains($0) }
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        guard !digits.isEmpty, parts.count <= 2, digits.count <= 60 else {
            throw call.failure("'\(pattern.prefix(40))' is not a number format; write one such as '#,##0.00'")
        }
        prefix = String(pattern.prefix { !"#0,.".contains($0) })
        suffix = String(pattern.dropFirst(prefix.count + digits.count))
        isPercent = suffix.contains("%")
        isGrouped = parts[0].contains(",")
        minimumWhole = parts[0].count { $0 == "0" }
        let fraction = parts.count == 2 ? parts[1] : ""
        (minimum, maximum) = (fraction.count { $0 == "0" }, fraction.count)
    }

    func text(_ number: String) -> String? {
        guard let rounded = RoundedNumber(number, places: maximum, rule: .halfEven, shift: isPercent ? 2 : 0) else {
            return nil
        }
        var whole = rounded.whole
        if whole.count < minimumWhole { whole = String(repeating: "0", count: minimumWhole - whole.count) + whole }
        if isGrouped { whole = JavaFormat.grouped(whole) }
        var fraction = rounded.fraction
        while fraction.count > minimum, fraction.last == "0" { fraction.removeLast() }
        return "\(rounded.isNegative ? "-" : "")\(prefix)\(whole)\(fraction.isEmpty ? "" : ".")\(fraction)\(suffix)"
    }
}
