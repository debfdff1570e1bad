/// A language tag or range such as `en-GB`, `zh-*` or `*`; compared case-insensitively (ASCII).
public struct LanguageTag: Sendable, Hashable, CustomStringConvertible {
    /// The text as written.
    public let description: String
    private let lowercased: String
    /// The range for lookups: lower case, without wildcards; empty when the first subtag is a wildcard (RFC 4647 §3.2).
    private let basicRange: String
    /// The beginnings of both.
    private let tagBeginning: UInt16
    private let rangeBeginning: UInt16

    private static let maximumLength = 64

    /// Nil unless the text is a subtag of letters, followed by subtags of letters and digits, joined by `-`. Subtags
    /// have 1 to 8 characters; the limit is 64 bytes. As in an extended range of RFC 4647, any subtag may be `*`.
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
        tagBeginning = Self.beginning(of: lowercased)
        rangeBeginning = Self.beginning(of: basicRange)
    }

    /// Whether any subtag is `*`. Callers may ask for a range, but content has a tag.
    public var isRange: Bool { lowercased.utf8.contains(UInt8(ascii: "*")) }

    public static func == (left: LanguageTag, right: LanguageTag) -> Bool { left.lowercased == right.lowercased }
    public func hash(into hasher: inout Hasher) { hasher.combine(lowercased) }

    /// Lookup by RFC 4647 §3.4: returns the tag for the first of `ranges` that has one. Each range is truncated until a
    /// tag matches. Nil if none matches; the caller then uses the default. A range that starts with `*` is skipped.
    public static func lookup(_ ranges: [LanguageTag], in tags: [LanguageTag]) -> LanguageTag? {
        for range in ranges {
            var longest: LanguageTag?
            for index in tags.indices where tags[index].mayBeTruncation(of: range) {
                guard tags[index].lowercased.utf8.count > longest?.lowercased.utf8.count ?? 0 else { continue }
                if range.isTruncated(to: tags[index]) { longest = tags[index] }
            }
            if let longest { return longest }
        }
        return nil
    }

    /// The steps of comparing 16 ranges with this tag; see `Route+size.swift`. One that ends with a single letter or digit is
    /// compared with each truncation.
    var steps: Int { lowercased.utf8.dropLast().last == UInt8(ascii: "-") ? 180 : 90 }

    private static func beginning(of text: String) -> UInt16 {
        text.utf8.prefix(2).reduce(0) { $0 << 8 | UInt16($1) }
    }

    /// Whether the tag begins like the range. Most do not, and comparing two bytes is faster than two texts.
    private func mayBeTruncation(of range: LanguageTag) -> Bool {
        tagBeginning == range.rangeBeginning || tagBeginning < 0x100
    }

    /// Whether truncating the range gives the tag. Each truncation removes the last subtag, and a single letter or digit
    /// that would then be at the end.
    private func isTruncated(to tag: LanguageTag) -> Bool {
        var (range, tag) = (basicRange, tag.lowercased)
        return range.withUTF8 { range in
            tag.withUTF8 { tag in
                guard !tag.isEmpty, tag.count <= range.count,
                    UnsafeBufferPointer(rebasing: range[..<tag.count]).hasBytes(of: tag)
                else { return false }
                guard tag.count < range.count else { return true }
                let hyphen = UInt8(ascii: "-")
                guard range[tag.count] == hyphen else { return false }
                // A subtag of several letters is never removed together with the one behind it.
                guard tag.count > 2, tag[tag.count - 2] == hyphen else { return true }
                var end = range.count
                while end > tag.count {
                    end = range[..<end].lastIndex(of: hyphen) ?? 0
                    if end > 2, range[end - 2] == hyphen { end -= 2 }
                }
                return end == tag.count
            }
        }
    }
}
