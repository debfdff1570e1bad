import Foundation
import LinkRouting
import Synchronization
import TestSupport
import Testing

/// With a slow disk the queue is bounded, further requests get 503 with Retry-After, and the service recovers.
@Suite(.serialized, .timeLimit(FaultSeeds.timeLimit), .enabled(if: Tracer.isHere, Tracer.skipped))
struct FaultBackpressureTests {
    struct Burst: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let clients: Int
        /// The length of the variable part of each link. An event holds it twice, in its path and in its parameters.
        let length: Int
        /// How many requests of 100 links may wait; all others are refused.
        let waiting: ClosedRange<Int>
    }

    static let bursts = [
        Burst(testDescription: "8,192 events", clients: 110, length: 8, waiting: 81...81),
        Burst(testDescription: "16 MiB", clients: 50, length: 2_400, waiting: 25...34),
    ]

    @Test(arguments: bursts)
    func slowDiskBoundsWhatWaitsAndPasses(_ burst: Burst) async throws {
        try await withFaultTrial { trial in
            let server = try trial.start()
            defer { server.killNow() }
            let started = try resident(server)
            await send(burst, to: server, trial, "before", clients: burst.clients) { _ in }
            let before = try resident(server)
            let calls = trial.folder + "/calls"
            // Longer than the test runs on any machine: waiting requests stay queued until the tracer detaches.
            let tracer = try Tracer.Attached(server.holder, "fdatasync", "delay_enter=900000000", log: calls)
            let stored = Mutex(0)
            let refused = Mutex(0)
            async let slow: Void = send(burst, to: server, trial, "slow", clients: burst.clients) { response in
                guard response.status != 200 else { return stored.withLock { $0 += 1 } }
                Self.expectRefusal(response)
                refused.withLock { $0 += 1 }
            }
            try await eventually("the queue is full") {
                refused.withLock(\.self) >= burst.clients - burst.waiting.upperBound
            }
            // Nothing has reached the disk, so further requests are refused at once.
            #expect(stored.withLock(\.self) == 0)
            let full = try resident(server)
            for round in 1...6 {
                await send(burst, to: server, trial, "full-\(round)", clients: 8, Self.expectRefusal)
            }
            let hammered = try resident(server)
            tracer.detach()
            await slow
            #expect(burst.waiting.contains(stored.withLock(\.self)), "\(stored.withLock(\.self))")
            #expect(stored.withLock(\.self) + refused.withLock(\.self) == burst.clients)
            // At most 16 MiB of events may wait. With their bodies, links and answers, and with what the first burst left
            // to the allocator, the process grows by up to 125 MiB. Refused requests do not add to that.
            #expect(full < started + 160 << 10)
            #expect(hammered < full + 16 << 10)
            let memory = [started, before, full, hammered].map { "\($0 >> 10)" }.joined(separator: ", ")
            print(
                "slow disk, \(burst): \(stored.withLock(\.self)) waited; resident MiB at start, before, full, after 48 more: \(memory)"
            )
            // The disk is fast again: all requests are answered.
            await send(burst, to: server, trial, "after", clients: 4) { #expect($0.status == 200) }
            try trial.verify(server)
        }
    }

    @Test func terminationAnswersRequestsThatWaitForTheDisk() async throws {
        try await withFaultTrial { trial in
            let server = try trial.start()
            defer { server.killNow() }
            let tracer = try Tracer.Attached(
                server.holder,
                "fdatasync",
                "delay_enter=900000000",
                log: trial.folder + "/calls"
            )
            let answers = Mutex<[HTTPConnection.Response]>([])
            async let requests: Void = onThreads(64) { client in
                let id = "termination-\(client)"
                trial.history.attempt(id, links: 1)
                guard
                    let response = try? HTTPConnection(port: server.publicPort, seconds: 900).request(
                        "POST",
                        "/resolve",
                        headers: ["X-Request-ID": id],
                        body: #"{"url":"yourapp://user/anna"}"#
                    )
                else { return }
                if response.status == 200, let event = try? response.json()["id"]?.text {
                    trial.history.acknowledge(id, events: [event])
                }
                answers.withLock { $0.append(response) }
            }
            try await eventually("64 requests wait") {
                try server.ops("/metrics").text.contains(#"fingerpost_http_inflight_requests{port="public"} 64"#)
            }
            server.send(SIGTERM)
            try await eventually("it stops") { try server.ops("/readyz").status == 503 }
            let early = answers.withLock(\.self)
            #expect(early.isEmpty)
            tracer.detach()
            await requests
            let all = answers.withLock(\.self)
            #expect(all.count { $0.status == 200 } == 64)
            // `Connection: close` makes clients open a new connection, to another server, for their next request.
            #expect(all.allSatisfy { $0.header("Connection") == "close" })
            let end = server.wait()
            #expect(end.reason == .exit && end.status == 0)
            let restarted = try trial.start()
            defer { restarted.killNow() }
            try trial.verify(restarted)
        }
    }

    private static func expectRefusal(_ response: HTTPConnection.Response) {
        #expect(response.status == 503)
        #expect(response.header("Retry-After") == "1")
        #expect(response.text.contains(#""code":"log_unavailable""#))
    }

    /// Each client sends one request of 100 links concurrently.
    private func send(
        _ burst: Burst,
        to server: RunningServer,
        _ trial: FaultTrial,
        _ name: String,
        clients: Int,
        _ judge: @escaping @Sendable (HTTPConnection.Response) -> Void
    ) async {
        let link = "\"yourapp://user/\(String(repeating: "a", count: burst.length))\""
        let body = #"{"links":[\#(Array(repeating: link, count: 100).joined(separator: ","))]}"#
        await onThreads(clients) { client in
            let id = "\(name)-\(client)"
            trial.history.attempt(id, links: 100)
            do {
                let response = try HTTPConnection(port: server.publicPort, seconds: 900).request(
                    "POST",
                    "/resolve",
                    headers: ["X-Request-ID": id],
                    body: body
                )
                if response.status == 200 {
                    let results = try response.json()["results"]?.elements ?? []
                    trial.history.acknowledge(id, events: results.compactMap { $0["id"]?.text })
                } else {
                    trial.history.refuse(id, status: response.status)
                }
                judge(response)
            } catch {
                Issue.record("\(id): \(error)")
            }
        }
    }

    /// Resident memory of the process in KiB.
    private func resident(_ server: RunningServer) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(server.holder)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        return try #require(line.split(separator: " ").dropLast().last.flatMap { Int($0) })
    }
}
