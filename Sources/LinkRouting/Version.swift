/// A version such as `17.4` or `3.2.0-beta.2`: dot-separated integers, missing parts 0; a SemVer pre-release sorts below
/// its release, build metadata does not count.
public struct Version: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let description: String
    /// Without trailing zeros.
    private let parts: [Int64]
    private let preRelease: [Identifier]

    private enum Identifier: Hashable {
        case number(Int64)
        case word(String)
    }

    /// Nil for anything else, which conditions call unknown.
    public init?(_ text: some StringProtocol) {
        let withoutBuild = text.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
        guard withoutBuild.count == 1 || Self.isIdentifierList(withoutBuild[1]) else { return nil }
        let halves = withoutBuild[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        var parts: [Int64] = []
        for part in halves[0].split(separator: ".", omittingEmptySubsequences: false) {
            guard Self.isDigits(part), let value = Int64(part), parts.count < 16 else { return nil }
            parts.append(value)
        }
        while parts.last == 0 { parts.removeLast() }
        self.parts = parts
        guard halves.count == 2 else {
            preRelease = []
            description = String(text)
            return
        }
        guard Self.isIdentifierList(halves[1]) else { return nil }
        var identifiers: [Identifier] = []
        for word in halves[1].split(separator: ".") {
            if Self.isDigits(word) {
                guard let number = Int64(word) else { return nil }
                identifiers.append(.number(number))
            } else {
                identifiers.append(.word(String(word)))
            }
        }
        preRelease = identifiers
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
        return left.preRelease.lexicographicallyPrecedes(right.preRelease) { one, other in
            switch (one, other) {
            case (.number(let one), .number(let other)): one < other
            case (.number, .word): true
            case (.word, .number): false
            case (.word(let one), .word(let other)): one.utf8.lexicographicallyPrecedes(other.utf8)
            }
        }
    }

    private static func isDigits(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func isIdentifierList(_ text: some StringProtocol) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { word in
            !word.isEmpty
                && word.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                        UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"):
                        true
                    default: false
                    }
                }
        }
    }
}
