import LinkRouting
import NIOHTTP1
import Testing

/// Sessions of the stub server do not see each other's links, and each has its own facts.
@Suite(.timeLimit(.minutes(15)))
struct SessionTests {
    private static let offer = #"{"url": "acme:/offer", "context": {"traits": {"tier": "silver", "a": "b"}}}"#

    @Test(arguments: [
        ("{}", "offer"),
        (#"{"links": {"context": {"traits": {"tier": "gold"}}}}"#, "vip"),
        (#"{"links": {"context": {"country": "DE"}}}"#, "german"),
        (#"{"links": {"clock": "2027-02-01T00:00:00Z"}}"#, "later"),
    ])
    func factsOfASessionDecide(session: String, route: String) async throws {
        try await RunningStub.run { stub in
            let id = try await stub.addSession(session)
            #expect(try await stub.resolve(Self.offer, session: id)["route"]?["id"]?.text == route)
            #expect(try await stub.resolve(Self.offer)["route"]?["id"]?.text == "offer")
        }
    }

    @Test func factsOfAClickAreTimeAndCountry() async throws {
        try await RunningStub.run { stub in
            let id = try await stub.addSession(#"{"links": {"context": {"country": "DE"}}}"#)
            let click = try await stub.get("/__session/\(id)/__links/acme/offer")
            #expect(click["Location"] == "https://www.acme.test/de")
            let header = try await stub.get("/offer", host: "go.acme.test", headers: [("Fingerpost-Session", id)])
            #expect(header["Location"] == "https://www.acme.test/de")
            #expect(try await stub.get("/__links/acme/offer")["Location"] == "https://www.acme.test/offer")
        }
    }

    @Test func factsAreReplacedDuringATest() async throws {
        try await RunningStub.run { stub in
            let id = try await stub.addSession()
            let facts = #"{"clock": "2027-02-01T00:00:00Z", "context": {"installed": true}}"#
            let answer = try await stub.send(.PUT, "/__session/\(id)/__admin/links", body: facts)
            #expect(answer.status == 200 && answer.json["clock"]?.text == "2027-02-01T00:00:00.000Z")
            #expect(try await stub.resolve(Self.offer, session: id)["route"]?["id"]?.text == "later")
            #expect(try await stub.get("/__session/\(id)/__admin/links").json["context"]?["installed"]?.bool == true)
            #expect(try await stub.get("/__admin/links").json.members?.isEmpty == true)
        }
    }

    @Test(arguments: [
        (#"{"links": {"clock": "tomorrow"}}"#, "/links/clock"),
        (#"{"links": {"country": "DE"}}"#, "/links/country"),
        (#"{"links": {"context": {"installed": "yes"}}}"#, "/links/context"),
        (#"{"links": {"context": {"colour": "red"}}}"#, "/links/context"),
        (#"{"links": {"context": {"now": "2026-01-01T00:00:00Z"}}}"#, "/links/context/now"),
        (#"{"links": {"context": 7}}"#, "/links/context"),
    ])
    func wrongFactsAreRefused(document: String, pointer: String) async throws {
        try await RunningStub.run { stub in
            let answer = try await stub.send(.POST, "/__admin/sessions", body: document)
            #expect(answer.status == 422)
            #expect(answer.json["errors"]?.elements?.first?["source"]?["pointer"]?.text == pointer)
        }
    }

    @Test func bodyThatIsNoMessageGetsTheErrorOfTheEndpoint() async throws {
        try await RunningStub.run { stub in
            let id = try await stub.addSession(#"{"links": {"context": {"country": "DE"}}}"#)
            for body in ["{", "[]", #"{"url": "acme:/offer", "context": 7}"#] {
                let answer = try await stub.send(.POST, "/__session/\(id)/resolve", body: body)
                let same = try await stub.send(.POST, "/resolve", body: body)
                #expect(answer.status == 400 && answer.json["detail"] == same.json["detail"])
            }
        }
    }

    @Test func sixteenSessionsDoNotSeeEachOther() async throws {
        try await RunningStub.run { stub in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        let id = try await stub.addSession(
                            #"{"id": "s\#(number)", "strict": true, "links": {"context": {"traits": {"tier": "\#(number % 2 == 0 ? "gold" : "none")"}}}}"#
                        )
                        for _ in 0..<5 {
                            let answer = try await stub.resolve(Self.offer, session: id)
                            #expect(answer["route"]?["id"]?.text == (number % 2 == 0 ? "vip" : "offer"))
                        }
                        if number == 3 { _ = try await stub.resolve(#"{"url": "acme:/x"}"#, session: id) }
                        let report = try await stub.send(.POST, "/__session/\(id)/_fp/events", body: Self.report)
                        #expect(report.json["results"]?.elements?.first?["status"]?.text == "stored")
                        let own = try await stub.get("/__session/\(id)/__admin/report").json["sessions"]?.elements?
                            .first
                        #expect(own?["unmatchedLinkCount"]?.int == (number == 3 ? 1 : 0))
                        #expect(own?["links"]?.elements?.first?["count"]?.int == 5)
                    }
                }
                try await group.waitForAll()
            }
            let main = try await stub.get("/__admin/report").json["sessions"]?.elements?.first
            #expect(main?["session"]?.text == "stub" && main?["links"]?.elements?.isEmpty == true)
        }
    }

    private static let report = """
        {"tenant": "acme", "app": "ios", "install": "i", "engineVersion": "1.0", "events": [
          {"clientEventId": "a", "occurredAt": "2026-11-21T09:59:00Z", "url": "acme:/item/7", "result": "shown",
           "context": {}, "revision": 1, "settingsRevision": 1, "outcome": "matched", "action": "open_app",
           "route": "item"}]}
        """

    @Test func seedAndClockFixIdsAndTimes() async throws {
        let first = try await RunningStub.run { try await $0.resolve(#"{"url": "acme:/item/7"}"#) }
        let second = try await RunningStub.run { try await $0.resolve(#"{"url": "acme:/item/7"}"#) }
        #expect(first["id"]?.text != nil && first == second)
    }
}
