import LinkRouting
import LinkTable

/// The state that a client's worker writes and its callers read.
final class SharedState: Sendable {
    private struct Content: Sendable {
        var table: ActiveTable?
        var state = LinkClientState()
        var readers: [Int: AsyncStream<LinkClientState>.Continuation] = [:]
        var readerCount = 0
    }

    private let content: Locked<Content>

    init(_ table: ActiveTable?) {
        var content = Content(table: table)
        content.state.table = table?.state
        self.content = Locked(content)
    }

    var table: ActiveTable? { content.withLock { $0.table } }
    var state: LinkClientState { content.withLock { $0.state } }

    /// Puts a table into use.
    func use(_ table: ActiveTable) {
        content.withLock { $0.table = table }
        change { state in
            state.table = table.state
            state.problems.removeAll { $0.kind == .unreadableRoute }
        }
    }

    /// Changes the state, and sends it to all readers if it differs.
    func change(_ body: @Sendable (inout LinkClientState) -> Void) {
        // Delivered under the lock, so that every reader gets the changes in their order.
        content.withLock { content in
            let before = content.state
            body(&content.state)
            guard content.state != before else { return }
            for reader in content.readers.values { reader.yield(content.state) }
        }
    }

    /// Records or removes a problem.
    func set(_ kind: LinkClientState.Kind, _ problem: (code: String?, message: String)?) {
        change { state in
            state.problems.removeAll { $0.kind == kind }
            guard let problem else { return }
            state.problems.append(LinkClientState.Problem(kind: kind, code: problem.code, message: problem.message))
            state.problems.sort { $0.kind.rawValue < $1.kind.rawValue }
        }
    }

    func states() -> AsyncStream<LinkClientState> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { reader in
            let number = content.withLock { content in
                content.readerCount += 1
                content.readers[content.readerCount] = reader
                reader.yield(content.state)
                return content.readerCount
            }
            reader.onTermination = { [weak self] _ in
                _ = self?.content.withLock { $0.readers.removeValue(forKey: number) }
            }
        }
    }
}
