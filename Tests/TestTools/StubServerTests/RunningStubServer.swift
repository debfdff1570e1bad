import Foundation
import LinkRouting
import StubServer
import TestSupport

/// A stub server on a free loopback port, which stops when `body` returns. `body` may block on sockets: it runs on threads
/// of its own, because the server's tasks need those of the pool.
func withStubServer<Value: Sendable>(
    _ change: (inout StubConfiguration) -> Void = { _ in },
    _ body: (_ port: UInt16) async throws -> Value
) async throws -> Value {
    var configuration = StubConfiguration()
    change(&configuration)
    let server = try await StubServer(configuration)
    do {
        let result = try await withTaskExecutorPreference(OwnThreads()) { try await body(UInt16(server.port)) }
        await server.stop()
        return result
    } catch {
        await server.stop()
        throw error
    }
}

/// Runs each job on a new thread.
private final class OwnThreads: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// A client of a stub server, or of one of its sessions.
final class StubClient {
    let connection: HTTPConnection

    init(port: UInt16) throws { connection = try HTTPConnection(port: port) }

    /// How a request names its session.
    enum Selection: CaseIterable {
        case prefix, header
    }

    func request(
        _ method: String,
        _ target: String,
        session: String? = nil,
        by selection: Selection = .prefix,
        headers: [String: String] = [:],
        body: String = ""
    ) throws -> HTTPConnection.Response {
        guard let session else { return try connection.request(method, target, headers: headers, body: body) }
        switch selection {
        case .prefix:
            return try connection.request(method, "/__session/\(session)\(target)", headers: headers, body: body)
        case .header:
            let headers = headers.merging(["Fingerpost-Session": session]) { $1 }
            return try connection.request(method, target, headers: headers, body: body)
        }
    }

    /// Calls the admin API and returns the answer as JSON; an empty answer is null.
    @discardableResult
    func admin(
        _ method: String,
        _ path: String,
        session: String? = nil,
        by selection: Selection = .prefix,
        _ document: JSONNode? = nil
    ) throws -> JSONNode {
        let answer = try request(
            method,
            "/__admin/\(path)",
            session: session,
            by: selection,
            body: document?.json() ?? ""
        )
        guard (200..<300).contains(answer.status) else {
            throw Refused(status: answer.status, text: answer.text)
        }
        return answer.body.isEmpty ? .null : try JSONReader.parse(answer.body, limits: .answers)
    }

    struct Refused: Error {
        let status: Int
        let text: String
    }
}

extension JSONReader.Limits {
    static let answers = JSONReader.Limits(maximumBytes: 64 << 20, maximumValues: 10_000_000)
}
