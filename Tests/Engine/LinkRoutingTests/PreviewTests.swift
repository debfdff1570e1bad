import LinkRouting
import Testing

/// What chats show of links, from templates of routes and of the table's defaults.
struct PreviewTests {
    private static let route = #"""
        {"id": "item", "path": "/item/{id:int}/{name}", "query": {"by": "string?"}, "web": "https://www.acme.com/",
         "preview": {"title": "{name} by {by}", "description": "{name}",
                     "image": "https://www.acme.com/{id}/{name}.png?n={name}"}}
        """#
    private static let plain = #"{"id": "plain", "path": "/plain", "web": "https://www.acme.com/"}"#
    private static let common = #"""
        {"fallback": {"web": "https://www.acme.com/"},
         "preview": {"title": "Acme \\{1\\}", "image": "https://www.acme.com/acme.png"}}
        """#

    private func preview(_ path: String, defaults: String = Self.common) throws -> LinkPreview {
        let router = try Fixture.router([Self.route, Self.plain], defaults: defaults)
        let answer = router.resolve("https://go.acme.com" + path, in: LinkContext())
        return router.preview(of: answer.route, parameters: answer.parameters)
    }

    @Test(
        arguments: [
            ("/item/7/shoe?by=Ann", "shoe by Ann", "shoe", "https://www.acme.com/7/shoe.png?n=shoe"),
            // Without a parameter, the next place has the title.
            ("/item/7/shoe", "Acme {1}", "shoe", "https://www.acme.com/7/shoe.png?n=shoe"),
            ("/item/7/a%2Fb%26c?by=%3Cb%3E", "a/b&c by <b>", "a/b&c", "https://www.acme.com/7/a%2Fb&c.png?n=a/b%26c"),
            ("/plain", "Acme {1}", nil, "https://www.acme.com/acme.png"),
            ("/nowhere", "Acme {1}", nil, "https://www.acme.com/acme.png"),
        ] as [(String, String, String?, String)]
    )
    func routeIsCompletedByTheDefaults(_ path: String, _ title: String, _ text: String?, _ image: String) throws {
        #expect(try preview(path) == LinkPreview(title: title, description: text, image: image))
    }

    @Test func withoutTemplatesThereIsNoPreview() throws {
        #expect(try preview("/plain", defaults: "{}") == LinkPreview())
        #expect(try preview("/nowhere", defaults: "{}") == LinkPreview())
    }

    @Test func longTextsAreCutAndLongImagesLeftOut() throws {
        let name = String(repeating: "ä", count: 1_200)
        let found = try preview("/item/7/\(name)?by=Ann")
        #expect(found.title == String(repeating: "ä", count: 98) + "…")
        #expect(found.description == String(repeating: "ä", count: 498) + "…")
        #expect(found.image == "https://www.acme.com/acme.png")
    }

    /// The check of a table refuses such an image; a table of another server may have it.
    @Test(arguments: ["https://evil.example/x.png", "https://go.acme.com:8443/{x}.png"])
    func imageLeadsToAnAllowedHost(_ image: String) throws {
        let router = try Fixture.router([
            #"{"id": "a", "path": "/{x}", "preview": {"title": "t", "image": "\#(image)"}}"#
        ])
        let answer = router.resolve("https://go.acme.com/%2Ea", in: LinkContext())
        let found = router.preview(of: answer.route, parameters: answer.parameters).image
        #expect(found == (image.contains("evil") ? nil : "https://go.acme.com:8443/.a.png"))
    }

    @Test(arguments: [
        (#"{}"#, "preview", "write a title"), (#"{"title": ""}"#, "preview.title", "the text is empty"),
        (#"{"title": "{x"}"#, "preview.title", "'{' has no '}'"), (#"{"titel": "x"}"#, "preview.titel", "'title'"),
        (#"{"image": "http://www.acme.com/x.png"}"#, "preview.image", "is not an https URL"),
        (#"{"image": "x.png"}"#, "preview.image", "must start with its scheme"),
        (#"{"image": "https://{host}/x.png"}"#, "preview.image", "cannot supply the host"),
    ])
    func wrongPreviewIsRefused(_ preview: String, _ path: String, _ hint: String) {
        for (table, place) in [
            (#"{"routes": [{"id": "a", "path": "/a", "preview": \#(preview)}]}"#, "routes[0]"),
            (#"{"defaults": {"preview": \#(preview)}}"#, "defaults"),
        ] {
            let error = #expect(throws: RouteTable.DecodingErrors.self) { try RouteTable(try Fixture.field(table)) }
            #expect(error?.errors.map(\.path) == ["\(place).\(path)"])
            #expect(error?.errors.first?.message.contains(hint) == true, "\(String(describing: error))")
        }
    }

    @Test(arguments: [
        (200, #"{"title": "X"}"#), (1_000, #"{"description": "X"}"#), (2_048, #"{"image": "https://www.acme.com/X"}"#),
    ])
    func sizeIsBounded(_ most: Int, _ preview: String) throws {
        let room = most - (preview.contains("image") ? "https://www.acme.com/".utf8.count : 0)
        for (count, isAllowed) in [(room, true), (room + 1, false)] {
            let long = preview.split(separator: "X").joined(separator: String(repeating: "x", count: count))
            let table = try Fixture.field(#"{"defaults": {"preview": \#(long)}}"#)
            #expect(((try? RouteTable(table)) != nil) == isAllowed)
        }
    }

    @Test func defaultsCaptureNothing() throws {
        let table = try Fixture.table([Self.route], defaults: #"{"preview": {"title": "{name}"}}"#)
        let found = table.check(for: try Fixture.identity()).filter { $0.code == .unknownParameter }
        #expect(found.map(\.path) == ["defaults.preview.title"])
    }

    @Test(arguments: [#""block": "x""#, #""follow": "shortLinks""#])
    func routeWithoutADestinationHasNoPreview(_ keys: String) throws {
        let table = #"{"routes": [{"id": "a", "path": "/{code}", "preview": {"title": "x"}, \#(keys)}]}"#
        #expect(throws: RouteTable.DecodingErrors.self) { try RouteTable(try Fixture.field(table)) }
    }

    @Test(arguments: [
        (#""when": {"rollout": 10}"#, true), (#""when": [{"platform": "ios"}, {"not": {"rollout": 10}}]"#, true),
        (#""experiment": {"id": "e", "variants": [{"name": "v"}]}"#, true), (#""when": {"country": "GB"}"#, false),
        (#""note": "x""#, false),
    ])
    func tableKnowsWhetherItSplitsPeople(_ keys: String, _ hasSplits: Bool) throws {
        let table = try Fixture.table([Self.plain, #"{"id": "a", "path": "/a", \#(keys)}"#])
        #expect(table.hasSplits == hasSplits)
    }
}
