/// The form under which a host is looked up.
enum HostName {
    /// Lower case, without a trailing dot; the empty string when nothing is left, nil when it cannot be a host.
    ///
    /// ASCII is limited to letters, digits, `-`, `_` and `.`, so that a host is safe in headers, file names and logs.
    /// Other characters are lower-cased scalar by scalar; `。`, `．` and `｡` count as dots. There is no further mapping.
    static func lookupForm(_ raw: ArraySlice<UInt8>) -> String? {
        var host = ""
        host.reserveCapacity(raw.count)
        for scalar in String(decoding: Array(PercentDecoding(raw, plus: .plus)), as: UTF8.self).unicodeScalars {
            switch scalar {
            case "A"..."Z", "a"..."z":
                host.unicodeScalars.append(Unicode.Scalar(UInt8(truncatingIfNeeded: scalar.value) | 0x20))
            case "0"..."9", "-", "_", ".":
                host.unicodeScalars.append(scalar)
            case "\u{3002}", "\u{FF0E}", "\u{FF61}":
                host.unicodeScalars.append(".")
            case "\u{80}"...:
                guard isPrintable(scalar) else { return nil }
                host += scalar.properties.lowercaseMapping
            default:
                return nil
            }
        }
        if host.hasSuffix(".") { host.removeLast() }
        guard host.utf8.count <= 253, !host.hasPrefix("."), host.firstRange(of: "..") == nil else { return nil }
        return host
    }

    /// An IPv6 address in brackets, lower case; nil unless it consists of what one may consist of.
    static func ipLiteral(_ raw: ArraySlice<UInt8>) -> String? {
        guard raw.count <= 45, raw.count(where: { $0 == UInt8(ascii: ":") }) >= 2,
            raw.allSatisfy({ hexValue($0) != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") })
        else { return nil }
        return "[" + String(decoding: raw, as: UTF8.self).lowercased() + "]"
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            false
        default:
            true
        }
    }
}
