import LinkRouting
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
    ]) func lookupServesTheBestRange(_ ranges: String, _ tags: String, _ expected: String) throws {
        func list(_ text: String) throws -> [LanguageTag] {
            try text.split(separator: ",").map { try #require(LanguageTag($0)) }
        }
        let tag = LanguageTag.lookup(try list(ranges), in: try list(tags))
        #expect(tag?.description ?? "" == expected)
    }

    /// Long lists are compared by name.
    @Test(arguments: [
        ([], ""), (["FR-be"], "fr"), (["de-CH", "fr"], "de"), (["pt-BR-x-a", "fr"], "pt-br"), (["*", "xx"], ""),
        (["it-CH"], "IT-ch"),
    ]) func longListsAreLookedUp(_ last: [String], _ expected: String) throws {
        let unknown = (0..<10).map { "x\(UnicodeScalar(UInt8(97 + $0)))-GB" }
        let ranges = try (unknown + last).map { try #require(LanguageTag($0)) }
        let tags = try ["en", "fr", "de", "pt-br", "pt-BR", "IT-ch", "it", "es", "nl", "sv"].map {
            try #require(LanguageTag($0))
        }
        #expect(LanguageTag.lookup(ranges, in: tags)?.description ?? "" == expected)
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
