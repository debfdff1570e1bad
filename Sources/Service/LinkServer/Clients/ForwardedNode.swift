import Networking

/// Parses one element of `X-Forwarded-For` or `Forwarded`: the address that a proxy saw.
enum ForwardedNode {
    /// Parses an element of `X-Forwarded-For`: an address with or without a port, IPv6 also in brackets. Returns nil
    /// for everything else.
    static func address(_ text: Substring) -> NetworkAddress? {
        if text.utf8.first == UInt8(ascii: "[") {
            guard let end = text.utf8.firstIndex(of: UInt8(ascii: "]")), isPort(text[end...].dropFirst()),
                let address = NetworkAddress(text[..<end].dropFirst()), text[..<end].contains(":")
            else { return nil }
            return address
        }
        if let address = NetworkAddress(text) { return address }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), isPort(text[colon...]) else { return nil }
        return NetworkAddress(text[..<colon])
    }

    /// Parses an element of `Forwarded` (RFC 7239) and returns the address of its one `for`. Returns nil if it is
    /// malformed, `unknown` or an obfuscated name (`_x`).
    static func address(ofForwarded element: Substring) -> NetworkAddress? {
        var rest = element
        var found: NetworkAddress?
        while true {
            guard let equals = rest.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let name = rest[..<equals].trimmed
            rest = rest[equals...].dropFirst()
            guard let value = takeValue(from: &rest) else { return nil }
            if name.lowercased() == "for" {
                guard found == nil, let address = address(value[...]) else { return nil }
                found = address
            }
            rest = rest.trimmed
            guard !rest.isEmpty else { return found }
            guard rest.utf8.first == UInt8(ascii: ";") else { return nil }
            rest = rest.dropFirst().trimmed
            // Some proxies write a semicolon at the end.
            guard !rest.isEmpty else { return found }
        }
    }

    /// Reads a token, or a quoted string without its quotes and escapes.
    private static func takeValue(from rest: inout Substring) -> String? {
        guard rest.utf8.first == UInt8(ascii: "\"") else {
            let end = rest.utf8.firstIndex(of: UInt8(ascii: ";")) ?? rest.endIndex
            defer { rest = rest[end...] }
            return String(rest[..<end].trimmed)
        }
        var value: [UInt8] = []
        var isEscaped = false
        for index in rest.utf8.indices.dropFirst() {
            switch rest.utf8[index] {
            case UInt8(ascii: "\\") where !isEscaped: isEscaped = true
            case UInt8(ascii: "\"") where !isEscaped:
                rest = rest[rest.utf8.index(after: index)...]
                return String(decoding: value, as: UTF8.self)
            case let byte:
                value.append(byte)
                isEscaped = false
            }
        }
        return nil
    }

    /// Whether the text is empty, or a colon and a port as in RFC 7239: digits, or an obfuscated port (`_x`).
    private static func isPort(_ text: Substring) -> Bool {
        guard !text.isEmpty else { return true }
        let port = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: ":"), let first = port.first else { return false }
        if first == UInt8(ascii: "_") { return true }
        return port.count <= 5 && port.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension Substring {
    /// The text without leading and trailing spaces and tabs.
    var trimmed: Substring {
        var text = self
        while let first = text.utf8.first, first == 0x20 || first == 0x09 { text = text.dropFirst() }
        while let last = text.utf8.last, last == 0x20 || last == 0x09 { text = text.dropLast() }
        return text
    }
}
