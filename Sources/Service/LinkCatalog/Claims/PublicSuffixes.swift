/// The names below which anybody can register names of their own, such as `co.uk` and `appspot.com`. Both sections of the
/// list of publicsuffix.org count: a platform that gives its customers names has as many owners as a registry.
///
/// `PublicSuffixes+rules.swift` has the rules as one text, sorted. They are searched in the binary, so that they take no
/// memory of their own.
enum PublicSuffixes {
    /// Whether the host is a public suffix. A host of one label always is, because of the default rule `*`.
    static func contains(_ host: String) -> Bool {
        guard let dot = host.utf8.firstIndex(of: UInt8(ascii: ".")) else { return true }
        let parent = reversed(host[host.utf8.index(after: dot)...])
        let label = Array(host.utf8[..<dot])
        return hasRule(parent + [UInt8(ascii: ".")] + label)
            || hasRule(parent + Array(".*".utf8)) && !hasRule(parent + Array(".!".utf8) + label)
    }

    /// Returns a public suffix below the host, or nil if there is none. `*.` before it means all names of that level.
    static func suffix(below host: String) -> String? {
        let prefix = reversed(host[...]) + [UInt8(ascii: ".")]
        return rules { rules in
            var line = firstLine(in: rules, notBefore: prefix)
            // Names that are no suffixes, which precede the rule for their level.
            while line.starts(with: prefix + [UInt8(ascii: "!")]) { line = self.line(in: rules, at: line.endIndex + 1) }
            guard line.starts(with: prefix) else { return nil }
            return String(decoding: reversed(Substring(decoding: line, as: UTF8.self)), as: UTF8.self)
        }
    }

    private static func hasRule(_ rule: [UInt8]) -> Bool {
        rules { firstLine(in: $0, notBefore: rule).elementsEqual(rule) }
    }

    /// The name with its labels in reverse order, as in the rules.
    private static func reversed(_ name: Substring) -> [UInt8] {
        Array(
            name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).reversed()
                .joined(separator: [UInt8(ascii: ".")])
        )
    }

    private typealias Rules = UnsafeBufferPointer<UInt8>

    private static func rules<Result>(_ read: (Rules) -> Result) -> Result { text.withUTF8Buffer(read) }

    /// Returns the first line that is not less than a text; the empty line at the end if all are.
    private static func firstLine(in rules: Rules, notBefore text: [UInt8]) -> Slice<Rules> {
        var (lower, upper) = (rules.startIndex, rules.endIndex)
        while lower < upper {
            let middle = lower + (upper - lower) / 2
            let start = rules[lower..<middle].lastIndex(of: newline).map { $0 + 1 } ?? lower
            let line = line(in: rules, at: start)
            if line.lexicographicallyPrecedes(text) { lower = line.endIndex + 1 } else { upper = start }
        }
        return line(in: rules, at: lower)
    }

    private static func line(in rules: Rules, at start: Int) -> Slice<Rules> {
        guard start < rules.endIndex else { return rules[rules.endIndex...] }
        return rules[start..<(rules[start...].firstIndex(of: newline) ?? rules.endIndex)]
    }

    private static let newline = UInt8(ascii: "\n")
}
