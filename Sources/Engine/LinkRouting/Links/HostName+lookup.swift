/// The lookup form of a link's host. It is computed without any UTS #46 table, see docs/routing.md.
extension HostName {
    /// Returns the host in lower case without a trailing dot; the empty string when nothing is left, nil when the text
    /// cannot be a host. All escapes must be well-formed.
    ///
    /// ASCII is limited to letters, digits, `-`, `_` and `.`, so that a host is safe in headers, file names and logs.
    /// Other characters are lower-cased scalar by scalar; `。`, `．` and `｡` count as dots. The limit is 253 bytes.
    static func lookupForm(_ raw: ArraySlice<UInt8>) -> String? {
        guard !areAllPlain(raw.span) else { return lookupForm(plain: raw) }
        var decoded: [UInt8] = []
        decoded.append(decoding: raw, plus: .plus)
        var host = lookupForm(decoded: decoded)
        if host?.utf8.last == UInt8(ascii: ".") { host?.unicodeScalars.removeLast() }
        guard let host, host.utf8.count <= maximumLength else { return nil }
        return host.isEmpty || !hasEmptyLabel(host) ? host : nil
    }

    private static func lookupForm(plain raw: ArraySlice<UInt8>) -> String? {
        let host = raw.last == UInt8(ascii: ".") ? raw.dropLast() : raw
        guard host.count <= maximumLength else { return nil }
        var previous = UInt8(ascii: ".")
        for byte in host {
            if byte == UInt8(ascii: "."), previous == byte { return nil }
            previous = byte
        }
        return host.isEmpty || previous != UInt8(ascii: ".") ? asciiLowercased(host) : nil
    }

    private static func hasEmptyLabel(_ host: String) -> Bool {
        func hasEmptyLabel(_ host: UnsafeBufferPointer<UInt8>) -> Bool {
            var previous = UInt8(ascii: ".")
            for byte in host {
                if byte == UInt8(ascii: "."), previous == byte { return true }
                previous = byte
            }
            return previous == UInt8(ascii: ".")
        }
        return host.utf8.withContiguousStorageIfAvailable(hasEmptyLabel)
            ?? Array(host.utf8).withUnsafeBufferPointer(hasEmptyLabel)
    }

    /// Whether all bytes are letters, digits, `-`, `_` or `.`. This is the fast path, for nearly all hosts.
    private static func areAllPlain(_ raw: Swift.Span<UInt8>) -> Bool {
        for index in raw.indices {
            guard isPlain(raw[index]) else { return false }
        }
        return true
    }

    private static func lookupForm(decoded: [UInt8]) -> String? {
        var host = String.UnicodeScalarView()
        for scalar in String(decoding: decoded, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "A"..."Z", "a"..."z":
                host.append(Unicode.Scalar(UInt8(truncatingIfNeeded: scalar.value) | 0x20))
            case "0"..."9", "-", "_", ".":
                host.append(scalar)
            case "\u{3002}", "\u{FF0E}", "\u{FF61}":
                host.append(".")
            case "\u{80}"...:
                guard mayStandInHost(scalar) else { return nil }
                host.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
            default:
                return nil
            }
        }
        return String(host)
    }

    /// Whether a non-ASCII scalar is accepted in a host. Letters and marks are, including those that no domain can be
    /// registered with. Other characters must be visible and have no compatibility form, because some of these contain
    /// delimiters: `℀` is `a/c`, `⒈` is `1.`.
    private static func mayStandInHost(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .uppercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .enclosingMark:
            true
        case .decimalNumber, .letterNumber, .otherNumber, .otherSymbol, .modifierSymbol:
            !scalar.properties.changesWhenNFKCCaseFolded
        case .otherPunctuation:
            contextualPunctuation.contains(scalar)
        default:
            joiners.contains(scalar)
        }
    }

    /// Punctuation that IDNA 2008 allows between letters: the middle dots of Catalan and Katakana, and Greek and Hebrew
    /// signs.
    private static let contextualPunctuation: [Unicode.Scalar] = [
        "\u{B7}", "\u{375}", "\u{5F3}", "\u{5F4}", "\u{30FB}",
    ]
    /// The zero-width joiner and non-joiner, which Persian and Indic names need.
    static let joiners: [Unicode.Scalar] = ["\u{200C}", "\u{200D}"]

    /// Returns an IPv6 address (RFC 4291 §2.2, without a zone) in brackets and lower case; nil for anything else.
    static func ipv6Literal(_ raw: ArraySlice<UInt8>) -> String? {
        // An embedded IPv4 address counts as two groups.
        var groups = 0
        var hasGap = false
        var rest = raw
        if rest.starts(with: "::".utf8) {
            hasGap = true
            rest = rest.dropFirst(2)
        }
        while !rest.isEmpty {
            let group = rest.prefix { $0 != UInt8(ascii: ":") }
            rest = rest.dropFirst(group.count)
            if rest.isEmpty, group.contains(UInt8(ascii: ".")) {
                guard isIPv4(group) else { return nil }
                groups += 2
                break
            }
            guard (1...4).contains(group.count), group.allSatisfy({ hexValue($0) != nil }) else { return nil }
            groups += 1
            guard !rest.isEmpty else { break }
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: ":") {
                guard !hasGap else { return nil }
                hasGap = true
                rest = rest.dropFirst()
            } else if rest.isEmpty {
                return nil
            }
        }
        guard hasGap ? groups < 8 : groups == 8 else { return nil }
        return "[" + asciiLowercased(raw) + "]"
    }

    private static func isIPv4(_ text: ArraySlice<UInt8>) -> Bool {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                (1...3).contains(part.count) && part.allSatisfy(isDigit)
                    && (part.count == 1 || part.first != UInt8(ascii: "0"))
                    && part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= 255
            }
    }
}

/// Returns ASCII bytes as a string in lower case.
func asciiLowercased(_ bytes: ArraySlice<UInt8>) -> String {
    let span = bytes.span
    return String(unsafeUninitializedCapacity: span.count) { buffer in
        for index in span.indices { buffer[index] = folded(span[index]) }
        return span.count
    }
}
