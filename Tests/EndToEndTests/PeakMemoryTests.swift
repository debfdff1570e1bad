import Foundation
import LinkRouting
import Synchronization
import Testing

/// The largest bodies that are admitted, ten at a time, of shapes that are small to send and large to hold.
///
/// A debug build reads so slowly that this takes half an hour there; `PEAK_MEMORY=1` runs it.
@Suite(
    .serialized,
    .timeLimit(.minutes(60)),
    .enabled(
        if: ProcessInfo.processInfo.environment["PEAK_MEMORY"] != nil,
        "takes half an hour in a debug build: set PEAK_MEMORY=1"
    )
)
struct PeakMemoryTests {
    private static let mebibyte = 1 << 20
    /// What `limits.tableBytes` is by default.
    private static let largest = 32 * mebibyte

    private struct Shape: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let method: String
        let path: String
        let type: String
        let body: @Sendable () -> String
    }

    private static func list(_ value: String, _ count: Int) -> String {
        String(repeating: value + ",", count: count - 1) + value
    }

    private static let shapes = [
        Shape(testDescription: "zeros", method: "POST", path: "draft/check", type: "application/json") {
            #"{"routes":[\#(list("0", largest / 2 - 10))]}"#
        },
        Shape(testDescription: "lists of one", method: "POST", path: "draft/plan", type: "application/json") {
            #"{"routes":[\#(list("[0]", 990_000))]}"#
        },
        Shape(testDescription: "a long text", method: "PUT", path: "draft", type: "application/json") {
            let note = String(repeating: "x", count: largest - 1_000)
            return #"{"routes":[{"id":"a","path":"/a","open":{"screen":"A"},"note":"\#(note)"}]}"#
        },
        Shape(testDescription: "YAML", method: "POST", path: "draft/check", type: "application/yaml") {
            "routes: [\(list("0", 140_000))]"
        },
    ]

    @Test(arguments: shapes) private func largestBodiesTakeBoundedMemoryAndGiveItBack(_ shape: Shape) async throws {
        try await withTemporaryDirectory { path in
            let server = try RunningServer(directory: path + "/data", log: "critical")
            defer {
                server.send(SIGTERM)
                _ = server.wait()
            }
            let (key, body) = (try #require(server.key), shape.body())
            let before = try Self.memory(of: server, "VmRSS")
            let statuses = Mutex<[Int]>([])
            await onThreads(10) { _ in
                let answer = try? HTTPConnection(port: server.adminPort, seconds: 900).request(
                    shape.method,
                    "/admin/v1/tenants/shop/\(shape.path)",
                    headers: ["Authorization": "Bearer \(key)", "Content-Type": shape.type],
                    body: body
                )
                // Whoever waits for longer than a body may take is cut off.
                statuses.withLock { $0.append(answer?.status ?? 408) }
            }
            #expect(
                statuses.withLock { $0.allSatisfy { [200, 400, 408, 422, 429, 503].contains($0) } },
                "\(statuses.withLock(\.self))"
            )
            let peak = try Self.memory(of: server, "VmHWM")
            #expect(peak - before <= 256 * Self.mebibyte, "\((peak - before) / Self.mebibyte) MiB")
            // The suite's time limit ends a wait for what is never given back.
            while try Self.memory(of: server, "VmRSS") - before > 64 * Self.mebibyte { try server.ops("/livez") }
        }
    }

    /// In bytes, as Linux tells it.
    private static func memory(of server: RunningServer, _ name: String) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(server.holder)/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
        return try #require(kibibytes) * 1_024
    }
}
