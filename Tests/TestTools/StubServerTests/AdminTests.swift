import LinkRouting
import NIOHTTP1
import Testing

/// Answers of the admin API, and what templates see of a request.
struct AdminTests {
    private static let id = "0f1e2d3c-0000-4000-8000-000000000001"

    /// `find` is in the order of the requests; all other lists have the newest first.
    @Test func foundRequestsAreTheOldestFirst() async throws {
        try await StubExchange.run { exchange in
            for number in 1...3 { _ = try await exchange.send("GET", "/\(number)") }
            let found = try await exchange.send("POST", "/__admin/requests/find", body: Array("{}".utf8)).json
            #expect(found?["requests"]?.elements?.map { $0["url"]?.text } == ["/1", "/2", "/3"])
            let unmatched = try await exchange.send("GET", "/__admin/requests/unmatched").json
            #expect(unmatched?["requests"]?.elements?.map { $0["url"]?.text } == ["/3", "/2", "/1"])
        }
    }

    @Test(arguments: ["reset", "mappings/reset", "requests/reset"])
    func resetClearsTheJournal(path: String) async throws {
        try await StubExchange.run { exchange in
            _ = try await exchange.send("GET", "/a")
            _ = try await exchange.send("POST", "/__admin/\(path)")
            let count = try await exchange.send("POST", "/__admin/requests/count", body: Array("{}".utf8)).json
            #expect(count?["count"]?.int == 0)
        }
    }

    /// The total counts the requests that a filter leaves, before `since` and `limit`.
    @Test(arguments: [
        ("", 3, 3), ("?limit=1", 1, 3), ("?unmatched=true", 2, 2), ("?unmatched=true&limit=1", 1, 2),
        ("?matchingStub=\(id)", 1, 1), ("?since=2999-01-01T00:00:00Z", 0, 3),
    ])
    func listOfRequestsStatesItsTotal(query: String, count: Int, total: Int64) async throws {
        try await StubExchange.run { exchange in
            try await exchange.add(#"{"id":"\#(Self.id)","request":{"url":"/a"}}"#)
            for path in ["/a", "/b", "/c"] { _ = try await exchange.send("GET", path) }
            let list = try await exchange.send("GET", "/__admin/requests\(query)").json
            #expect(list?["requests"]?.elements?.count == count)
            #expect(list?["meta"]?["total"]?.int == total)
        }
    }

    /// The members of `extended` replace those of the same name; the other settings stay.
    @Test(arguments: [
        (#"{"extended":{"b":2,"c":{"d":1}}}"#, 200, #"{"fixedDelay":0,"extended":{"a":1,"b":2,"c":{"d":1}}}"#),
        (#"{"extended":{}}"#, 200, #"{"fixedDelay":0,"extended":{"a":1,"b":{"x":1}}}"#),
        (#"{"b":2}"#, 422, #"{"fixedDelay":0,"extended":{"a":1,"b":{"x":1}}}"#),
        (#"{"extended":2}"#, 422, #"{"fixedDelay":0,"extended":{"a":1,"b":{"x":1}}}"#),
    ])
    func extendedSettingsAreMerged(patch: String, status: Int, expected: String) async throws {
        try await StubExchange.run { exchange in
            let settings = Array(#"{"fixedDelay":0,"extended":{"a":1,"b":{"x":1}}}"#.utf8)
            _ = try await exchange.send("POST", "/__admin/settings", body: settings)
            let answer = try await exchange.send("PATCH", "/__admin/settings/extended", body: Array(patch.utf8))
            #expect(answer.status == status)
            if status == 200 { #expect(answer.json?.members?.isEmpty == true) }
            let stored = try await exchange.send("GET", "/__admin/settings").json?["settings"]
            #expect(stored?.json() == expected)
        }
    }

    /// `request.requestLine` has the older names of a request's fields.
    @Test(arguments: [
        ("method", "GET"), ("scheme", "http"), ("host", "a.test"), ("port", "81"), ("query.q", "1"),
        ("query.q.[1]", "2"), ("path", "/t/one/two"), ("path.[0]", ""), ("pathSegments", "/t/one/two"),
        ("pathSegments.[1]", "one"), ("url", "/t/one/two?q=1&q=2"), ("baseUrl", "http://a.test:81"),
    ])
    func requestLineIsFilledIn(name: String, value: String) async throws {
        try await StubExchange.run { exchange in
            let body = "{{{request.requestLine.\(name)}}}"
            try await exchange.add(#"{"response":{"body":"\#(body)","transformers":["response-template"]}}"#)
            let answer = try await exchange.send("GET", "/t/one/two?q=1&q=2", ["Host": "a.test:81"])
            #expect(answer.text == value)
        }
    }

    @Test(arguments: [
        ("GET", "mapping", "there is no GET /__admin/mapping; did you mean /__admin/mappings?"),
        ("GET", "reset", "there is no GET /__admin/reset"),
        ("GET", "nothing", "there is no GET /__admin/nothing"),
        ("GET", "sessions/gone", "there is no session 'gone'; GET /__admin/sessions lists them"),
        ("DELETE", "sessions/gone", "there is no session 'gone'; GET /__admin/sessions lists them"),
    ])
    func unknownPathOrSessionIsNamed(method: String, path: String, title: String) async throws {
        try await StubExchange.run { exchange in
            let answer = try await exchange.send(method, "/__admin/\(path)")
            #expect(answer.status == 404)
            #expect(answer.json?["errors"]?.elements?.map { $0["title"]?.text } == [title], "\(answer.text)")
        }
    }

    /// WireMock answers these without a body.
    @Test(arguments: ["mappings/\(id)", "requests/\(id)"])
    func unknownStubOrRequestHasNoBody(path: String) async throws {
        try await StubExchange.run { exchange in
            let answer = try await exchange.send("GET", "/__admin/\(path)")
            #expect(answer.status == 404 && answer.body.isEmpty, "\(answer.text)")
        }
    }

    @Test(arguments: [false, true]) func linksOfAServerWithoutTenantsAreExplained(hasStub: Bool) async throws {
        try await StubExchange.run { exchange in
            if hasStub { try await exchange.add(#"{"request":{"url":"/a"}}"#) }
            for (method, path) in [("POST", "/resolve"), ("GET", "/resolve"), ("POST", "/resolved")] {
                let answer = try await exchange.send(method, path)
                let isHinted = answer.text.hasSuffix("start it with --tenant FILE to resolve links.\n")
                #expect(answer.status == 404 && isHinted == (method == "POST" && path == "/resolve"), "\(answer.text)")
            }
        }
    }

    @Test func resetOfScenariosAnswersAnEmptyObject() async throws {
        try await StubExchange.run { exchange in
            let answer = try await exchange.send("POST", "/__admin/scenarios/reset")
            #expect(answer.status == 200 && answer.json?.members?.isEmpty == true)
        }
    }
}
