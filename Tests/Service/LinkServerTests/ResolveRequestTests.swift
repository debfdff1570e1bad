import LinkEvents
import LinkRouting
import TestSupport
import Testing

@testable import LinkServer

struct ResolveRequestTests {
    private static let limits = JSONReader.Limits(maximumBytes: 16_384, maximumDepth: 8)

    private func read(_ text: String) throws -> ResolveRequest {
        try Array(text.utf8).withUnsafeBufferPointer { try ResolveRequest($0, limits: Self.limits) }
    }

    @Test func everyMemberIsRead() throws {
        let message = try read(
            #"""
            {"url":"a","clientEventId":"6f1c","purpose":"test","environment":"staging","explain":true,
            "context":{"app":"shop-ios","platform":"android","device":"tablet","osVersion":"17.4.1","appVersion":3.2,
            "appBuild":412,"installed":false,"locale":["en-GB","fr"],"country":"GB","authenticated":true,
            "stickyKey":"install-42","inAppBrowser":false,"traits":{"plan":"gold"},"occurredAt":"2026-11-21T10:00:00.000Z"}}
            """#
        )
        #expect(message.subject == .link(ResolveRequest.Link(url: "a", clientEventID: "6f1c")))
        #expect(message.purpose == .test && message.environment?.rawValue == "staging")
        #expect(message.explanation == .included && message.warnings.isEmpty)
        let context = message.context
        #expect(context.app?.rawValue == "shop-ios" && context.platform == .android && context.device == .tablet)
        #expect(context.osVersion?.description == "17.4.1" && context.appVersion?.description == "3.2")
        #expect(context.appBuild == 412 && !context.installed && context.locale.map(\.description) == ["en-GB", "fr"])
        #expect(context.country == "GB" && context.authenticated == true && context.stickyKey == "install-42")
        #expect(context.inAppBrowser == false && context.traits == ["plan": ["gold"]])
        #expect(message.occurredAt == Timestamp("2026-11-21T10:00:00.000Z"))
    }

    /// Null is the same as a missing member, and the order of members does not matter.
    @Test(arguments: [
        #"{"url":"a"}"#, #" { "url" : "a" , "context" : { } , "explain" : false } "#, #"{"url":"\u0061"}"#,
        #"{"context":null,"links":null,"purpose":null,"environment":null,"explain":null,"clientEventId":null,"url":"a"}"#,
        #"{"context":{"app":null,"platform":null,"locale":null,"occurredAt":null,"installed":null},"url":"a"}"#,
    ])
    func leastMessageIsRead(text: String) throws {
        let message = try read(text)
        #expect(message.subject == .link(ResolveRequest.Link(url: "a", clientEventID: nil)))
        #expect(message.context == LinkContext() && message.warnings.isEmpty && message.explanation == .omitted)
    }

    @Test func batchAndContinuationAreRead() throws {
        let links = [("a", nil), ("b", "1")].map { ResolveRequest.Link(url: $0.0, clientEventID: $0.1) }
        #expect(try read(#"{"links":["a",{"url":"b","clientEventId":"1"}]}"#).subject == .batch(links))
        let token = try read(#"{"continuation":"t","clientEventId":"c"}"#)
        #expect(token.subject == .continuation(token: "t", clientEventID: "c"))
    }

    @Test func warningsNameTheMembersThatWereProbablyMeant() throws {
        let message = try read(
            #"{"url":"a","enviroment":"staging","context":{"platfrom":"ios","appversion":"1"}}"#
        )
        #expect(
            message.warnings == [
                "enviroment is not known and was ignored; did you mean 'environment'?",
                "context.platfrom is not known and was ignored; did you mean 'platform'?",
                "context.appversion is not known and was ignored; did you mean 'appVersion'?",
            ]
        )
    }

    /// Unknown members of the message come first, whatever their order.
    @Test func unknownMembersAreReported() throws {
        let message = try read(
            #"{"context":{"appVersion":"x","colour":1,"locale":"d_"},"further":null,"url":"a","links":null}"#
        )
        #expect(
            message.warnings == [
                "further is not known and was ignored.", "context.colour is not known and was ignored.",
                "context.appVersion is not a version and is treated as unknown.",
                "context.locale is not a language tag and was ignored.",
            ]
        )
    }

    @Test(
        arguments: [
            ("GB", nil), ("de", nil), ("QX", nil), ("UK", "'UK' is not a code of ISO 3166; the United Kingdom is GB"),
            ("Germany", "'Germany' is not a code of ISO 3166, so it is not recorded and no condition can name it;"),
            ("D1", "'D1' is not a code of ISO 3166"), ("", "'' is not a code of ISO 3166"),
            ("É", "'É' is not a code of ISO 3166"),
        ] as [(String, String?)]
    )
    func textThatIsNoCountryIsReported(country: String, warning: String?) throws {
        let message = try read(#"{"url":"a","context":{"country":"\#(country)"}}"#)
        #expect(message.context.country == country && message.warnings.count == (warning == nil ? 0 : 1))
        #expect(warning.map { message.warnings.first?.hasPrefix("context.country: \($0)") == true } ?? true)
    }

    private static let manyWarnings: [(members: String, count: Int)] = [
        (#""url":"a",\#(members(30))"#, 20),
        (#""url":"a","context":{\#(members(30))}"#, 20),
        (#""links":[{"url":"a",\#(members(15))},{"url":"b",\#(members(15))}]"#, 20),
        (#""url":"a","context":{"locale":[\#(Array(repeating: "\"d_\"", count: 30).joined(separator: ","))]}"#, 17),
        (#""url":"a",\#(members(15)),"context":{\#(members(15)),"appVersion":"x"}"#, 20),
        (#""url":"a",\#(members(10)),"context":{\#(members(8)),"appVersion":"x"}"#, 19),
    ]

    /// The limit holds for the message, its context, its links and their values together.
    @Test(arguments: manyWarnings)
    func atMostTwentyWarningsAreKept(members: String, count: Int) throws {
        let message = try read("{\(members)}")
        #expect(message.warnings.count == count && Set(message.warnings).count == count)
    }

    private static func members(_ count: Int) -> String {
        (0..<count).map { #""x\#($0)":1"# }.joined(separator: ",")
    }

    @Test func longNamesAreShortened() throws {
        let name = String(repeating: "é", count: 101)
        let shortened = String(repeating: "é", count: 98) + "…"
        let message = try read(#"{"\#(name)":1,"links":[{"url":"a","\#(name)":1}],"context":{"\#(name)":1}}"#)
        #expect(
            message.warnings
                == [shortened, "links[0].\(shortened)", "context.\(shortened)"].map {
                    "\($0) is not known and was ignored."
                }
        )
        let error = #expect(throws: DocumentError.self) { try read(#"{"\#(name)":1}"#) }
        #expect(error?.message.hasPrefix("'\(shortened)' is not known, and the link is missing;") == true)
    }

    @Test(arguments: [
        ("[]", "", 1), ("{}", "", 1), (#"{"url":"a","links":["b"]}"#, "", 1), (#"{"links":[]}"#, "links", 10),
        (#"{"url":1}"#, "url", 8), (#"{"url":"a","context":1}"#, "context", 22),
        (#"{"url":"a","context":{"platform":"amiga"}}"#, "context.platform", 34),
        (#"{"url":"a","context":{"occurredAt":"today"}}"#, "context.occurredAt", 36),
        (#"{"url":"a","context":{"appBuild":-1}}"#, "context.appBuild", 34),
        (#"{"url":"a","clientEventId":""}"#, "clientEventId", 28), (#"{"links":["a",{}]}"#, "links[1]", 15),
    ])
    func errorNamesItsPlace(text: String, path: String, column: Int) {
        let error = #expect(throws: DocumentError.self) { try read(text) }
        #expect(error?.path == path && error?.position.column == column)
    }

    /// Whatever is broken: the message is refused for the syntax error that the whole text has.
    @Test(arguments: 0..<8 as Range<UInt64>)
    func syntaxErrorsTakePrecedence(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        let pieces = [
            "{", "}", "[", "]", ",", ":", " ", "\n", "\"", "\\", "true", "false", "null", "0", "12", "-", ".", "e", "é",
            "\"url\":\"a\"", "\"context\":{", "\"platform\":\"ios\"", "\"installed\":true", "\"locale\":[\"de\"",
            "\"appBuild\":7", "\"explain\":false", "\"purpose\":\"live\"", "\"x\":1", "\"osVersion\":\"1.2\"", "\"\"",
        ]
        let usual =
            #"{"url":"https://a.test/x","context":{"platform":"ios","locale":["de","en"],"appBuild":12},"explain":true}"#
        for _ in 0..<4_000 {
            var bytes = Array(usual.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                let start = Int.random(in: 0...bytes.count, using: &numbers)
                let end = min(bytes.count, start + Int.random(in: 0...8, using: &numbers))
                bytes.replaceSubrange(start..<end, with: Array((pieces.randomElement(using: &numbers) ?? "").utf8))
            }
            let text = String(decoding: bytes, as: UTF8.self)
            var expected: JSONSyntaxError?
            do throws(JSONSyntaxError) { _ = try JSONReader.parse(text, limits: Self.limits) } catch {
                expected = error
            }
            var found: (any Error)?
            do { _ = try read(text) } catch { found = error }
            #expect(found as? JSONSyntaxError == expected, "\(text)")
        }
    }
}
