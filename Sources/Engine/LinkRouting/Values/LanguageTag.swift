/// A language tag or range such as `en-GB`, `zh-*` or `*`; compared case-insensitively (ASCII).
public struct LanguageTag: Sendable, Hashable, CustomStringConvertible {
    /// The text as written.
    public let description: String
    fileprivate let lowercased: String
    /// The range for lookups: lower case, without wildcards; empty when the first subtag is a wildcard (RFC 4647 §3.2).
    fileprivate let basicRange: String
    private static let maximumLength = 64
    /// A lookup reads so many subtags of a range.
    static let maximumSubtags = 6

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
    }

    /// Whether any subtag is `*`. Callers may ask for a range, but content has a tag.
    public var isRange: Bool { lowercased.utf8.contains(UInt8(ascii: "*")) }

    public static func == (left: LanguageTag, right: LanguageTag) -> Bool { left.lowercased == right.lowercased }
    public func hash(into hasher: inout Hasher) { hasher.combine(lowercased) }

    /// Returns the tag that a lookup of these ranges finds; see `LanguagePreferences`.
    public static func lookup(_ ranges: [LanguageTag], in tags: [LanguageTag]) -> LanguageTag? {
        let preferences = LanguagePreferences(ranges)
        return tags.compactMap { tag in preferences.place(of: tag).map { (tag, $0) } }.min { $0.1 < $1.1 }?.0
    }
}

/// The languages of a caller, for lookups by RFC 4647 §3.4: the first range that has a tag decides, and of its tags the
/// longest. A range without any is looked up once more without its script, so that `zh-Hant-HK` finds `zh-HK`. A range that
/// starts with `*` is skipped.
struct LanguagePreferences {
    /// The place of each text that equals a tag which is looked up; a smaller place is preferred.
    private var places: [String: Int] = [:]

    init(_ ranges: [LanguageTag]) {
        for range in ranges {
            for text in range.truncations where places[text] == nil { places[text] = places.count }
        }
    }

    /// Nil if the caller does not want the language.
    func place(of tag: LanguageTag) -> Int? { places[tag.lowercased] }
}

extension LanguageTag {
    /// The number of subtags.
    var subtagCount: Int { lowercased.utf8.reduce(1) { $1 == UInt8(ascii: "-") ? $0 + 1 : $0 } }

    fileprivate var truncations: [String] {
        Self.truncations(of: basicRange) + (withoutScript.map(Self.truncations) ?? [])
    }

    /// Removes the last subtag step by step, and a single letter or digit that would then be at the end.
    private static func truncations(of range: String) -> [String] {
        var subtags = range.utf8.split(separator: UInt8(ascii: "-")).prefix(maximumSubtags)
        var truncations: [String] = []
        while let last = subtags.popLast() {
            truncations.append(String(range[..<last.endIndex]))
            if subtags.count > 1, subtags.last?.count == 1 { subtags.removeLast() }
        }
        return truncations
    }

    /// The range without its script, a subtag of four letters; nil if it has none.
    private var withoutScript: String? {
        let subtags = basicRange.utf8.split(separator: UInt8(ascii: "-"))
        let script = subtags.dropFirst().prefix { $0.count > 1 }.first { $0.count == 4 && $0.allSatisfy(isLetter) }
        guard let script else { return nil }
        return String(basicRange[..<basicRange.utf8.index(before: script.startIndex)])
            + String(basicRange[script.endIndex...])
    }
}
