import Foundation
import LinkRouting
import StubServer
import Synchronization
import TestSupport
import Testing

/// Sessions over real connections: what one session does is invisible in all others.
struct SessionTests {
    private static let main = JSONNode.object([
        "request": .object(["urlPath": .string("/main")]), "response": .object(["body": .string("main")]),
    ])

    /// Errors of threads.
    private final class Failures: Sendable {
        private let errors = Mutex<[String]>([])

        var all: [String] { errors.withLock { $0 } }

        func collect(_ body: () throws -> Void) {
            do { try body() } catch { errors.withLock { $0.append("\(error)") } }
        }
    }

    /// All sessions have the same paths and the same scenario, and different answers.
    @Test func sixteenParallelSessionsNeverSeeEachOther() async throws {
        try await withStubServer { port in
            let client = try StubClient(port: port)
            try client.admin("POST", "mappings", Self.main)
            let failures = Failures()
            await onThreads(16) { number in
                failures.collect {
                    var generator = SeededGenerator(seed: UInt64(number))
                    let client = try StubClient(port: port)
                    var history = SessionHistory("session-\(number)")
                    try history.create(client, &generator)
                    for _ in 0..<60 { try history.step(client, &generator) }
                }
            }
            #expect(failures.all == [])
            #expect(try client.admin("GET", "mappings")["meta"]?["total"]?.int == 1)
            #expect(try client.admin("GET", "requests")["meta"]?["total"]?.int == 0)
            #expect(try client.admin("GET", "scenarios")["scenarios"]?.elements?.count == 0)
            #expect(try client.admin("GET", "sessions")["sessions"]?.elements?.count == 16)
        }
    }

    /// Each of four clients has up to eight sessions at a time on one connection. `STUB_SESSIONS=10000` makes the run
    /// long and measures the memory; `./dev check --full StubSessions` sets it.
    @Test func randomSessionsAnswerAsTheirModelsSay() async throws {
        let requested = ProcessInfo.processInfo.environment["STUB_SESSIONS"].flatMap { Int($0) }
        let count = requested ?? 240
        try await withStubServer { port in
            let client = try StubClient(port: port)
            try client.admin("POST", "mappings", Self.main)
            await Self.runSessions(0..<(count / 5), port: port)
            let before = Self.residentBytes
            await Self.runSessions((count / 5)..<count, port: port)
            if requested != nil {
                let growth = Self.residentBytes - before
                print("\(count) sessions; the last four fifths took \(growth / 1_024) KiB of memory")
                #expect(growth < 32 << 20, "the memory grew by \(growth) bytes")
            }
            #expect(try client.admin("GET", "sessions")["sessions"]?.elements?.count == 0)
            #expect(try client.admin("GET", "mappings")["meta"]?["total"]?.int == 1)
            #expect(try client.admin("GET", "requests")["meta"]?["total"]?.int == 0)
            #expect(try client.admin("GET", "report")["sessions"]?.elements?.count == 1)
        }
    }

    private static func runSessions(_ numbers: Range<Int>, port: UInt16) async {
        let failures = Failures()
        await onThreads(4) { thread in
            failures.collect {
                var generator = SeededGenerator(seed: UInt64(numbers.lowerBound * 4 + thread))
                let client = try StubClient(port: port)
                var open: [SessionHistory] = []
                for number in numbers where number % 4 == thread {
                    var history = SessionHistory("s\(number)")
                    try history.create(client, &generator)
                    open.append(history)
                    for _ in 0..<8 {
                        let index = Int.random(in: open.indices, using: &generator)
                        try open[index].step(client, &generator)
                    }
                    if open.count == 8 {
                        try open.remove(at: Int.random(in: open.indices, using: &generator)).delete(client)
                    }
                }
                for history in open { try history.delete(client) }
            }
        }
        #expect(failures.all == [])
    }

    private static var residentBytes: Int {
        let statm = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = statm.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(getpagesize())
    }

    @Test func aServerHasABoundedNumberOfSessions() async throws {
        try await withStubServer {
            $0.limits.sessions = 3
        } _: { port in
            let client = try StubClient(port: port)
            for number in 1...3 { try client.admin("POST", "sessions", .object(["id": .string("s\(number)")])) }
            let refused = try client.request("POST", "/__admin/sessions", body: #"{"id":"s4"}"#)
            #expect(refused.status == 409)
            #expect(refused.text.contains("there are 3 sessions; delete some"))
            let taken = try client.request("POST", "/__admin/sessions", body: #"{"id":"s3"}"#)
            #expect(taken.status == 409)
            try client.admin("DELETE", "sessions/s2")
            try client.admin("POST", "sessions", .object(["id": .string("s4")]))
        }
    }

    @Test(arguments: StubClient.Selection.allCases)
    func unknownSessionIsNamed(selection: StubClient.Selection) async throws {
        try await withStubServer { port in
            let client = try StubClient(port: port)
            try client.admin("POST", "mappings", Self.main)
            let answer = try client.request("GET", "/main", session: "gone", by: selection)
            #expect(answer.status == 404)
            #expect(answer.text == "There is no session 'gone'. Create one with POST /__admin/sessions.\n")
        }
    }
}
