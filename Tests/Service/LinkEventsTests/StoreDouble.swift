import LinkEvents
import LinkRouting
import Synchronization

/// An in-memory log that can fail on request and block at a gate.
final class StoreDouble: EventStore {
    private let state = Mutex(State())
    private let failure: @Sendable (_ append: Int, _ events: [Event]) -> (any Error)?
    let gate: Gate?

    private struct State {
        var appends = 0
        var batches: [[Event]] = []
        var stored: [StoredEvent] = []
        var reported: Set<Bytes16> = []
    }

    /// `failure` returns the error of the nth append, from 0; nil for success.
    init(
        gate: Gate? = nil,
        failure: @escaping @Sendable (_ append: Int, _ events: [Event]) -> (any Error)? = { _, _ in nil }
    ) {
        self.gate = gate
        self.failure = failure
    }

    var stored: [StoredEvent] { state.withLock { $0.stored } }
    /// The committed batches.
    var batches: [[Event]] { state.withLock { $0.batches } }

    func lastSequence() async throws -> Int64 { state.withLock { Int64($0.stored.count) } }

    func append(_ events: [Event]) async throws -> Appended {
        await gate?.pass()
        return try state.withLock { state in
            defer { state.appends += 1 }
            if let error = failure(state.appends, events) { throw error }
            let first = Int64(state.stored.count) + 1
            state.batches.append(events)
            var duplicates: [Int] = []
            for (place, event) in events.enumerated() {
                if let hash = event.content.reportHash, !state.reported.insert(hash).inserted {
                    duplicates.append(place)
                } else {
                    state.stored.append(StoredEvent(sequence: Int64(state.stored.count) + 1, event: event))
                }
            }
            return Appended(first: first, duplicates: duplicates)
        }
    }

    func events(of tenant: TenantID, in range: ClosedRange<Int64>, limit: Int) async throws -> [StoredEvent] {
        state.withLock { state in
            Array(state.stored.filter { $0.event.tenant == tenant && range.contains($0.sequence) }.prefix(limit))
        }
    }
}

/// Blocks all visitors until it is opened, and reports the first one.
final class Gate: Sendable {
    private let state = Mutex(State())

    private struct State {
        var isOpen = false
        var hasVisitor = false
        var held: [CheckedContinuation<Void, Never>] = []
        var watching: [CheckedContinuation<Void, Never>] = []
    }

    func pass() async {
        await withCheckedContinuation { continuation in
            let (passes, watching) = state.withLock { state in
                defer { state.watching = [] }
                state.hasVisitor = true
                if !state.isOpen { state.held.append(continuation) }
                return (state.isOpen, state.watching)
            }
            for watcher in watching { watcher.resume() }
            if passes { continuation.resume() }
        }
    }

    /// Returns once there is a visitor.
    func visited() async {
        await withCheckedContinuation { continuation in
            let isVisited = state.withLock { state in
                if !state.hasVisitor { state.watching.append(continuation) }
                return state.hasVisitor
            }
            if isVisited { continuation.resume() }
        }
    }

    func open() {
        let held = state.withLock { state in
            defer { state.held = [] }
            state.isOpen = true
            return state.held
        }
        for visitor in held { visitor.resume() }
    }
}
