import LinkCatalog
import LinkRouting
import TestSupport
import Testing

/// Short links as JSON.
struct ShortLinkDocumentTests {
    private static let now = instant("2026-11-21T10:00:00Z")

    private static func link(_ json: String, _ keys: [String] = NewShortLink.keys) throws -> NewShortLink {
        let node = try JSONReader.parse(json, limits: JSONReader.Limits(maximumBytes: 1 << 20))
        return try NewShortLink(DocumentField(node, path: ""), keys, by: .system, at: now)
    }

    private static let whole = """
        {"code":"spring","target":"https://go.acme.test/item/7","title":"Spring","note":"For\\nmail","tags":["mail","sale"],\
        "utm":{"source":"mail","campaign":"spring"},"preview":{"title":"Sale","image":"https://www.acme.test/a.png"},\
        "expires":"2026-12-01T00:00:00.000Z"
        """

    @Test func everyMemberIsReadAndWritten() throws {
        let new = try Self.link(Self.whole + #","reuse":true}"#)
        #expect(new.isReused && !new.isArchived && new.createdAt == Self.now)
        var link = ShortLink(
            code: try #require(new.code),
            content: new.content,
            status: .blocked(reason: "Phishing."),
            createdAt: new.createdAt,
            createdBy: new.createdBy
        )
        let rest =
            #","status":"blocked","blockReason":"Phishing.","createdAt":"2026-11-21T10:00:00.000Z","updatedAt":"2026-11-21T10:00:00.000Z","createdBy":{"kind":"system","id":"fingerpost","name":"fingerpost"},"version":1}"#
        let json = link.json(at: Self.now)
        #expect(json.json() == Self.whole + rest)
        link.isFromApp = true
        #expect(link.json(at: Self.now)["fromApp"]?.bool == true)
        // An exported link can be imported. A blocked one stays unusable.
        let again = try Self.link(json.json(), NewShortLink.keysOfLine)
        #expect(again.content == new.content && again.code == new.code && again.isArchived)
    }

    @Test(arguments: [
        (#"{}"#, "'target' is missing"), (#"{"target":7}"#, "target"), (#"{"target":""}"#, "empty"),
        (#"{"target":" https://a.test"}"#, "white space"), (#"{"target":"x","titel":"y"}"#, "did you mean 'title'"),
        (#"{"target":"x","code":"a b"}"#, "is not a code"), (#"{"target":"x","code":"/a"}"#, "is not a code"),
        (#"{"target":"x","code":"é"}"#, "is not a code"), (#"{"target":"x","code":"_fp/x"}"#, "must not be '_fp'"),
        (#"{"target":"x","code":"_fp"}"#, "must not be '_fp'"), (#"{"target":"x","title":"a\nb"}"#, "line break"),
        (#"{"target":"x","title":""}"#, "empty"), (#"{"target":"x","tags":"mail"}"#, "write a list"),
        (#"{"target":"x","utm":{"sourc":"a"}}"#, "did you mean 'source'"),
        (#"{"target":"x","utm":{"source":"a\u0001"}}"#, "control character"),
        (#"{"target":"x","preview":{"image":"http://a.test/"}}"#, "not an https URL"),
        (#"{"target":"x","expires":"tomorrow"}"#, "not a time"), (#"{"target":"x","status":"active"}"#, "status"),
        (#"{"target":"x","reuse":"yes"}"#, "true or false"),
        (#"{"target":"x","createdAt":"2026-01-01T00:00:00Z"}"#, "createdAt"),
        (#"{"target":"x","title":"\#(String(repeating: "é", count: 101))"}"#, "at most 200"),
        (#"{"target":"x","note":"\#(String(repeating: "a", count: 2_001))"}"#, "at most 2000"),
        (#"{"target":"x","tags":["\#(String(repeating: "a", count: 65))"]}"#, "at most 64"),
        (#"{"target":"x","tags":[\#((0..<21).map { "\"t\($0)\"" }.joined(separator: ","))]}"#, "at most 20"),
    ])
    func wrongMemberIsNamed(_ json: String, _ reason: String) {
        let error = #expect(throws: DocumentError.self) { try Self.link(json) }
        #expect(error?.description.contains(reason) == true, "\(json): \(error?.description ?? "")")
    }

    @Test(arguments: [
        (#"{"target":"x","createdAt":"2027-01-01T00:00:00Z"}"#, "in the future"),
        (#"{"target":"x","status":"gone"}"#, "not one of"),
    ])
    func wrongMemberOfALineIsNamed(_ json: String, _ reason: String) {
        let error = #expect(throws: DocumentError.self) { try Self.link(json, NewShortLink.keysOfLine) }
        #expect(error?.description.contains(reason) == true, "\(json): \(error?.description ?? "")")
    }
}
