import Foundation
import HTTPTypes
import LinkEvents
import LinkRouting
import Networking
import TestSupport
import Testing

@testable import LinkServer

/// Rollouts and experiments of clicks: a visitor keeps an answer for a day, and nothing of that is recorded.
@Suite(.timeLimit(.minutes(15)))
struct ClickSplitTests {
    private static let acme = """
        formatVersion: 1
        tenant: acme
        settings:
          domains: [{host: go.acme.example}, {host: www.acme.example, serves: association}]
          privacy: {recordInstall: true}
        table:
          routes:
            - {id: half, path: /rollout, when: {rollout: 50}, web: "https://www.acme.example/half"}
            - {id: rest, path: /rollout, web: "https://www.acme.example/rest"}
            - id: test
              path: /test
              web: "https://www.acme.example/a"
              experiment: {id: e, variants: [{name: a}, {name: b, web: "https://www.acme.example/b"}]}
        """

    private func location(
        _ path: String,
        from address: String,
        _ agent: String,
        _ service: TestService
    ) async throws -> String? {
        let answer = try await service.publicPort(
            .get,
            path,
            host: "go.acme.example",
            headers: [.userAgent: agent],
            from: address
        )
        #expect(answer["Referrer-Policy"] == "strict-origin-when-cross-origin")
        return answer["Location"]
    }

    @Test(arguments: ["/rollout", "/test"])
    func visitorKeepsTheAnswer(_ path: String) async throws {
        try await withService { service in
            try await service.load(Self.acme)
            var pages: Set<String> = []
            for visitor in 1...30 {
                let address = "203.0.113.\(visitor)"
                let page = try await location(path, from: address, "browser", service)
                let again = try await location(path, from: address, "browser", service)
                #expect(page == again)
                pages.insert(page ?? "none")
            }
            #expect(pages.count == 2)
            var others: Set<String?> = []
            for agent in 1...30 {
                others.insert(try await location(path, from: "203.0.113.1", "browser \(agent)", service))
            }
            #expect(others.count == 2)
            let events = try await service.events(of: "acme")
            #expect(events.count == 90)
            #expect(events.allSatisfy { $0.install == nil && $0.variant != "unassigned" })
            let variants: Set<String?> = path == "/test" ? ["a", "b"] : [nil]
            #expect(Set(events.map(\.variant)) == variants)
        }
    }

    /// An app's own key is recorded as its install, as before.
    @Test func installOfAnAppIsRecorded() async throws {
        try await withService { service in
            try await service.load(Self.acme)
            let body = #"{"url": "https://go.acme.example/test", "context": {"stickyKey": "install"}}"#
            #expect(try await service.resolve(body).status == 200)
            let event = try #require(try await service.events(of: "acme").first)
            #expect(event.install != nil && event.variant != "unassigned")
        }
    }

    @Test func keyOfAVisitorChangesWithTheDay() throws {
        let keys = AddressKeys { size in Data((0..<size).map { _ in UInt8.random(in: 0...255) }) }
        let address = try #require(NetworkAddress("203.0.113.7"))
        let other = try #require(NetworkAddress("203.0.113.8"))
        let (day, next) = (instant("2026-11-21T23:59:59Z").day, instant("2026-11-22T00:00:00Z").day)
        let key = keys.stickyKey(of: address, "a", on: day)
        #expect(keys.stickyKey(of: address, "a", on: day) == key)
        #expect(key.utf8.count == 22)
        #expect(keys.stickyKey(of: address, "b", on: day) != key)
        #expect(keys.stickyKey(of: address, nil, on: day) != key)
        #expect(keys.stickyKey(of: other, "a", on: day) != key)
        #expect(keys.stickyKey(of: address, "a", on: next) != key)
    }
}
