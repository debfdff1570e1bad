/// A language tag or range such as `en-GB`; ASCII case does not count.
public struct LanguageTag: Sendable, Hashable, CustomStringConvertible {
    /// As written.
    public let description: String
    private let lowercased: String

    /// Nil unless it is subtags of 1 to 8 letters and digits joined by `-`, or the range `*`.
    public init?(_ text: some StringProtocol) {
        let subtags = String(text).split(separator: "-", omittingEmptySubsequences: false)
        guard text.utf8.count <= 64, subtags.allSatisfy(Self.isSubtag) else { return nil }
        description = String(text)
        lowercased = text.lowercased()
    }

    public static func == (left: LanguageTag, right: LanguageTag) -> Bool { left.lowercased == right.lowercased }
    public func hash(into hasher: inout Hasher) { hasher.combine(lowercased) }

    /// RFC 4647 lookup: the tag that serves the best of `ranges`, each cut shorter until a tag is met; nil if none is.
    public static func lookup(_ ranges: [LanguageTag], in tags: [LanguageTag]) -> LanguageTag? {
        for range in ranges {
            // §3.4: a lone "*" matches nothing by itself; it means "the default".
            guard range.lowercased != "*" else { continue }
            var subtags = range.lowercased.split(separator: "-").filter { $0 != "*" }
            while !subtags.isEmpty {
                let candidate = subtags.joined(separator: "-")
                if let tag = tags.first(where: { $0.lowercased == candidate }) { return tag }
                subtags.removeLast()
                if subtags.last?.utf8.count == 1 { subtags.removeLast() }
            }
        }
        return nil
    }

    private static func isSubtag(_ text: Substring) -> Bool {
        if text == "*" { return true }
        return (1...8).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"):
                    true
                default: false
                }
            }
    }
}
