/// A subset of Java's `String.format`: `%s %S %d %x %X %o %c %b %f %e %n %%`, with index, flags, width and precision.
enum JavaFormat {
    private struct Specifier {
        var index: Int?
        var flags = ""
        var width = 0
        var precision: Int?
        var conversion: Character = "s"
    }

    static func text(
        _ format: String,
        _ arguments: [TemplateValue],
        _ call: TemplateInvocation,
        _ rendering: inout TemplateRendering
    ) throws(Template.Failure) -> String {
        var output = ""
        var rest = format[...]
        var next = 0
        while let mark = rest.firstIndex(of: "%") {
            output += rest[..<mark]
            rest = rest[rest.index(after: mark)...]
            let specifier = specifier(&rest)
            guard specifier.width <= 1_000, (specifier.precision ?? 0) <= 100 else {
                throw call.failure("a width is at most 1000, and a precision at most 100")
            }
            if "%n".contains(specifier.conversion) {
                output += specifier.conversion == "n" ? "\n" : "%"
                continue
            }
            let position = specifier.index.map { $0 - 1 } ?? next
            if specifier.index == nil { next += 1 }
            guard arguments.indices.contains(position) else {
                throw call.failure("there is no argument for '%\(specifier.conversion)'")
            }
            let text = try converted(arguments[position], specifier, call)
            try rendering.spend(1 + (text.utf8.count + specifier.width) / 16)
            output += padded(text, specifier)
        }
        return output + rest
    }

    private static func specifier(_ rest: inout Substring) -> Specifier {
        var specifier = Specifier()
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        if !digits.isEmpty, rest.dropFirst(digits.count).first == "$" {
            specifier.index = Int(digits)
            rest.removeFirst(digits.count + 1)
        }
        let flags = rest.prefix { "-+ 0,(#".contains($0) }
        specifier.flags = String(flags)
        rest.removeFirst(flags.count)
        let width = rest.prefix { $0.isASCII && $0.isNumber }
        specifier.width = width.isEmpty ? 0 : Int(width) ?? .max
        rest.removeFirst(width.count)
        if rest.first == "." {
            rest.removeFirst()
            let precision = rest.prefix { $0.isASCII && $0.isNumber }
            specifier.precision = Int(precision) ?? .max
            rest.removeFirst(precision.count)
        }
        specifier.conversion = rest.popFirst() ?? " "
        return specifier
    }

    private static func converted(
        _ value: TemplateValue,
        _ specifier: Specifier,
        _ call: TemplateInvocation
    ) throws(Template.Failure) -> String {
        switch specifier.conversion {
        case "s", "S":
            let text = value == .null ? "null" : value.text
            let cut = specifier.precision.map { String(text.prefix($0)) } ?? text
            return specifier.conversion == "S" ? cut.uppercased() : cut
        case "b": return value == .bool(true) || (value != .null && value != .bool(false)) ? "true" : "false"
        case "d", "x", "X", "o":
            guard case .number(let text) = value, let number = Int(text) else { break }
            if specifier.conversion == "d" {
                return signed(
                    specifier.flags.contains(",") ? grouped("\(number.magnitude)") : "\(number.magnitude)",
                    number < 0,
                    specifier
                )
            }
            let digits = String(UInt(bitPattern: number), radix: specifier.conversion == "o" ? 8 : 16)
            return specifier.conversion == "X" ? digits.uppercased() : digits
        case "f":
            guard case .number(let text) = value, let rounded = RoundedNumber(text, places: specifier.precision ?? 6)
            else {
                break
            }
            let whole = specifier.flags.contains(",") ? grouped(rounded.whole) : rounded.whole
            return signed(
                rounded.fraction.isEmpty ? whole : "\(whole).\(rounded.fraction)",
                rounded.isNegative,
                specifier
            )
        default: throw call.failure("'%\(specifier.conversion)' is not supported; use %s, %d, %x or %f")
        }
        throw call.failure("'%\(specifier.conversion)' does not fit '\(value.text.prefix(40))'")
    }

    private static func signed(_ digits: String, _ isNegative: Bool, _ specifier: Specifier) -> String {
        let sign = isNegative ? "-" : specifier.flags.contains("+") ? "+" : specifier.flags.contains(" ") ? " " : ""
        let zeros = specifier.flags.contains("0") ? max(0, specifier.width - sign.count - digits.count) : 0
        return sign + String(repeating: "0", count: zeros) + digits
    }

    private static func padded(_ text: String, _ specifier: Specifier) -> String {
        let spaces = String(repeating: " ", count: max(0, specifier.width - text.utf16.count))
        return specifier.flags.contains("-") ? text + spaces : spaces + text
    }

    /// Digits with a comma before each group of three.
    static func grouped(_ digits: String) -> String {
        var grouped = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { grouped += "," }
            grouped.append(digit)
        }
        return grouped
    }
}

/// A decimal number, rounded half to even unless said otherwise, as digits.
struct RoundedNumber {
    let isNegative: Bool
    let whole: String
    let fraction: String

    enum Rule {
        case halfEven
        case halfUp
    }

    /// - Parameter shift: The power of ten by which the number is multiplied.
    ///
    /// Nil for a text that is not a number, or one with more than 400 digits.
    init?(_ text: String, places: Int, rule: Rule = .halfUp, shift: Int = 0) {
        guard DecimalNumber(text) != nil, text.utf8.count <= 400, (0...100).contains(places) else { return nil }
        let parts = text.lowercased().split(separator: "e", omittingEmptySubsequences: false)
        guard let power = parts.count == 2 ? Int(parts[1]) : 0, (-400...400).contains(power)
        else { return nil }
        var mantissa = parts[0][...]
        isNegative = mantissa.first == "-"
        if mantissa.first == "-" || mantissa.first == "+" { mantissa.removeFirst() }
        let pieces = mantissa.split(separator: ".", omittingEmptySubsequences: false)
        var digits = pieces.joined().utf8.map { $0 - 0x30 }
        var point = (pieces.first?.count ?? 0) + power + shift
        if point < 1 {
            digits = Array(repeating: 0, count: 1 - point) + digits
            point = 1
        }
        let length = point + places
        if digits.count < length { digits += Array(repeating: 0, count: length - digits.count) }
        let rest = digits[length...]
        digits = Array(digits[..<length])
        let isHalf = rest.first == 5 && rest.dropFirst().allSatisfy { $0 == 0 }
        let isOdd = (digits.last ?? 0) % 2 == 1
        if let first = rest.first, first > 5 || (first == 5 && (!isHalf || rule == .halfUp || isOdd)) {
            var index = length - 1
            while index >= 0, digits[index] == 9 {
                digits[index] = 0
                index -= 1
            }
            if index >= 0 {
                digits[index] += 1
            } else {
                digits.insert(1, at: 0)
                point += 1
            }
        }
        let text = digits.map { Character(UnicodeScalar($0 + 0x30)) }
        let significant = text[..<point].drop { $0 == "0" }
        whole = significant.isEmpty ? "0" : String(significant)
        fraction = String(text[point...])
    }
}
