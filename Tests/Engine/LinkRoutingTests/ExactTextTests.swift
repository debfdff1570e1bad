import LinkRouting
import Testing

/// Texts that are equal in Swift and different in a link.
struct ExactTextTests {
    private static let (composed, apart) = ("caf\u{E9}", "cafe\u{301}")

    @Test func textsAreComparedByBytes() {
        #expect(Self.composed == Self.apart)
        #expect(!Self.composed.isExactly(Self.apart) && Self.apart.isExactly("cafe\u{301}"))
        #expect(ExactText(Self.composed) != ExactText(Self.apart))
        #expect(Set([Self.composed, Self.apart, Self.composed].map { ExactText($0) }).count == 2)
        #expect(ExactText(Self.apart) < ExactText(Self.composed))
    }

    @Test func nodesAreComparedByBytes() throws {
        let nodes = [
            JSONNode.string(Self.composed), .string(Self.apart), .array([.string(Self.composed)]),
            .array([.string(Self.apart)]),
            JSONNode(.object([JSONNode.Member(Self.composed, .null)])),
            JSONNode(.object([JSONNode.Member(Self.apart, .null)])),
            JSONNode(.number("1")), .string("1"), .bool(true), .null,
        ]
        #expect(Set(nodes).count == nodes.count)
        for (index, node) in nodes.enumerated() { #expect(nodes.firstIndex(of: node) == index) }
    }

    @Test func keysThatLookAlikeAreTwo() throws {
        let text = #"{"\#(Self.composed)":1,"\#(Self.apart)":2}"#
        let node = try JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: 1 << 10))
        #expect(node[Self.composed]?.int == 1 && node[Self.apart]?.int == 2)
        let object = try DocumentField(node, path: "").anyObject()
        #expect(try object.required(Self.apart).int(in: 0...9) == 2)
        #expect(throws: DocumentError.self) { try object.refuseKeys(besides: [Self.composed]) }
        // Swift compares U+212A (Kelvin sign) as equal to K.
        let kelvin = try JSONReader.parse("{\"\u{212A}ey\":1}", limits: JSONReader.Limits(maximumBytes: 1 << 10))
        #expect(throws: DocumentError.self) { try DocumentField(kelvin, path: "").object("Key") }
        #expect(kelvin["Key"] == nil)
    }

    /// Two routes whose conditions look alike apply to different callers, in the check as well as in the router.
    @Test(arguments: [
        #""when":{"traits":{"tier":"TEXT"}}"#, #""when":{"traits":{"TEXT":"gold"}}"#,
        #""query":{"q":{"equals":"TEXT"}}"#,
        #""query":{"TEXT":{"equals":"1"}}"#,
    ])
    func conditionsThatLookAlikeAreTwo(_ condition: String) throws {
        let routes = [(Self.composed, "a"), (Self.apart, "b")].map { text, id in
            #"{"id":"\#(id)","path":"/x",\#(condition.replacing("TEXT", with: text)),"open":{"screen":"S"}}"#
        }
        let router = try Fixture.router(routes)
        let findings = router.table.check(for: router.identity)
        #expect(!findings.contains { $0.severity == .error }, "\(findings)")
        for (text, id) in [(Self.composed, "a"), (Self.apart, "b")] {
            let encoded = text.utf8.map { $0 < 0x80 ? String(UnicodeScalar($0)) : "%" + String($0, radix: 16) }.joined()
            var context = LinkContext()
            context.traits = ["tier": [text], text: ["gold"]]
            let link = "https://go.acme.com/x?q=\(encoded)&\(encoded)=1"
            let expected = RouteID(id)
            #expect(router.resolve(link, in: context).route == expected)
        }
    }
}
