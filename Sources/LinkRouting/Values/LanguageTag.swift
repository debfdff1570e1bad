/// A language tag or range such as `en-GB`, `zh-*` or `*`; ASCII case does not count.
public struct LanguageTag: Sendable, Hashable, CustomStringConvertible {
    /// As written.
    public let description: String
    private let lowercased: String
    /// What lookup compares: lower case, wildcards left out; empty when the first subtag is one (RFC 4647 §3.2).
    private let basicRange: String

    private static let maximumLength = 64

    /// Nil unless it is letters, then subtags of 1 to 8 letters and digits joined by `-`, at most 64 bytes in all. As in an
    /// extended range of RFC 4647, any of the subtags may be `*`.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.maximumLength else { return nil }
        var basic: [UInt8] = []
        let subtags = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        for (index, subtag) in subtags.enumerated() where subtag != [UInt8(ascii: "*")] {
            guard (1...8).contains(subtag.count), subtag.allSatisfy({ isLetter($0) || (index > 0 && isDigit($0)) })
            else {
                return nil
            }
            if index > 0 { basic.append(UInt8(ascii: "-")) }
            basic += subtag.map(folded)
        }
        description = String(text)
        lowercased = asciiLowercased(bytes[...])
        basicRange = bytes.first == UInt8(ascii: "*") ? "" : String(decoding: basic, as: UTF8.self)
    }

    /// Whether a subtag is `*`: a caller may ask for such a range, but nothing is written in it.
    public var isRange: Bool { lowercased.utf8.contains(UInt8(ascii: "*")) }

    public static func == (left: LanguageTag, right: LanguageTag) -> Bool { left.lowercased == right.lowercased }
    public func hash(into hasher: inout Hasher) { hasher.combine(lowercased) }

    /// RFC 4647 §3.4: the tag that serves the first of `ranges` that any serves, each range cut shorter until a tag is met;
    /// nil if none is, which calls for the default. A range that starts with `*` says nothing and is skipped.
    public static func lookup(_ ranges: [LanguageTag], in tags: [LanguageTag]) -> LanguageTag? {
        for range in ranges {
            var candidate = range.basicRange[...]
            while !candidate.isEmpty {
                if let tag = tags.first(where: { $0.lowercased == candidate }) { return tag }
                candidate = shortened(candidate)
            }
        }
        return nil
    }

    /// Without the last subtag, and without a single letter or digit that would stand at the end then.
    private static func shortened(_ range: Substring) -> Substring {
        guard let hyphen = range.utf8.lastIndex(of: UInt8(ascii: "-")) else { return "" }
        let shorter = range[..<hyphen]
        guard let previous = shorter.utf8.lastIndex(of: UInt8(ascii: "-")),
            shorter.utf8.distance(from: previous, to: shorter.endIndex) == 2
        else { return shorter }
        return shorter[..<previous]
    }
}
