import LinkClient
import LinkRouting
import LinkTable
import Synchronization
import TestSupport
import Testing

/// Routes are decoded when a link first needs them.
struct LazyRouteTests {
    // MARK: Threads

    @Test func firstMatchesFromManyThreadsGiveEqualAnswers() async throws {
        let count = 200
        let routes = (0..<count).map { index in
            #"{"id": "r\#(index)", "path": "/r\#(index)/{id:int}", "query": {"q": "slug?"}, "#
                + #""when": {"appVersion": {"from": "1.\#(index)"}}, "open": {"screen": "s\#(index)", "#
                + #""arguments": {"id": "{id}", "q": "{q}"}}, "web": "https://go.acme.com/w/{id}"}"#
        }
        let bytes = try Sample.signed(routes: "[\(routes.joined(separator: ","))]")
        let links = (0..<count).map { "https://go.acme.com/r\($0)/\($0)?q=a" }
        let context = LinkContext(platform: .ios, appVersion: Version("2.0"))
        func client() async throws -> LinkClient {
            let test = try TestClient(bundled: bytes)
            await test.client.load()
            return test.client
        }
        let expected = try await client()
        let answers = links.map { expected.resolve($0, in: context) }
        #expect(answers.allSatisfy { $0.resolution?.outcome == .matched })
        let fresh = try await client()
        let differences = Mutex<[String]>([])
        await onThreads(8) { thread in
            for index in 0..<count {
                // Every other thread goes backwards, so that all of them meet at some routes first.
                let place = thread.isMultiple(of: 2) ? index : count - 1 - index
                guard fresh.resolve(links[place], in: context) != answers[place] else { continue }
                differences.withLock { $0.append(links[place]) }
            }
        }
        #expect(differences.withLock { $0 } == [])
    }

    // MARK: Routes that cannot be read

    /// The sample with a typo in one route, signed by a program that did not check it.
    private func signed() throws -> [UInt8] {
        try TableBytes.signed(replacing: #""signIn":"required""#, with: #""signIn":"maybe""#)
    }

    @Test func unreadableRouteIsUndecidedAndAProblem() async throws {
        let test = try TestClient(bundled: try signed())
        await test.client.load()
        #expect(test.client.state.problems == [], "nothing needs the route yet")
        guard case .undecided(.unreadableRoute(let route, let problem)) = test.client.resolve("acme:/account") else {
            Issue.record("the route decides")
            return
        }
        #expect(route == id("account"))
        #expect(problem.contains(#"table.routes[1].signIn: "maybe" is not one of: required, optional."#), "\(problem)")
        #expect(test.problem(.unreadableRoute)?.code == "unreadable")
        #expect(test.problem(.unreadableRoute)?.message.contains(problem) == true)
        #expect(test.client.resolve("acme:/product/1").resolution?.outcome == .matched)
    }

    @Test func newerTableEndsTheProblem() async throws {
        let newer = try Sample.signed(revision: 8)
        let server = StubServer { _ in LinkResponse(status: 200, body: newer) }
        let test = try TestClient(bundled: try signed(), server: server)
        await test.client.load()
        _ = test.client.resolve("acme:/account")
        #expect(test.problem(.unreadableRoute) != nil)
        await test.client.refresh()
        #expect(test.client.state.problems == [])
        #expect(test.client.resolve("acme:/account").resolution?.action == .signIn)
    }

    @Test func downloadWithAnUnreadableRouteLeavesTheLastTableInUse() async throws {
        let download = try signed()
        let bundled = try Sample.signed(revision: 6)
        let test = try TestClient(
            bundled: bundled,
            server: StubServer { _ in LinkResponse(status: 200, body: download) }
        )
        await test.client.refresh()
        #expect(test.problem(.downloadedTable)?.code == "unreadable")
        #expect(test.problem(.downloadedTable)?.message.contains("table.routes[1].signIn") == true)
        #expect(test.client.state.table?.revision.rawValue == 6)
        #expect(test.disk[TestClient.tablePath] == nil)
    }
}
