import Foundation
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import StubMatching
import TestSupport
import Testing

@testable import StubLinks

/// What the clients of a stub server can make it keep.
@Suite(.timeLimit(.minutes(15)))
struct BoundTests {
    @Test func oldReportsAreForgotten() async throws {
        let numbers = ReportNumbers()
        var stored = 0
        for start in stride(from: 0, to: 100_100, by: 100) {
            let appended = try await numbers.append((start..<start + 100).map { Self.event($0) })
            stored += 100 - appended.duplicates.count
        }
        #expect(stored == 100_100)
        #expect(try await numbers.append([Self.event(100_099)]).duplicates == [0])
        #expect(try await numbers.append([Self.event(0)]).duplicates == [])
        // Another session has its own reports.
        #expect(try await numbers.append([Self.event(100_099, node: "b")]).duplicates == [])
        #expect(try await numbers.lastSequence() == 100_102)
    }

    private static func event(_ number: Int, node: String = "a") -> Event {
        let fields = Event.Fields(
            id: "x",
            recordedAt: RunningStub.now,
            tenant: tenant("acme"),
            environment: .production,
            outcome: .matched,
            linkLength: 1,
            source: "app",
            node: node,
            requestID: "-",
            method: "POST"
        )
        return Event(
            fields,
            reportHash: Event.reportHash(tenant: tenant("acme"), install: "i", clientEventID: "\(number)")
        )
    }

    @Test func aReportListsOnlySoManyLinks() async throws {
        try await RunningStub.run { stub in
            for start in stride(from: 0, to: 1_100, by: 100) {
                let links = (start..<start + 100).map { #""acme:/x/\#($0)""# }.joined(separator: ",")
                _ = try await stub.resolve(#"{"links": [\#(links)]}"#)
            }
            let report = try await stub.get("/__admin/report").json["sessions"]?.elements?.first
            #expect(report?["links"]?.elements?.count == 1_000 && report?["unmatchedLinkCount"]?.int == 1_100)
            // The explanations of a large message are left out.
            let event = try #require(try await stub.get("/__admin/requests?limit=1").json["requests"]?.elements?.first)
            #expect(event["links"]?.elements?.count == 100)
            #expect(event["links"]?.elements?.first?["explanation"] == nil)
        }
    }

    @Test func numberOfKeysIsBounded() throws {
        let keys = SessionKeys(now: { RunningStub.now })
        let tokens = (0..<101).compactMap { number in
            APIKey(environment: .production, random: Data(repeating: UInt8(number), count: APIKey.randomBytes))?.token
        }
        for token in tokens { keys.accept("Bearer \(token)") }
        let accepted = tokens.filter { keys.authenticator.validGrant("Bearer \($0)") != nil }
        #expect(tokens.count == 101 && accepted == Array(tokens.prefix(100)))
    }

    @Test(arguments: [
        ("/__links", LinkPath.page(query: "", base: "")),
        ("/__links?format=json", .page(query: "format=json", base: "")),
        ("/__links/", .page(query: "", base: "../")),
        ("/__links/go.acme.test", .host("go.acme.test", target: "/")),
        ("/__links/go.acme.test/", .host("go.acme.test", target: "/")),
        ("/__links/go.acme.test?a=b", .host("go.acme.test", target: "/?a=b")),
        ("/__links/go.acme.test/a/b?c=/d", .host("go.acme.test", target: "/a/b?c=/d")),
        ("/__linksome", nil),
        ("/a/__links", nil),
    ])
    func pathBelowLinksIsRead(target: String, path: LinkPath?) {
        #expect(LinkPath(target) == path)
    }

    @Test func factsAreMergedIntoAMessage() throws {
        let text = #"{"context": {"country": "DE", "traits": {"tier": "gold"}}}"#
        let node = try JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: 1_000))
        let facts = try LinkFacts(MappingField(node))
        let message = #"{"url":"a:/b","context":{"platform":"ios","country":"FR","traits":{"tier":"none","x":"y"}}}"#
        let merged = facts.applied(to: Array(message.utf8), maximumBytes: 1_000)
        #expect(
            String(decoding: merged, as: UTF8.self)
                == #"{"url":"a:/b","context":{"platform":"ios","country":"DE","traits":{"x":"y","tier":"gold"}}}"#
        )
        for same in ["{", "[]", "", #"{"context":7}"#, String(repeating: " ", count: 1_001)] {
            #expect(facts.applied(to: Array(same.utf8), maximumBytes: 1_000) == Array(same.utf8))
        }
    }
}
