/// A version such as `17.4` or `3.2.0-beta.2`: dot-separated integers; missing parts count as 0. A SemVer pre-release
/// sorts below its release. Build metadata is ignored.
public struct Version: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The text as written.
    public let description: String
    /// Without trailing zeros.
    private let parts: [UInt64]
    private let preRelease: [Identifier]

    private enum Identifier: Hashable {
        case number(UInt64)
        case word(String)
    }

    private static let maximumLength = 128

    /// Nil for any other text, such as words, signs, empty parts, more than 128 bytes, or numbers beyond 64 bits.
    /// Conditions treat it as unknown.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.maximumLength else { return nil }
        let build = bytes.firstIndex(of: UInt8(ascii: "+")) ?? bytes.endIndex
        if build < bytes.endIndex {
            guard Self.identifiers(bytes[(build + 1)...]) != nil else { return nil }
        }
        let hyphen = bytes[..<build].firstIndex(of: UInt8(ascii: "-")) ?? build
        if hyphen < build {
            var identifiers: [Identifier] = []
            for word in Self.identifiers(bytes[(hyphen + 1)..<build]) ?? [] {
                guard let identifier = Self.identifier(word) else { return nil }
                identifiers.append(identifier)
            }
            guard !identifiers.isEmpty else { return nil }
            preRelease = identifiers
        } else {
            preRelease = []
        }
        var parts: [UInt64] = []
        for part in bytes[..<hyphen].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard let number = Self.number(part) else { return nil }
            parts.append(number)
        }
        while parts.last == 0 { parts.removeLast() }
        self.parts = parts
        description = String(text)
    }

    public static func == (left: Version, right: Version) -> Bool {
        left.parts == right.parts && left.preRelease == right.preRelease
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(parts)
        hasher.combine(preRelease)
    }

    public static func < (left: Version, right: Version) -> Bool {
        if left.parts != right.parts { return left.parts.lexicographicallyPrecedes(right.parts) }
        if left.preRelease.isEmpty || right.preRelease.isEmpty {
            return !left.preRelease.isEmpty && right.preRelease.isEmpty
        }
        return left.preRelease.lexicographicallyPrecedes(right.preRelease, by: precedes)
    }

    /// Precedence by SemVer §11: numbers by value and before words, words by their bytes.
    private static func precedes(_ left: Identifier, _ right: Identifier) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left < right
        case (.number, .word): true
        case (.word, .number): false
        case (.word(let left), .word(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
        }
    }

    /// The steps of comparing another version with this one; see `Route+size.swift`.
    var steps: Int {
        preRelease.reduce(6 + parts.count / 3) { steps, identifier in
            guard case .word(let word) = identifier else { return steps + 5 }
            return steps + 5 + word.utf8.count / 3
        }
    }

    /// Splits into dot-separated words of letters, digits and hyphens; nil when one is empty or has other characters.
    private static func identifiers(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
        let words = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let areWords = words.allSatisfy { word in
            !word.isEmpty && word.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
        }
        return areWords ? words : nil
    }

    private static func identifier(_ word: ArraySlice<UInt8>) -> Identifier? {
        guard word.allSatisfy(isDigit) else { return .word(String(decoding: word, as: UTF8.self)) }
        // SemVer §9 forbids leading zeros here.
        guard word.count == 1 || word.first != UInt8(ascii: "0") else { return nil }
        return number(word).map(Identifier.number)
    }

    /// Returns the value of one or more digits; nil for other texts and beyond 64 bits.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        guard !digits.isEmpty else { return nil }
        var value: UInt64 = 0
        for byte in digits {
            guard isDigit(byte) else { return nil }
            let (tens, overflows) = value.multipliedReportingOverflow(by: 10)
            let (next, overflowsAgain) = tens.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
            guard !overflows, !overflowsAgain else { return nil }
            value = next
        }
        return value
    }
}
