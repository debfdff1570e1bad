package import LinkRouting
import Synchronization

/// A queue that admits one export or erasure at a time, because two writers of one window would remove each other's
/// temporary file.
///
/// The schedule has the highest priority, followed by erasures and then requests. After an erasure, waiting requests
/// precede further erasures. Within erasures and requests, tenants take turns. The number of waiters is limited, and
/// cancelled ones are removed.
package final class ExportTurns: Sendable {
    package enum Purpose: Sendable, Hashable {
        case schedule
        case erasure(TenantID)
        case request(TenantID)
    }

    fileprivate static let waitingOfTenant = 4
    fileprivate static let mostWaiting = 256

    fileprivate typealias Waiter = CheckedContinuation<Void, any Error>

    fileprivate enum Line: Hashable { case schedule, erasures, requests }

    fileprivate struct State {
        var isTaken = false
        var lastWasErasure = false
        var lastID: UInt64 = 0
        var count = 0
        var waiting: [Purpose: [(id: UInt64, waiter: Waiter)]] = [:]
        /// The purposes with waiters, in the order of their turns.
        var turns: [Line: [Purpose]] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of waiters.
    package var waiting: Int { state.withLock(\.count) }

    /// Waits for the turn. The caller must return it with ``giveBack()``. Throws ``ExportRefusal`` or
    /// `CancellationError`.
    package func take(_ purpose: Purpose) async throws {
        let id = state.withLock { state in
            state.lastID &+= 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let result = state.withLock { $0.add(waiter, id, purpose) }
                if let result { waiter.resume(with: result) }
            }
        } onCancel: {
            state.withLock { $0.remove(id, purpose) }?.resume(throwing: CancellationError())
        }
    }

    package func giveBack() { state.withLock { $0.next() }?.resume() }
}

extension ExportTurns.Purpose {
    fileprivate var isErasure: Bool { if case .erasure = self { true } else { false } }
}

extension ExportTurns {
    fileprivate static func line(of purpose: Purpose) -> Line {
        switch purpose {
        case .schedule: .schedule
        case .erasure: .erasures
        case .request: .requests
        }
    }
}

extension ExportTurns.State {
    /// Takes the turn or queues the waiter; returns nil if it was queued. Detects a task that was cancelled earlier;
    /// `remove` handles later cancellation.
    fileprivate mutating func add(
        _ waiter: ExportTurns.Waiter,
        _ id: UInt64,
        _ purpose: ExportTurns.Purpose
    ) -> Result<Void, any Error>? {
        guard !Task.isCancelled else { return .failure(CancellationError()) }
        guard isTaken else {
            isTaken = true
            lastWasErasure = purpose.isErasure
            return .success(())
        }
        let own = waiting[purpose]?.count ?? 0
        if purpose != .schedule {
            guard own < ExportTurns.waitingOfTenant else { return .failure(ExportRefusal.tooMuchOfTenant) }
            guard count < ExportTurns.mostWaiting else { return .failure(ExportRefusal.tooMuch) }
        }
        if own == 0 { turns[ExportTurns.line(of: purpose), default: []].append(purpose) }
        waiting[purpose, default: []].append((id, waiter))
        count += 1
        return nil
    }

    fileprivate mutating func remove(_ id: UInt64, _ purpose: ExportTurns.Purpose) -> ExportTurns.Waiter? {
        guard let place = waiting[purpose]?.firstIndex(where: { $0.id == id }) else { return nil }
        let waiter = waiting[purpose]?.remove(at: place).waiter
        count -= 1
        if waiting[purpose]?.isEmpty == true {
            waiting[purpose] = nil
            turns[ExportTurns.line(of: purpose)]?.removeAll { $0 == purpose }
        }
        return waiter
    }

    /// Returns the next waiter, which now has the turn; nil if there is none.
    fileprivate mutating func next() -> ExportTurns.Waiter? {
        let order: [ExportTurns.Line] =
            lastWasErasure ? [.schedule, .requests, .erasures] : [.schedule, .erasures, .requests]
        for line in order {
            guard let purpose = turns[line]?.first, let first = waiting[purpose]?.first else { continue }
            // If the tenant has more waiters, it moves behind the others.
            if let waiter = remove(first.id, purpose) {
                if waiting[purpose] != nil {
                    turns[line]?.removeFirst()
                    turns[line]?.append(purpose)
                }
                lastWasErasure = purpose.isErasure
                return waiter
            }
        }
        isTaken = false
        return nil
    }
}

/// Too many exports or erasures are waiting.
package enum ExportRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The limit of one tenant.
    case tooMuchOfTenant
    /// The limit of all tenants together.
    case tooMuch

    package var description: String {
        switch self {
        case .tooMuchOfTenant: "too many exports of the tenant are waiting"
        case .tooMuch: "too many exports are waiting"
        }
    }
}
