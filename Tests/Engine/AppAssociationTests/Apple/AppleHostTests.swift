import AppAssociation
import Testing

/// The URLs for which a device consults a file.
struct AppleHostTests {
    private static let file = #"{"applinks":{"details":[{"appID":"A.b","paths":["*"]}]}}"#

    @Test(arguments: [
        ("https://e.com/x", "e.com"), ("https://E.com/x", "e.COM"), ("http://e.com", "e.com"),
        ("HTTPS://e.com/x", "e.com"), ("https://e.com:8443/x", "e.com"), ("https://e.com./x", "e.com"),
        ("https://u:p@e.com/x", "e.com"), ("https://www.e.com/x", "*.e.com"), ("https://a.b.e.com/x", "*.E.com"),
        ("https://xn--bcher-kva.example/x", "bücher.example"), ("https://bücher.example/x", "xn--bcher-kva.example"),
        ("https://[::1]:8080/x", "[::1]"), ("https://e.com?q", "e.com"), ("https://e.com#f", "e.com"),
    ])
    func fileIsOfThisHost(_ url: String, _ domain: String) throws {
        let decision = try AppleAppSiteAssociation(parsing: Self.file.utf8).decision(for: url, domain: domain)
        #expect(decision.outcome == .match)
    }

    @Test(arguments: [
        ("https://www.e.com/x", "e.com"), ("https://e.com/x", "www.e.com"), ("https://e.com/x", "*.e.com"),
        ("https://xe.com/x", "*.e.com"), ("https://evil.test/e.com", "e.com"), ("https://e.com@evil.test/", "e.com"),
        ("https://evil.test/?x@e.com", "e.com"), ("https://e.com.evil.test/", "e.com"), ("https://e.com/x", ""),
        ("https://e.com/x", "*."),
    ])
    func fileIsOfAnotherHost(_ url: String, _ domain: String) throws {
        let decision = try AppleAppSiteAssociation(parsing: Self.file.utf8).decision(for: url, domain: domain)
        #expect(decision.reason == .host)
        #expect(decision.tried == [])
    }

    @Test(arguments: ["ftp://e.com/x", "acme://e.com/x", "ws://e.com/"])
    func otherSchemesOpenNoApp(_ url: String) throws {
        let decision = try AppleAppSiteAssociation(parsing: Self.file.utf8).decision(for: url, domain: "e.com")
        #expect(decision.reason == .scheme)
    }

    @Test(arguments: [
        "", ":", "://", "e.com/x", "/x", "https", "https:", "https:/", "https://", "https:///x", "https://:80/x",
        "https://@/",
        "https:e.com", "mailto:a@e.com", " https://e.com/", "1http://e.com/", "https://?q", "é://e.com/",
    ])
    func invalidURLHasAReason(_ url: String) throws {
        let decision = try AppleAppSiteAssociation(parsing: Self.file.utf8).decision(for: url)
        #expect(decision.reason == .invalidURL)
        #expect(decision.outcome == .noMatch)
    }

    @Test func longURLIsRefusedWithAReason() throws {
        let file = try AppleAppSiteAssociation(parsing: Self.file.utf8)
        let start = "https://e.com/"
        let longest = start + String(repeating: "a", count: 16_384 - start.utf8.count)
        #expect(file.decision(for: longest).outcome == .match)
        #expect(file.decision(for: longest + "a").reason == .invalidURL)
    }

    /// Apple documents none of these. The answer follows the most probable reading and says that it is uncertain.
    @Test(arguments: [
        ("https://u@e.com/x", AppleDecision.Note.Code.urlUser), ("https://e.com:80/x", .urlPort),
        ("https://e.com./x", .urlTrailingDot), ("https://e.com/é", .urlEncoded), ("https://e.com/a b", .urlEncoded),
        ("https://e.com/a\\b", .urlEncoded), ("https://e.com/\u{0}", .urlEncoded),
        ("https://e.com/{id}", .urlDelimiters),
        ("https://e.com/100%", .urlInvalidEscape), ("https://e.com/%4", .urlInvalidEscape),
        ("https://e.com/?%zz", .urlInvalidEscape), ("https://e.com/a/../b", .urlDotSegment),
        ("https://e.com/.", .urlDotSegment), ("https://e.com/a//b", .urlEmptySegment),
        ("https://e.com/a;b=c", .urlParameters),
    ])
    func uncertainURLsHaveANote(_ url: String, _ code: AppleDecision.Note.Code) throws {
        let decision = try AppleAppSiteAssociation(parsing: Self.file.utf8).decision(for: url)
        #expect(decision.outcome == .match)
        #expect(decision.notes.map(\.code) == [code])
        #expect(decision.notes.allSatisfy { $0.label == .notDocumented && $0.pointer == nil })
    }

    @Test(arguments: [
        "https://e.com", "https://e.com/a//", "https://e.com:/a", "https://e.com/a%20b?q=%C3%A9#/x",
        "https://e.com/...",
        "https://e.com/?a[]=1&b={", "https://e.com/a?b//c;..#..",
    ])
    func ordinaryURLsHaveNoNotes(_ url: String) throws {
        let decision = try AppleAppSiteAssociation(parsing: Self.file.utf8).decision(for: url)
        #expect(decision.outcome == .match)
        #expect(decision.notes.filter { $0.code != .urlDelimiters } == [])
    }

    @Test func rawTextIsComparedAsItsEscapes() throws {
        let json = #"{"applinks":{"details":[{"appID":"A.b","paths":["/caf%C3%A9%20x"]}]}}"#
        let decision = try AppleAppSiteAssociation(parsing: json.utf8).decision(for: "https://e.com/café x")
        #expect(decision.outcome == .match)
    }

    @Test func escapesThatAreNotTextAreUnchanged() throws {
        let json = #"{"applinks":{"details":[{"appID":"A.b","components":[{"/":"/%FF","percentEncoded":false}]}]}}"#
        let decision = try AppleAppSiteAssociation(parsing: json.utf8).decision(for: "https://e.com/%FF")
        #expect(decision.outcome == .match)
        #expect(decision.notes.map(\.code) == [.urlNotUTF8])
    }
}
