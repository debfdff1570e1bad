import Testing

@testable import LinkRouting

struct HostNameTests {
    @Test(arguments: [
        ("Links.ACME.com", "links.acme.com", "links.acme.com"), ("links.acme.com.", "links.acme.com", "links.acme.com"),
        ("Bücher.example", "xn--bcher-kva.example", "bücher.example"),
        ("XN--BCHER-KVA.example", "xn--bcher-kva.example", "bücher.example"),
        ("例え。テスト", "xn--r8jz45g.xn--zckzah", "例え.テスト"), ("straße.de", "xn--strae-oqa.de", "straße.de"),
        ("i❤.ws", "xn--i-7iq.ws", "i❤.ws"), ("my_shop.acme.com", "my_shop.acme.com", "my_shop.acme.com"),
        ("नमस्ते.example", "xn--h2bhs4b8d8a.example", "नमस्ते.example"),
        ("x\u{30C}.example", "xn--x-kcb.example", "x\u{30C}.example"),
    ]) func bothFormsAreKnown(_ text: String, _ ascii: String, _ unicode: String) throws {
        let name = try HostName(text)
        #expect(name.ascii == ascii)
        #expect(name.unicode.utf8.elementsEqual(unicode.utf8))
        #expect(try HostName(name.ascii) == name)
        #expect(try HostName(name.unicode) == name)
    }

    @Test(arguments: [
        ("", HostName.Problem.notAHost), ("https://a.example", .notAHost), ("a.example/b", .notAHost),
        ("a.example:80", .notAHost),
        ("a..example", .notAHost), ("*.a.example", .notAHost), ("[::1]", .notAHost), ("a%2Eexample", .notAHost),
        ("a b", .notAHost),
        ("-a.example", .hyphen(label: "-a")), ("a-.example", .hyphen(label: "a-")),
        ("ｇｏ.example", .needsMapping("ｇ")), ("ﬁn.example", .needsMapping("ﬁ")),
        ("x\u{2126}\u{FE0F}", .needsMapping("\u{FE0F}")),
        ("xn--99999999.example", .notPunycode(label: "xn--99999999")), ("xn--abc-.example", .hyphen(label: "xn--abc-")),
        ("xn--.example", .hyphen(label: "xn--")), ("xn--a.example", .notPunycode(label: "xn--a")),
        ("cafe\u{301}.example", .notComposed(label: "cafe\u{301}")),
        ("\u{1112}\u{1161}\u{11AB}.example", .notComposed(label: "\u{1112}\u{1161}\u{11AB}")),
        ("e\u{302}\u{301}.example", .notComposed(label: "e\u{302}\u{301}")),
        ("q\u{307}\u{323}", .notComposed(label: "q\u{307}\u{323}")),
        ("か\u{3099}.example", .notComposed(label: "か\u{3099}")),
        (String(repeating: "a", count: 64) + ".example", .tooLong), ("é" + String(repeating: "a", count: 62), .tooLong),
        (String(repeating: "é.", count: 40) + "example", .tooLong),
    ]) func nameThatCannotBeRegisteredIsRefused(_ text: String, _ problem: HostName.Problem) {
        let error = #expect(throws: HostName.Problem.self) { try HostName(text) }
        #expect(error == problem)
        #expect(error?.message.hasSuffix(".") == true)
    }

    @Test func dotBehindALetterThatJoinsItIsADot() throws {
        let name = try HostName("a\u{D4E}.example")
        #expect(name.ascii.hasSuffix(".example"))
        let identity = try Fixture.identity(#"{"domains": ["*.example.com"]}"#)
        #expect(identity.owns(try DeepLink.parse("https://x\u{D4E}.example.com/")))
        #expect(!identity.owns(try DeepLink.parse("https://go.example.com\u{D4E}./")))
        #expect(
            try DeepLink.parse("https://x\u{D4E}.example.com/").hostLabel(before: HostName("example.com")) == "x\u{D4E}"
        )
    }

    @Test func linkReachesADomainUnderBothForms() throws {
        let identity = try Fixture.identity(#"{"domains": ["Bücher.example"]}"#)
        for link in ["https://bücher.example/", "https://xn--bcher-kva.example/", "https://BU\u{308}CHER.example/"] {
            #expect(identity.owns(try DeepLink.parse(link)), "\(link)")
        }
    }
}
