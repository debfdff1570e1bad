import Foundation
import Synchronization

/// The requests that clients sent and the answers they got, by request id.
///
/// A line is written before its request is sent, or before anything acts on its answer, so the file of a failing
/// history is complete: `attempted ID LINKS`, `acknowledged ID EVENT…`, `refused ID STATUS`, `late ID EVENT…`,
/// `created CODE`, `clicked ID`.
final class RequestHistory: Sendable {
    let path: String
    private let descriptor: Int32
    private let state = Mutex(State())

    private struct State {
        var attempted: [String: Int] = [:]
        var acknowledged: [String: [String]] = [:]
        var refused: [String: Int] = [:]
        var created: [String] = []
        var clicked: [String] = []
        var isSealed = false
    }

    init(path: String) throws {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    deinit { close(descriptor) }

    func attempt(_ request: String, links: Int = 1) {
        state.withLock { state in
            append("attempted \(request) \(links)")
            state.attempted[request] = links
        }
    }

    /// Returns the number of acknowledged requests so far.
    @discardableResult
    func acknowledge(_ request: String, events: [String]) -> Int {
        state.withLock { state in
            let what = state.isSealed ? "late" : "acknowledged"
            append("\(what) \(request) \(events.joined(separator: " "))")
            if !state.isSealed { state.acknowledged[request] = events }
            return state.acknowledged.count
        }
    }

    /// Ignores further answers, because a machine without power gives none.
    func seal() { state.withLock { $0.isSealed = true } }

    func refuse(_ request: String, status: Int) {
        state.withLock { state in
            append("refused \(request) \(status)")
            state.refused[request] = status
        }
    }

    /// Notes that a short link was created.
    func create(_ code: String) {
        state.withLock { state in
            append("created \(code)")
            if !state.isSealed { state.created.append(code) }
        }
    }

    /// Notes that the click of a short link was answered. Its code is the request's id.
    func click(_ request: String) {
        state.withLock { state in
            append("clicked \(request)")
            if !state.isSealed { state.clicked.append(request) }
        }
    }

    /// The number of links in each request.
    var attempted: [String: Int] { state.withLock(\.attempted) }
    /// The events of each request that was answered with 200.
    var acknowledged: [String: [String]] { state.withLock(\.acknowledged) }
    var acknowledgedCount: Int { state.withLock(\.acknowledged.count) }
    /// The status of each request that was answered with another status.
    var refused: [String: Int] { state.withLock(\.refused) }

    var created: [String] { state.withLock(\.created) }
    var clicked: [String] { state.withLock(\.clicked) }

    private func append(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        let written = write(descriptor, bytes, bytes.count)
        precondition(written == bytes.count, "the history cannot be written, so nothing could be proved with it")
    }
}
