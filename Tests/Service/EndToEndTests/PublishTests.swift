import Foundation
import LinkRouting
import Synchronization
import TestSupport
import Testing

/// A publication is atomic, both for concurrent requests and for a process that is killed during it.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct PublishTests {
    /// Every route names its generation.
    private static func table(_ generation: Int, routes: Int) -> String {
        let routes = (0..<routes).map { #"{"id":"r\#($0)","path":"/r/\#($0)","open":{"screen":"G\#(generation)"}}"# }
        return
            #"{"defaults":{"fallback":{"web":"https://www.gen.test/"}},"routes":[\#(routes.joined(separator: ","))]}"#
    }

    private static let settings =
        #"{"domains":["go.gen.test",{"host":"www.gen.test","serves":"association"}],"schemes":["gen"]}"#

    /// An editor of the tenant `gen`.
    private struct Editor {
        let server: RunningServer
        let key: String

        func send(_ method: String, _ path: String, _ body: String = "") throws -> HTTPConnection.Response {
            try HTTPConnection(port: server.adminPort).request(
                method,
                "/admin/v1/tenants/gen/\(path)",
                headers: ["Authorization": "Bearer \(key)"],
                body: body
            )
        }

        /// Returns the new revision's number.
        func publish(_ generation: Int, routes: Int) throws -> Int64? {
            let written = try send("PUT", "draft", PublishTests.table(generation, routes: routes))
            guard written.status == 200 else { throw Refused(text: written.text) }
            let published = try send("POST", "draft/publish", #"{"message":"G\#(generation)"}"#)
            guard published.status == 201 else { throw Refused(text: published.text) }
            return try published.json()["revision"]?.int
        }
    }

    private struct Refused: Error { let text: String }

    /// The generations of the routes that answer one request's links.
    private static func generations(_ connection: HTTPConnection, routes: Range<Int>) throws -> (
        Set<String>, Set<Int64>
    ) {
        let links = routes.map { #""gen://r/\#($0)""# }.joined(separator: ",")
        let answer = try connection.request(
            "POST",
            "/resolve",
            body: #"{"links":[\#(links)],"context":{"platform":"ios"}}"#
        )
        let results = try answer.json()["results"]?.elements ?? []
        return (
            Set(results.compactMap { $0["destination"]?["screen"]?.text }),
            Set(results.compactMap { $0["revision"]?.int })
        )
    }

    @Test func requestsBesideAPublicationSeeOneRevisionWhole() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory)
            defer { server.killNow() }
            let editor = Editor(server: server, key: try #require(server.key))
            #expect(try editor.send("PUT", "settings", Self.settings).status == 201)
            _ = try editor.publish(0, routes: 200)
            let isDone = Mutex(false)
            let seen = Mutex<[Int64: String]>([:])
            let mixed = Mutex<[String]>([])
            await onThreads(65) { client in
                guard client > 0 else {
                    for generation in 1...8 {
                        do {
                            _ = try editor.publish(generation, routes: 200)
                        } catch {
                            mixed.withLock { $0.append("\(error)") }
                        }
                    }
                    isDone.withLock { $0 = true }
                    return
                }
                guard let connection = try? HTTPConnection(port: server.publicPort) else { return }
                var last = Int64(0)
                while !isDone.withLock(\.self) {
                    guard let (screens, revisions) = try? Self.generations(connection, routes: 0..<20),
                        let screen = screens.first, let revision = revisions.first
                    else { return mixed.withLock { $0.append("no answer") } }
                    let isWhole = screens.count == 1 && revisions.count == 1 && revision >= last
                    let known = seen.withLock { seen in
                        defer { seen[revision] = seen[revision] ?? screen }
                        return seen[revision] ?? screen
                    }
                    if !isWhole || known != screen {
                        mixed.withLock { $0.append("\(screens) \(revisions) after \(last)") }
                    }
                    last = revision
                }
            }
            #expect(mixed.withLock(\.self).isEmpty, "\(mixed.withLock(\.self).prefix(3))")
            #expect(seen.withLock(\.count) > 1)
        }
    }

    /// Kills the process at a random moment of a publication, repeatedly on one directory. `PUBLISH_KILLS=200` sets the
    /// number of rounds.
    @Test func killedPublicationIsThereOrNot() async throws {
        let rounds = ProcessInfo.processInfo.environment["PUBLISH_KILLS"].flatMap { Int($0) } ?? 12
        try await withTemporaryDirectory { directory in
            var server = try RunningServer(directory: directory)
            let key = try #require(server.key)
            #expect(try Editor(server: server, key: key).send("PUT", "settings", Self.settings).status == 201)
            _ = try Editor(server: server, key: key).publish(0, routes: 300)
            var (old, kept, lost) = (0, 0, 0)
            for round in 1...rounds {
                let editor = Editor(server: server, key: key)
                #expect(try editor.send("PUT", "draft", Self.table(round, routes: 300)).status == 200)
                // Sleeps for a random time to choose the moment of the kill; waits for no condition.
                let moment = Double.random(in: 0...0.12)
                let victim = server
                await onThreads(2) { thread in
                    if thread == 0 {
                        Thread.sleep(forTimeInterval: moment)
                        victim.send(SIGKILL)
                    } else {
                        _ = try? editor.send("POST", "draft/publish", #"{"message":"G\#(round)"}"#)
                    }
                }
                _ = victim.wait()
                server = try RunningServer(directory: directory)
                let (screens, revisions) = try Self.generations(
                    HTTPConnection(port: server.publicPort),
                    routes: 0..<100
                )
                let restarted = Editor(server: server, key: key)
                let draft = try restarted.send("GET", "drafts").json()["drafts"]?.elements ?? []
                let isNew = screens == ["G\(round)"]
                #expect(isNew || screens == ["G\(old)"], "\(screens) in round \(round)")
                #expect(revisions.count == 1)
                // The draft is gone if and only if it is published.
                #expect(draft.isEmpty == isNew, "round \(round)")
                let newest = try restarted.send("GET", "revisions?limit=1").json()["revisions"]?.elements?.first
                #expect(newest?["revision"]?.int == revisions.first)
                #expect(newest?["message"]?.text == "G\(isNew ? round : old)")
                if isNew { (old, kept) = (round, kept + 1) } else { lost += 1 }
                if !isNew { #expect(try restarted.send("DELETE", "draft").status == 204) }
            }
            let verdict = try HTTPConnection(port: server.adminPort).request(
                "POST",
                "/admin/v1/audit/verify",
                headers: ["Authorization": "Bearer \(key)"]
            )
            #expect(try verdict.json()["intact"]?.bool == true)
            print("killed \(rounds) publications: \(kept) were there afterwards, \(lost) were not")
            server.killNow()
        }
    }
}

extension HTTPConnection.Response {
    func json() throws -> JSONNode { try JSONReader.parse(body, limits: JSONReader.Limits(maximumBytes: 8 << 20)) }
}
