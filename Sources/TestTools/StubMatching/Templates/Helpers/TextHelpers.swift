/// Helpers that change a text.
let textHelpers: [String: TemplateHelper] = [
    "lower": { call, rendering in .text(try call.text(call.subject, &rendering).lowercased()) },
    "upper": { call, rendering in .text(try call.text(call.subject, &rendering).uppercased()) },
    "capitalizeFirst": { call, rendering in .text(capitalized(try call.text(call.subject, &rendering))) },
    "capitalize": { call, rendering in
        var text = try call.text(call.subject, &rendering)
        if call.options["fully"] == .bool(true) { text = text.lowercased() }
        return .text(TextPieces(text, separator: " ").pieces.map(capitalized).joined(separator: " "))
    },
    "trim": { call, rendering in .text(trimmed(try call.content(&rendering))) },
    "cut": { call, rendering in
        let part = call.arguments.count > 1 ? try call.text(call[1], &rendering) : " "
        return .text(TextPieces(try call.text(call.subject, &rendering), separator: part).joined(by: ""))
    },
    "replace": { call, rendering in
        let text = try call.text(call.subject, &rendering)
        let replacement = try call.text(call[2], &rendering)
        let pieces = TextPieces(text, separator: try call.text(call[1], &rendering))
        try rendering.spend((pieces.pieces.count - 1) * (1 + replacement.utf8.count / 16))
        return .text(pieces.joined(by: replacement))
    },
    "substring": { call, rendering in
        let units = Array(try call.text(call.subject, &rendering).utf16)
        let start = try call.integer(call[1]) ?? 0
        let end = try call.integer(call[2]) ?? units.count
        guard start >= 0, start <= end, end <= units.count else {
            throw call.failure("\(start) to \(end) is outside the text, which has \(units.count) characters")
        }
        return .text(String(decoding: units[start..<end], as: UTF16.self))
    },
    "slugify": { call, rendering in .text(slug(try call.text(call.subject, &rendering))) },
    "stripTags": { call, rendering in .text(withoutTags(try call.text(call.subject, &rendering))) },
    "defaultIfEmpty": { call, _ in call.subject.isTruthy ? call.subject : call[1] },
    "yesno": { call, _ in
        switch call.subject {
        case .null: return call.options["maybe"] ?? .text("maybe")
        case .bool(true): return call.options["yes"] ?? .text("yes")
        case .bool(false): return call.options["no"] ?? .text("no")
        default: throw call.failure("'\(call.subject.text.prefix(40))' is neither true nor false")
        }
    },
    "base64": { call, rendering in
        let text = try call.content(&rendering)
        if call.options["decode"] == .bool(true) {
            guard let bytes = Base64.decode(text) else { throw call.failure("the text is not Base64") }
            return .text(String(decoding: bytes, as: UTF8.self))
        }
        let encoded = Base64.encode(Array(text.utf8))
        guard call.options["padding"] == .bool(false) else { return .text(encoded) }
        return .text(String(encoded.prefix { $0 != "=" }))
    },
    "urlEncode": { call, rendering in
        let text = try call.content(&rendering)
        if call.options["decode"] == .bool(true) { return .text(formDecoded(text.utf8)) }
        let isLatin1 = call.options["encoding"]?.text.lowercased() == "iso-8859-1"
        return .text(
            formEncoded(isLatin1 ? text.unicodeScalars.map { UInt8(exactly: $0.value) ?? 0x3F } : Array(text.utf8))
        )
    },
]

private func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

/// The text without the characters up to U+0020 at its ends, as Java trims.
private func trimmed(_ text: String) -> String {
    let bytes = text.utf8.drop { $0 <= 0x20 }
    guard let last = bytes.lastIndex(where: { $0 > 0x20 }) else { return "" }
    return String(Substring(bytes[...last]))
}

/// The text in lower case, with `-` for each blank, and without characters other than letters, digits, `-` and `_`.
private func slug(_ text: String) -> String {
    var slug = String.UnicodeScalarView()
    for scalar in trimmed(text).lowercased().unicodeScalars {
        if scalar.properties.isWhitespace {
            slug.append("-")
        } else if scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "-" {
            slug.append(scalar)
        }
    }
    return String(slug)
}

private func withoutTags(_ text: String) -> String {
    var rest = text.utf8[...]
    var stripped = ""
    while let start = rest.firstIndex(of: UInt8(ascii: "<")),
        let end = rest[start...].firstIndex(of: UInt8(ascii: ">"))
    {
        stripped += String(Substring(rest[..<start]))
        rest = rest[rest.index(after: end)...]
    }
    return stripped + String(Substring(rest))
}

/// Encodes bytes as Java's `URLEncoder` does: a space becomes `+`.
private func formEncoded(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    for byte in bytes {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: encoded.append(byte)
        case _ where ".-*_".utf8.contains(byte): encoded.append(byte)
        case 0x20: encoded.append(UInt8(ascii: "+"))
        default: encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
    return String(decoding: encoded, as: UTF8.self)
}
