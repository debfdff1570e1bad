import LinkClient
import LinkRouting
import Testing

struct AskTests {
    private let answer = #"""
        {"id": "x", "recorded": true, "outcome": "matched", "action": "open_app", "tenant": "acme",
         "environment": "production", "revision": 9, "validFor": 300, "route": {"id": "vip", "pattern": "/vip/{code}"},
         "parameters": {"code": "a", "n": 5, "p": 1.5, "flag": true, "rest": ["a", "b"]}, "app": "ios",
         "experiment": {"id": "e", "variant": "one", "assigned": true},
         "destination": {"screen": "vip", "arguments": {"code": "a", "o": {"k": 1}}, "stack": [{"screen": "home"},
          {"screen": "vip", "arguments": {"code": "a"}}], "uri": "acme://vip/a", "web": "https://www.acme.com/vip",
          "data": {"k": [1]}, "fallbacks": ["open_web"]}}
        """#

    @Test func answerOfTheServerIsAResolution() async throws {
        let body = Array(answer.utf8)
        let test = try TestClient(
            bundled: try Sample.signed(),
            server: StubServer { _ in LinkResponse(status: 200, body: body) }
        )
        let context = LinkContext(appVersion: Version("3.1"), traits: ["plan": ["pro"]])
        let link = try await test.client.answer(to: "https://go.acme.com/vip/a", in: context)
        #expect(link.outcome == .matched)
        #expect(link.route == id("vip"))
        #expect(
            link.parameters.map(\.value) == [.string("a"), .int(5), .number("1.5"), .bool(true), .list(["a", "b"])]
        )
        #expect(link.destination?.stack.map(\.name) == ["home", "vip"])
        #expect(link.destination?.fallbacks == [.openWeb])
        #expect(link.variant?.variant == "one")
        #expect(link.source == .server(revision: Revision(rawValue: 9), continuation: nil))
        let request = try #require(test.server.requests.first)
        #expect(request.url == "https://links.acme.test/resolve")
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == #"{"url":"https://go.acme.com/vip/a","environment":"production","context":{"app":"ios","#
                + #""appVersion":"3.1","installed":true,"traits":{"plan":["pro"]}}}"#
        )
    }

    @Test func writtenAnswerIsReadAgain() throws {
        let read = try ServerAnswer(Array(answer.utf8), to: "https://go.acme.com/vip/a")
        var writer = JSONWriter()
        writer.beginObject()
        read.resolution.write(
            to: &writer,
            of: AnswerSource(tenant: id("acme"), environment: .production, revision: read.revision)
        )
        writer.endObject()
        #expect(try ServerAnswer(Array(writer.text.utf8), to: "x").resolution == read.resolution)
    }

    @Test func localAnswerNeedsNoServer() async throws {
        let test = try TestClient(bundled: try Sample.signed())
        #expect(try await test.client.answer(to: "acme:/product/1").route == id("product"))
        #expect(test.server.requests.isEmpty)
    }

    @Test func continuationOfASignInIsReturned() async throws {
        let body = Array(
            #"{"outcome": "matched", "action": "sign_in", "parameters": {}, "destination": null, "continuation": {"token": "t", "expiresAt": "2026-01-01T00:00:00.000Z"}}"#
                .utf8
        )
        let test = try TestClient(server: StubServer { _ in LinkResponse(status: 200, body: body) })
        let link = try await test.client.ask("https://go.acme.com/account")
        #expect(link.source == .server(revision: nil, continuation: "t"))
    }

    @Test func failuresAreExplained() async throws {
        let test = try TestClient()
        await #expect(throws: LinkClient.AskError.unreachable("Unreachable()")) { try await test.client.ask("acme:/") }
        test.server.answers { _ in LinkResponse(status: 429, body: Array(#"{"detail": "slow down"}"#.utf8)) }
        await #expect(throws: LinkClient.AskError.refused(status: 429, "slow down")) {
            try await test.client.ask("acme:/")
        }
        test.server.answers { _ in LinkResponse(status: 200, body: [1]) }
        await #expect(throws: LinkClient.AskError.self) { try await test.client.ask("acme:/") }
        let offline = try LinkClient(LinkClient.Configuration(tenant: "acme", app: "ios", keys: []))
        await #expect(throws: LinkClient.AskError.noServer) { try await offline.ask("acme:/") }
    }
}
