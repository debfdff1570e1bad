import LinkRouting
import TestSupport
import Testing

struct LanguageTagTests {
    @Test(arguments: [
        // ranges, tags, the selected tag
        ("en-GB", "en", "en"), ("en-GB,fr", "fr,en", "en"), ("fr,en-GB", "fr,en", "fr"), ("EN-gb", "en-GB", "en-GB"),
        ("zh-Hant-TW", "zh-TW,zh-Hant,zh", "zh-Hant"), ("zh-Hant-TW", "zh-TW,zh", "zh"), ("de", "de-CH", ""),
        // RFC 4647 §3.4's own example: a single-letter subtag is removed together with the subtag that follows it.
        ("zh-Hant-CN-x-private1-private2", "zh-Hant-CN-x", ""), ("zh-Hant-CN-x-private1", "zh-Hant-CN", "zh-Hant-CN"),
        ("*", "en", ""), ("*,fr", "en,fr", "fr"), ("*-CH", "CH,de-CH", ""), ("de-*-DE", "de-DE", "de-DE"),
        ("", "en", ""),
        ("fr,es", "en", ""),
        // Once more without the script.
        ("zh-Hant-HK", "zh-HK", "zh-HK"), ("zh-Hant-HK", "zh-HK,zh", "zh"), ("zh-Hant-HK,en", "en,zh-HK", "zh-HK"),
        ("sr-Latn", "sr-Cyrl", ""), ("zh-Hant", "zh", "zh"), ("zh-yue-Hant-HK", "zh-yue-HK", "zh-yue-HK"),
        ("de-1996", "de", "de"), ("de-x-hant-a", "de-x-a", ""),
        // At most six subtags are read.
        ("a-bb-cc-dd-ee-ff-gg", "a-bb-cc-dd-ee-ff-gg", ""),
        ("a-bb-cc-dd-ee-ff-gg", "a-bb-cc-dd-ee-ff", "a-bb-cc-dd-ee-ff"),
    ]) func lookupServesTheBestRange(_ ranges: String, _ tags: String, _ expected: String) throws {
        func list(_ text: String) throws -> [LanguageTag] {
            try text.split(separator: ",").map { try #require(LanguageTag($0)) }
        }
        let tag = LanguageTag.lookup(try list(ranges), in: try list(tags))
        #expect(tag?.description ?? "" == expected)
    }

    /// Truncating each range step by step, as the RFC describes, finds the same.
    @Test(arguments: RandomCases.seeds(4)) func lookupAgreesWithTruncation(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        func tag() throws -> LanguageTag {
            let subtags = (0..<(1 + random.below(4))).map { _ in random.pick(["a", "b", "ab", "aa", "x", "abc"]) }
            return try #require(LanguageTag(subtags.joined(separator: "-")))
        }
        var found = 0
        for _ in 0..<2_000 {
            let ranges = try (0..<(1 + random.below(3))).map { _ in try tag() }
            let tags = try (0..<(1 + random.below(5))).map { _ in try tag() }
            let expected = ranges.lazy.compactMap { Self.truncated($0, to: tags) }.first
            #expect(LanguageTag.lookup(ranges, in: tags) == expected, "\(ranges) in \(tags)")
            found += expected == nil ? 0 : 1
        }
        #expect(found > 200)
    }

    private static func truncated(_ range: LanguageTag, to tags: [LanguageTag]) -> LanguageTag? {
        var subtags = range.description.split(separator: "-")
        while !subtags.isEmpty {
            if let tag = tags.first(where: { $0 == LanguageTag(subtags.joined(separator: "-")) }) { return tag }
            subtags.removeLast()
            if subtags.count > 1, subtags.last?.count == 1 { subtags.removeLast() }
        }
        return nil
    }

    @Test(arguments: ["en", "en-GB", "zh-Hant-TW", "i-klingon", "x-private", "de-1996", "*", "de-*", "*-CH", "es-419"])
    func tagOrRangeIsRead(_ text: String) {
        #expect(LanguageTag(text)?.description == text)
    }

    @Test(arguments: [
        "", "-", "en-", "-en", "en--GB", "en_GB", "english99", "toolongtag", "12", "e n", "é", "en-GB.UTF-8", "**",
        "a" + String(repeating: "-abcdefg", count: 8),
    ]) func otherTextIsNotATag(_ text: String) {
        #expect(LanguageTag(text) == nil)
    }

    @Test func caseDoesNotCount() {
        #expect(LanguageTag("en-gb") == LanguageTag("EN-GB"))
        #expect(Set([LanguageTag("en-gb"), LanguageTag("EN-GB")]).count == 1)
    }

    @Test func wildcardIsARange() {
        #expect(LanguageTag("zh-*")?.isRange == true && LanguageTag("zh")?.isRange == false)
    }
}
