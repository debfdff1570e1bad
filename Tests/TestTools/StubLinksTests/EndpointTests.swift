import Foundation
import LinkCatalog
import LinkRouting
import LinkTable
import NIOHTTP1
import StubLinks
import StubServer
import TestSupport
import Testing

/// The endpoints of links in the stub server, and what its journal says of them.
@Suite(.timeLimit(.minutes(15)))
struct EndpointTests {
    private static var key: String {
        get throws {
            let key = APIKey(environment: .production, random: Data(repeating: 7, count: APIKey.randomBytes))
            return try #require(key).token
        }
    }

    @Test func linkIsResolvedAndExplainedInTheJournal() async throws {
        try await RunningStub.run { stub in
            let answer = try await stub.resolve(#"{"url": "acme:/item/7"}"#)
            #expect(answer["route"]?["id"]?.text == "item" && answer["recorded"]?.bool == true)
            let event = try #require(try await stub.get("/__admin/requests").json["requests"]?.elements?.first)
            #expect(event["wasMatched"]?.bool == true)
            let link = try #require(event["links"]?.elements?.first)
            #expect(link["link"]?.text == "acme:/item/7" && link["kind"]?.text == "resolve")
            #expect(link["tenant"]?.text == "acme" && link["route"]?.text == "item")
            #expect(link["screen"]?.text == "Item" && link["outcome"]?.text == "matched")
            let explained = link["explanation"]?.elements?.map { $0["route"]?.text }
            #expect(explained?.contains("account") == true)
        }
    }

    @Test func answerHasAnExplanationOnlyOnRequest() async throws {
        try await RunningStub.run { stub in
            let answer = try await stub.resolve(#"{"url": "acme:/item/7"}"#)
            #expect(answer["outcome"]?.text == "matched" && answer["trace"] == nil)
        }
    }

    @Test func unmatchedLinkNamesTheNearestRoutes() async throws {
        try await RunningStub.run { stub in
            #expect(try await stub.resolve(#"{"url": "acme:/items/7"}"#)["outcome"]?.text == "unmatched")
            let event = try #require(try await stub.get("/__admin/requests").json["requests"]?.elements?.first)
            let nearest = event["links"]?.elements?.first?["nearestRoutes"]?.elements?.map { $0["id"]?.text }
            #expect(nearest?.first == "item")
            let report = try await stub.get("/__admin/report").json["sessions"]?.elements?.first
            #expect(report?["unmatchedLinkCount"]?.int == 1)
            let failure = report?["links"]?.elements?.first?["failure"]?.text
            #expect(failure?.hasPrefix("no route matched; nearest routes: item (/item/{id:int})") == true)
            let junit = try await stub.get("/__admin/report?format=junit").text
            #expect(
                junit.contains(#"failures="1""#)
                    && junit.contains(#"classname="links" name="acme:/items/7: unmatched""#)
            )
        }
    }

    @Test(arguments: [
        (#"{"url": "https://nobody.test/a"}"#, "no tenant has the host 'nobody.test'; the tenants have go.acme.test"),
        (#"{"url": "other:/a"}"#, "no tenant has the scheme 'other'"),
        (#"{"url": "https://"}"#, "the link cannot be read"),
    ])
    func unownedLinkIsReported(message: String, reason: String) async throws {
        try await RunningStub.run { stub in
            _ = try await stub.resolve(message)
            let report = try await stub.get("/__admin/report").json["sessions"]?.elements?.first
            #expect(report?["links"]?.elements?.first?["failure"]?.text?.hasPrefix(reason) == true)
        }
    }

    @Test func onlyStrictServersFailForAnUnmatchedLink() async throws {
        for (mode, isFailed) in [(StubConfiguration.UnmatchedRequests.allowed, false), (.strict, true)] {
            try await RunningStub.run(configure: { $1.unmatched = mode }) { stub in
                _ = try await stub.resolve(#"{"url": "acme:/item/7"}"#)
                #expect(!stub.server.report.isFailed)
                _ = try await stub.resolve(#"{"url": "acme:/nowhere"}"#)
                #expect(stub.server.report.isFailed == isFailed)
            }
        }
    }

    @Test func clickLeadsToThePage() async throws {
        try await RunningStub.run { stub in
            let click = try await stub.get("/item/7?a=b", host: "go.acme.test")
            #expect(click.status == 302 && click["Location"] == "https://www.acme.test/i/7?a=b")
            // A client that cannot send the host.
            for path in ["/__links/go.acme.test/item/7", "/__links/acme/item/7"] {
                let same = try await stub.get(path)
                #expect(same.status == 302 && same["Location"] == "https://www.acme.test/i/7", "\(path)")
            }
            let events = try await stub.get("/__admin/requests").json["requests"]?.elements ?? []
            #expect(events.compactMap { $0["links"]?.elements?.first?["kind"]?.text } == ["click", "click", "click"])
        }
    }

    @Test func unknownHostInThePathIsExplained() async throws {
        try await RunningStub.run { stub in
            let answer = try await stub.get("/__links/nobody.test/a")
            #expect(answer.status == 404 && answer.text.contains("'nobody.test'; the tenants have go.acme.test"))
        }
    }

    @Test func continuationLeadsBackToItsLink() async throws {
        try await RunningStub.run { stub in
            let first = try await stub.resolve(#"{"url": "acme:/account", "context": {"authenticated": false}}"#)
            let token = try #require(first["continuation"]?["token"]?.text)
            let next = try await stub.resolve(#"{"continuation": "\#(token)", "context": {"authenticated": true}}"#)
            #expect(next["action"]?.text == "open_app" && next["route"]?["id"]?.text == "account")
        }
    }

    @Test func tableIsSignedWithTheKeyOfTheRun() async throws {
        try await RunningStub.run { stub in
            let table = try await stub.get("/_fp/table?app=ios&tenant=acme")
            #expect(table.status == 200 && !stub.links.tableKey.isEmpty)
            let key = try TablePublicKey(stub.links.tableKey)
            let verified = try SignedTable.verify(
                table.body,
                keys: [key],
                expecting: TableScope(tenant: tenant("acme"), app: try #require(AppID("ios"))),
                at: RunningStub.now
            )
            #expect(verified.claims.revision.rawValue == 1)
        }
    }

    @Test func reportOfAnAppIsCheckedAndShown() async throws {
        try await RunningStub.run { stub in
            let body = """
                {"tenant": "acme", "app": "ios", "install": "i", "engineVersion": "1.0", "events": [
                  {"clientEventId": "a", "occurredAt": "2026-11-21T09:59:00Z", "url": "acme:/item/7", "result": "shown",
                   "context": {}, "revision": 1, "settingsRevision": 1, "outcome": "matched", "action": "open_app",
                   "route": "offer"}, 7]}
                """
            let answer = try await stub.send(.POST, "/_fp/events", body: body).json["results"]?.elements
            #expect(answer?.map { $0["status"]?.text } == ["stored", "rejected"])
            let event = try #require(try await stub.get("/__admin/requests").json["requests"]?.elements?.first)
            let link = event["links"]?.elements?.first
            #expect(link?["kind"]?.text == "app" && link?["route"]?.text == "item")
            #expect(
                link?["reported"]?["route"]?.text == "offer" && link?["reported"]?["agreement"]?.text == "different"
            )
            // The same report is a duplicate until the journal is reset.
            let again = try await stub.send(.POST, "/_fp/events", body: body).json["results"]?.elements?.first
            #expect(again?["status"]?.text == "duplicate")
            _ = try await stub.send(.POST, "/__admin/reset")
            let new = try await stub.send(.POST, "/_fp/events", body: body).json["results"]?.elements?.first
            #expect(new?["status"]?.text == "stored")
        }
    }

    @Test func tenantThatRequiresAKeyAcceptsAnyWellFormedKey() async throws {
        let text = RunningStub.acme.replacing("explain: public", with: "clientKey: required")
        try await RunningStub.run(tenants: ["acme.yaml": text]) { stub in
            let body = #"{"url": "acme:/item/7"}"#
            #expect(try await stub.send(.POST, "/resolve", body: body).status == 401)
            let wrong = [("Authorization", "Bearer wrong")]
            #expect(try await stub.send(.POST, "/resolve", headers: wrong, body: body).status == 401)
            let key = [("Authorization", "Bearer \(try Self.key)")]
            #expect(try await stub.send(.POST, "/resolve", headers: key, body: body).status == 200)
        }
    }

    @Test func everyNamedEnvironmentHasTheTable() async throws {
        try await RunningStub.run { stub in
            let key = [("Authorization", "Bearer \(try Self.key)")]
            let message = #"{"url": "acme:/item/7", "environment": "staging"}"#
            let answer = try await stub.send(.POST, "/resolve", headers: key, body: message).json
            #expect(answer["outcome"]?.text == "matched" && answer["environment"]?.text == "staging")
            #expect(answer["revision"]?.int == 2)
        }
    }

    @Test func requestsOfOtherHostsAreLeftToTheStubs() async throws {
        let mapping = #"{"request": {"urlPath": "/item/7"}, "response": {"body": "backend"}}"#
        try await RunningStub.run(mappings: ["item.json": mapping]) { stub in
            let answer = try await stub.get("/item/7")
            // The website's pages are not answered by the service either.
            let website = try await stub.get("/item/7", host: "www.acme.test")
            #expect(answer.text == "backend" && website.text == "backend")
        }
    }

    @Test func stubThatNamesAURLComesBeforeTheEndpoint() async throws {
        let mappings = [
            "resolve.json": #"{"request": {"urlPath": "/resolve"}, "response": {"status": 503}}"#,
            "any.json": #"{"request": {}, "response": {"status": 418}}"#,
        ]
        try await RunningStub.run(mappings: mappings) { stub in
            let resolved = try await stub.send(.POST, "/resolve", body: "{}")
            #expect(resolved.status == 503)
            // A stub for everything does not hide the endpoints.
            #expect(try await stub.get("/item/7", host: "go.acme.test").status == 302)
            #expect(try await stub.get("/other").status == 418)
        }
    }

    @Test func pageListsTheLinksOfTheSuites() async throws {
        let suite = """
            formatVersion: 1
            suite: "a<b"
            tenant: acme
            cases:
              - {link: "acme:/item/7?a=1&b=2", expect: {route: item}}
              - {link: "https://go.acme.test/item/8", expect: {screen: Item}}
            """
        try await RunningStub.run(suites: ["acme.suite.yaml": suite]) { stub in
            let page = try await stub.get("/__links")
            #expect(page["Content-Type"] == "text/html; charset=utf-8" && page.text.contains("<h2>a&lt;b</h2>"))
            #expect(page.text.contains(#"<a href="acme:/item/7?a=1&amp;b=2">Link 1</a><br>"#))
            #expect(page.text.contains(#"<a href="__links/go.acme.test/item/8">Click 2</a>"#))
            let list = try await stub.get("/__links/?format=json").json["links"]?.elements
            #expect(list?.last?["click"]?.text == "../__links/go.acme.test/item/8")
            #expect(list?.map { $0["link"]?.text } == ["acme:/item/7?a=1&b=2", "https://go.acme.test/item/8"])
            #expect(try await stub.send(.POST, "/__links", body: "x").status == 405)
        }
    }
}
