import LinkRouting
import TestSupport
import Testing

/// Cases that do not fit the conformance table: ranges, dropped hosts, plus signs, records of rejected links.
struct DeepLinkTests {
    private func text(_ link: DeepLink, _ range: Range<Int>?) -> String? {
        range.map { String(decoding: link.bytes[$0], as: UTF8.self) }
    }

    @Test(arguments: [
        ("https://go.acme.com:8443/a/b%20c?q=1#f", "/a/b%20c", "q=1", "f"),
        ("https://go.acme.com", "", nil, nil),
        ("https://go.acme.com?q", "", "q", nil),
        ("acme://blogs/new?q#f", "blogs/new", "q", "f"),
        ("acme:///blogs", "/blogs", nil, nil),
        ("acme:blogs#", "blogs", nil, ""),
        ("acme:?", "", "", nil),
    ]) func rangesCoverTheRawComponents(_ link: String, _ path: String, _ query: String?, _ fragment: String?) throws {
        let link = try DeepLink.parse(link)
        #expect(text(link, link.rawPath) == path)
        #expect(text(link, link.rawQuery) == query)
        #expect(text(link, link.rawFragment) == fragment)
    }

    @Test(arguments: [
        ("acme://open/x/", ["x"], true, "/x/"),
        ("acme://open", [], false, ""),
        ("acme://open/", [], false, "/"),
        ("acme://open//x", ["x"], false, "//x"),
        ("acme://open?q", [], false, ""),
        ("acme:open/x", ["open", "x"], false, "open/x"),
        ("https://open/x", ["x"], false, "/x"),
    ]) func droppedHostLeavesThePath(_ text: String, _ segments: [String], _ slash: Bool, _ raw: String) throws {
        let link = try DeepLink.parse(text).droppingAuthoritySegment()
        #expect((0..<link.segmentCount).map(link.segmentText) == segments)
        #expect(link.hasTrailingSlash == slash)
        #expect(!link.hasAuthoritySegment)
        #expect(self.text(link, link.rawPath) == raw)
        #expect(link.droppingAuthoritySegment() == link)
    }

    @Test(arguments: [
        ("https://go.acme.com//a///b//", ["a", "b"], true, "//a///b//"),
        ("https://go.acme.com//", [], false, "//"),
        ("acme:////a//%41", ["a", "A"], false, "//a//%41"),
        ("acme:a//b", ["a", "b"], false, "a//b"),
    ]) func runOfSlashesCountsAsOne(_ text: String, _ segments: [String], _ slash: Bool, _ raw: String) throws {
        let link = try DeepLink.parse(text)
        #expect((0..<link.segmentCount).map(link.segmentText) == segments)
        #expect(link.hasTrailingSlash == slash)
        #expect(self.text(link, link.rawPath) == raw)
    }

    @Test(arguments: [" acme:a\r\n", "\n\tacme:a", "acme:a \u{B}\u{C}"])
    func whiteSpaceAroundALinkIsIgnored(_ text: String) throws {
        #expect(try DeepLink.parse(text) == DeepLink.parse("acme:a"))
    }

    @Test(arguments: ["", " ", "\r\n", "acme:a b ", " acme:\na", "acme:a\u{0}"])
    func otherWhiteSpaceIsNot(_ text: String) {
        #expect(throws: DeepLink.Rejection.self) { try DeepLink.parse(text) }
    }

    @Test func rejectionMeasuresTheTextThatWasSent() {
        let rejection = #expect(throws: DeepLink.Rejection.self) { try DeepLink.parse("\n\thttps://h/a b\n") }
        #expect(rejection?.offset == 13)
        #expect(rejection?.length == 16)
    }

