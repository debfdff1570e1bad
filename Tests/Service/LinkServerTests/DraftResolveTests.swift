import HTTPTypes
import LinkRouting
import LinkServer
import Testing

/// What a draft, the live table and revisions answer to a link.
@Suite(.timeLimit(.minutes(15)))
struct DraftResolveTests {
    private static let path = "draft/resolve"

    /// Revision 2 is live, and a draft changes the route again.
    private func withTables(_ body: (AdminSession) async throws -> Void) async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            for screen in ["Second", "Third"] {
                let item = #"{"path":"/item/{id:int}","owner":"shop","open":{"screen":"\#(screen)"}}"#
                #expect(try await session.send(.put, "draft/routes/item", item).status == 200)
                if screen == "Second" { #expect(try await session.post("draft/publish").status == 201) }
            }
            try await body(session)
        }
    }

    @Test func tablesAreCompared() async throws {
        try await withTables { session in
            let answer = try await session.post(
                Self.path,
                #"{"url": "https://go.acme.test/item/7", "tables": ["live", "draft", 1]}"#
            )
            let tables = answer.json?["tables"]?.elements ?? []
            let screens = tables.map { $0["results"]?.elements?.first?["destination"]?["screen"]?.text }
            #expect(screens == ["Second", "Third", "Item"], "\(answer.text)")
            #expect(tables.map { $0["table"]?.json() } == [#""live""#, #""draft""#, "1"])
            #expect(tables.map { $0["revision"]?.int } == [2, nil, 1])
            let patterns = tables.first?["routes"]?.elements?.map { $0["pattern"]?.text }
            #expect(patterns == ["/", "/item/{id:int}", "/blog/{slug}"])
        }
    }

    @Test func contextsAreAnsweredInTheirOrderWithTraces() async throws {
        try await withTables { session in
            let answer = try await session.post(
                Self.path,
                #"{"url": "https://go.acme.test/item/x", "contexts": [{"platform": "ios"}, {"platform": "android", "age": 7}]}"#
            )
            let results = answer.json?["tables"]?.elements?.first?["results"]?.elements ?? []
            #expect(results.map { $0["outcome"]?.text } == ["fallback", "fallback"], "\(answer.text)")
            let failed = results.compactMap { $0["trace"]?.elements?.first { $0["route"]?.text == "item" } }
            #expect(failed.map { $0["found"]?.text } == ["x", "x"], "\(answer.text)")
            #expect(results.allSatisfy { $0["id"] == nil && $0["recorded"] == nil })
            #expect(answer.json?["warnings"]?.elements?.count == 1)
            #expect(try await session.get("events").json?["events"]?.elements?.isEmpty == true)
        }
    }

    @Test func shortLinksLeadToTheirTargets() async throws {
        try await withTables { session in
            let go = #"{"path": "/s/{code}", "follow": "shortLinks"}"#
            #expect(try await session.send(.put, "draft/routes/go", go).status == 201)
            let link = #"{"code": "spring", "target": "https://go.acme.test/item/7"}"#
            let ask = #"{"url": "https://go.acme.test/s/spring"}"#
            #expect(try await session.post("draft/publish").status == 201)
            #expect(try await session.post("short-links", link).status == 201)
            #expect(
                try await session.send(.put, "draft/routes/other", #"{"path": "/other", "open": {"screen": "O"}}"#)
                    .status == 201
            )
            let answer = try await session.post(Self.path, ask)
            let result = answer.json?["tables"]?.elements?.first?["results"]?.elements?.first
            #expect(result?["route"]?["id"]?.text == "item", "\(answer.text)")
        }
    }

    @Test func badRequestsSayWhatToDo() async throws {
        try await withTables { session in
            let url = #""url": "https://go.acme.test/item/7""#
            for (body, status, text) in [
                ("{}", 400, "url"), (#"{\#(url), "tables": []}"#, 400, "1 to 20 results"),
                (#"{\#(url), "contexts": [\#(Array(repeating: "{}", count: 21).joined(separator: ","))]}"#, 400, "20"),
                (#"{\#(url), "tables": ["main"]}"#, 400, "write live, draft, or the number of a revision"),
                (#"{\#(url), "tables": [0]}"#, 400, "0"), (#"{\#(url), "tables": [9]}"#, 404, "no revision 9"),
                (#"{\#(url), "tables": [99999999999999999999]}"#, 400, "9"),
                (#"{\#(url), "tables": ["draft", "live", "draft"]}"#, 400, "name each once"),
            ] {
                let answer = try await session.post(Self.path, body)
                #expect(answer.status == status && answer.text.contains(text), "\(body): \(answer.text)")
            }
            let none = try await session.post("\(Self.path)?draft=other", "{\(url)}")
            #expect(none.code == "no_draft", "\(none.text)")
            #expect(
                try await session.post("\(Self.path)?environment=staging", #"{\#(url), "tables": ["live"]}"#).status
                    == 200
            )
        }
    }
}
