import LinkRouting
import StubMatching
import Synchronization

/// The sessions of a server. A request names its session by a path prefix or a header.
final class StubSessions: Sendable {
    static let prefix = "/__session/"
    static let header = "Fingerpost-Session"

    let main: StubSession
    /// Shared by the journals of the server and of all sessions.
    let journalBudget: JournalBudget
    private let limit: Int
    private let sessions: Mutex<[String: StubSession]> = Mutex([:])

    init(main: StubSession, limit: Int, journalBudget: JournalBudget) {
        self.journalBudget = journalBudget
        self.main = main
        self.limit = limit
    }

    enum Choice {
        /// The session, and the request's target without the prefix.
        case session(StubSession, target: String)
        case unknown(String)
    }

    func session(target: String, headers: [HeaderField]) -> Choice {
        if target.utf8.starts(with: Self.prefix.utf8) {
            let rest = target.utf8.dropFirst(Self.prefix.utf8.count)
            let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
            let id = String(Substring(rest[..<end]))
            guard let session = find(id) else { return .unknown(id) }
            let inner = String(Substring(rest[end...]))
            return .session(session, target: inner.hasPrefix("/") ? inner : "/" + inner)
        }
        guard let id = headers.first(where: { $0.has(name: Self.header) })?.value else {
            return .session(main, target: target)
        }
        guard let session = find(id) else { return .unknown(id) }
        return .session(session, target: target)
    }

    func find(_ id: String) -> StubSession? { sessions.withLock { $0[id] } }

    /// Adds a session. Returns false when its id is taken or there are too many.
    func add(_ session: StubSession, _ id: String) -> Bool {
        sessions.withLock { sessions in
            guard sessions.count < limit, sessions[id] == nil else { return false }
            sessions[id] = session
            return true
        }
    }

    /// Returns false when there is no such session.
    func remove(_ id: String) -> Bool { sessions.withLock { $0.removeValue(forKey: id) != nil } }

    /// All sessions, sorted by id.
    var all: [StubSession] {
        sessions.withLock { sessions in sessions.sorted { $0.key < $1.key }.map(\.value) }
    }
}