    @Test func droppedHostGivesThePathOfTheLinkWithoutIt() throws {
        for path in ["", "/", "/x", "/x/", "//", "/x//", "/%2F/y"] {
            let dropped = try DeepLink.parse("acme://open" + path).droppingAuthoritySegment()
            let plain = try DeepLink.parse("acme://" + path)
            #expect(
                (0..<dropped.segmentCount).map(dropped.segmentText) == (0..<plain.segmentCount).map(plain.segmentText)
            )
            #expect(dropped.hasTrailingSlash == plain.hasTrailingSlash)
        }
    }

    @Test func plusIsASpaceOnlyIfTheTableDeclaresIt() throws {
        let link = try DeepLink.parse("acme:?a+b=c+d%2B")
        let item = try #require(link.query.first)
        #expect(link.name(of: item, plus: .plus) == "a+b")
        #expect(link.value(of: item, plus: .plus) == "c+d+")
        #expect(link.name(of: item, plus: .space) == "a b")
        #expect(link.value(of: item, plus: .space) == "c d+")
        #expect(link.matchesName(item, Array("a b".utf8), plus: .space))
        #expect(!link.matchesName(item, Array("a b".utf8), plus: .plus))
    }

    @Test func encodedNameIsComparedDecoded() throws {
        let link = try DeepLink.parse("acme:?%61b=1&ab=2&abc=3&%zz=4&=5")
        let matching = link.query.filter { link.matchesName($0, Array("ab".utf8), plus: .plus) }
        #expect(matching.map { link.value(of: $0, plus: .plus) } == ["1", "2"])
        #expect(link.query.filter { link.matchesName($0, [], plus: .plus) }.count == 1)
        #expect(link.query[3].hasInvalidName)
    }

    @Test func rawBytesOfAnItemAreKept() throws {
        let link = try DeepLink.parse("acme:?a=%zz&b&c=%C3%A9=+#f")
        #expect(link.query.map { text(link, $0.raw) } == ["a=%zz", "b", "c=%C3%A9=+"])
        #expect(link.query.map { text(link, $0.rawName) } == ["a", "b", "c"])
        #expect(link.query.map { text(link, $0.rawValue) } == ["%zz", nil, "%C3%A9=+"])
    }

    @Test(arguments: [
        ("https://go.acme.com/a\u{1}", 21), ("https://go.acme.com/a/%zz", 22), ("https://go.acme.com/a/..", 22),
        ("https://go.acme.com:99999/", 20), ("https://user@go.acme.com/", 12), ("https://go.acme.com/%41%ff", 23),
        ("go.acme.com", 0),
    ]) func rejectionNamesTheByte(_ text: String, _ offset: Int) throws {
        let rejection = #expect(throws: DeepLink.Rejection.self) { try DeepLink.parse(text) }
        #expect(rejection?.offset == offset)
        #expect(rejection?.length == text.utf8.count)
    }

    @Test func messagesHoldNothingOfTheLink() throws {
        for row in try LinkConformanceTests.rows() where !row.refused.isEmpty {
            let bytes = RoutingDocument.expanded(row.link.replacing("acme", with: "s3cret"))
            let rejection = #expect(throws: DeepLink.Rejection.self) { try DeepLink.parse(bytes) }
            #expect(rejection?.message.contains("s3cret") == false)
        }
    }

    @Test func randomBytesNeverTrap() {
        var random = SeededGenerator(seed: 1)
        let alphabet = Array("htps:/acme.?#&=%+2eEfF[]@\\\u{e9} <0".utf8) + [0, 0xFF, 0xC3]
        for _ in 0..<20_000 {
            var bytes = random.chance(50) ? Array("https://a".utf8) : []
            for _ in 0..<random.below(40) {
                bytes.append(random.chance(90) ? random.pick(alphabet) : UInt8(random.below(256)))
            }
            guard let link = try? DeepLink.parse(bytes) else { continue }
            #expect((try? DeepLink.parse(link.text)) == link)
        }
    }

    @Test func escapedSegmentsComeBack() throws {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<2_000 {
            let segments = (0..<random.below(5)).map { _ in
                String(
                    String.UnicodeScalarView(
                        (0..<random.below(6)).map { _ in random.pick(Array("a%/?#+ é🎟\"<.x".unicodeScalars)) }
                    )
                )
            }.filter { !["", ".", ".."].contains($0) && !$0.contains("./") && !$0.contains("/.") }
            let path = segments.map { text in
                "/" + text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            }
            let link = try DeepLink.parse("acme://" + path.joined())
            #expect((0..<link.segmentCount).map(link.segmentText) == segments)
        }
    }
}
