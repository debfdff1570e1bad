import LinkClient
import LinkRouting
import Synchronization

/// A server in memory: it answers requests by a function, and remembers them.
final class StubServer: LinkTransport {
    struct Unreachable: Error {}

    private struct State: Sendable {
        var requests: [LinkRequest] = []
        var answer: @Sendable (LinkRequest) throws -> LinkResponse
    }

    private let state: Mutex<State>

    init(_ answer: @escaping @Sendable (LinkRequest) throws -> LinkResponse = { _ in throw Unreachable() }) {
        state = Mutex(State(answer: answer))
    }

    func send(_ request: LinkRequest) async throws -> LinkResponse {
        let answer = state.withLock { state in
            state.requests.append(request)
            return state.answer
        }
        return try answer(request)
    }

    func answers(_ answer: @escaping @Sendable (LinkRequest) throws -> LinkResponse) {
        state.withLock { $0.answer = answer }
    }

    var requests: [LinkRequest] { state.withLock { $0.requests } }
}

/// The endpoint of reports: it stores each id of an install once, as the real one does.
final class EventLog: Sendable {
    private let stored = Mutex<[String: Int]>([:])

    /// Answers a batch. Ids for which `refuses` is true are rejected.
    func answer(_ request: LinkRequest, refuses: (String) -> Bool = { _ in false }) throws -> LinkResponse {
        let limits = JSONReader.Limits(maximumBytes: 256 << 10)
        let node = try JSONReader.parse(request.body, limits: limits)
        let install = node["install"]?.text ?? ""
        var results: [String] = []
        for event in node["events"]?.elements ?? [] {
            let id = event["clientEventId"]?.text ?? ""
            guard !refuses(id) else {
                results.append(#"{"clientEventId": "\#(id)", "status": "rejected", "detail": "no"}"#)
                continue
            }
            let isNew = stored.withLock { stored in
                stored["\(install) \(id)", default: 0] += stored["\(install) \(id)"] == nil ? 1 : 0
                return stored["\(install) \(id)"] == 1 && !results.contains { $0.contains(id) }
            }
            results.append(#"{"clientEventId": "\#(id)", "status": "\#(isNew ? "stored" : "duplicate")"}"#)
        }
        return LinkResponse(status: 200, body: Array(#"{"results": [\#(results.joined(separator: ","))]}"#.utf8))
    }

    /// The stored ids, without installs.
    var ids: [String] {
        stored.withLock { stored in stored.keys.map { String($0.split(separator: " ")[1]) } }.sorted()
    }
}
