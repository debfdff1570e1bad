import Foundation
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

    /// The screens of another tenant are not those of this app, also while the app has no table.
    @Test func answerOfAnotherTenantIsRefused() async throws {
        @Sendable func body(_ tenant: String) -> [UInt8] {
            let end = #""tenant": \#(tenant), "environment": "production", "destination": {"screen": "Dish"}}"#
            return Array((#"{"outcome": "matched", "action": "open_app", "# + end).utf8)
        }
        let test = try TestClient(server: StubServer { _ in LinkResponse(status: 200, body: body(#""cafe""#)) })
        let own = LinkClient.AskError.otherTenant("cafe", configured: "acme")
        await #expect(throws: own) { try await test.client.answer(to: "cafe://dish/7") }
        #expect(test.problem(.answer)?.code == "other_tenant")
        #expect(test.problem(.answer)?.message == "\(own)")
        for tenant in [#""acme""#, "null"] {
            await #expect(throws: own) { try await test.client.ask("cafe://dish/7") }
            #expect(test.problem(.answer) != nil)
            test.server.answers { _ in LinkResponse(status: 200, body: body(tenant)) }
            #expect(try await test.client.ask("acme://dish/7").destination?.screen == "Dish")
            #expect(test.problem(.answer) == nil)
            test.server.answers { _ in LinkResponse(status: 200, body: body(#""cafe""#)) }
        }
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

    @Test(arguments: [200, 400, 410])
    func signInIsResumedWithTheContinuation(_ status: Int) async throws {
        let signIn = #"{"outcome": "matched", "action": "sign_in", "continuation": {"token": "t"}}"#
        let open = #"{"outcome": "matched", "action": "open_app", "destination": {"screen": "account"}}"#
        let test = try TestClient(server: StubServer { _ in LinkResponse(status: 200, body: Array(signIn.utf8)) })
        let link = try await test.client.ask(
            "https://go.acme.com/account",
            in: LinkContext(authenticated: false, traits: ["plan": ["pro"]], now: Sample.issuedAt)
        )
        #expect(link.action == .signIn)
        test.server.answers { request in
            let isContinuation = String(decoding: request.body, as: UTF8.self).hasPrefix(#"{"continuation":"t","#)
            return LinkResponse(status: isContinuation ? status : 200, body: Array(open.utf8))
        }
        let resumed = try await test.client.resume(link)
        #expect(resumed.action == .openApp)
        #expect(resumed.url == "https://go.acme.com/account")
        let context =
            #""environment":"production","context":{"app":"ios","installed":true,"authenticated":true,"#
            + #""traits":{"plan":["pro"]}}}"#
        var bodies = [#"{"continuation":"t","# + context]
        // A token that is not valid any more is replaced by the link.
        if status != 200 { bodies.append(#"{"url":"https://go.acme.com/account","# + context) }
        #expect(test.server.requests.dropFirst().map { String(decoding: $0.body, as: UTF8.self) } == bodies)
    }

    @Test func signInOfTheTableIsResumedWithoutAServer() async throws {
        let test = try TestClient(bundled: try Sample.signed())
        let link = try await test.client.answer(to: "acme:/account", in: LinkContext(authenticated: false))
        #expect(link.action == .signIn)
        let resumed = try await test.client.resume(link)
        #expect(resumed.action == .openApp)
        #expect(resumed.context.authenticated == true)
        #expect(test.server.requests.isEmpty)
    }

    @Test func urlIsALinkAsItsText() async throws {
        let test = try TestClient(bundled: try Sample.signed())
        let url = try #require(URL(string: "acme://product/1?utm_source=a%20b"))
        #expect(test.client.resolve(url) == .undecided(.noTable))
        #expect(try await test.client.answer(to: url) == test.client.answer(to: url.absoluteString))
        await #expect(throws: LinkClient.AskError.self) { try await test.client.ask(url) }
        #expect(test.server.requests.count == 1)
    }

    @Test func contextOfThisAppHasWhatTheSystemKnows() {
        let context = LinkContext.thisApp
        #if os(Linux)
            #expect(context.platform == .linux)
            #expect(context.device == .desktop)
        #endif
        #expect(context.osVersion != nil)
        #expect(context.authenticated == nil)
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
