package import LinkRouting
import Synchronization

/// A queue that admits one export or erasure at a time, because two writers of one window would remove each other's
/// temporary file.
///
/// The schedule has the highest priority, followed by erasures and then requests. After an erasure, waiting requests
/// precede further erasures. Within erasures and requests, tenants take turns. The number of waiters is limited, and
/// cancelled ones are removed.
package final class ExportQueue: Sendable {
    package enum Purpose: Sendable, Hashable {
        case schedule
        case erasure(TenantID)
        case request(TenantID)
    }

    fileprivate static let maximumWaitingOfTenant = 4
    fileprivate static let maximumWaiting = 256

    fileprivate typealias Waiter = CheckedContinuation<Void, any Error>

    fileprivate enum Category: Hashable { case schedule, erasures, requests }

    fileprivate struct State {
        var isTaken = false
        var lastWasErasure = false
        var lastID: UInt64 = 0
        var count = 0
        var waiting: [Purpose: [(id: UInt64, waiter: Waiter)]] = [:]
        /// The purposes with waiters, in the order of their turns.
        var order: [Category: [Purpose]] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of waiters.
    package var waiting: Int { state.withLock(\.count) }

    /// Waits until no other export or erasure runs. The caller must call ``release()``. Throws ``ExportRefusal`` or
    /// `CancellationError`.
    package func acquire(_ purpose: Purpose) async throws {
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

    package func release() { state.withLock { $0.next() }?.resume() }
}

extension ExportQueue.Purpose {
    fileprivate var isErasure: Bool { if case .erasure = self { true } else { false } }
}

extension ExportQueue {
    fileprivate static func category(of purpose: Purpose) -> Category {
        switch purpose {
        case .schedule: .schedule
        case .erasure: .erasures
        case .request: .requests
        }
    }
}

extension ExportQueue.State {
    /// Admits the waiter if nothing runs; otherwise queues it and returns nil. Detects a task that was cancelled
    /// earlier; `remove` handles later cancellation.
    fileprivate mutating func add(
        _ waiter: ExportQueue.Waiter,
        _ id: UInt64,
        _ purpose: ExportQueue.Purpose
    ) -> Result<Void, any Error>? {
        guard !Task.isCancelled else { return .failure(CancellationError()) }
        guard isTaken else {
            isTaken = true
            lastWasErasure = purpose.isErasure
            return .success(())
        }
        let own = waiting[purpose]?.count ?? 0
        if purpose != .schedule {
            guard own < ExportQueue.maximumWaitingOfTenant else { return .failure(ExportRefusal.tooMuchOfTenant) }
            guard count < ExportQueue.maximumWaiting else { return .failure(ExportRefusal.tooMuch) }
        }
        if own == 0 { order[ExportQueue.category(of: purpose), default: []].append(purpose) }
        waiting[purpose, default: []].append((id, waiter))
        count += 1
        return nil
    }

    fileprivate mutating func remove(_ id: UInt64, _ purpose: ExportQueue.Purpose) -> ExportQueue.Waiter? {
        guard let index = waiting[purpose]?.firstIndex(where: { $0.id == id }) else { return nil }
        let waiter = waiting[purpose]?.remove(at: index).waiter
        count -= 1
        if waiting[purpose]?.isEmpty == true {
            waiting[purpose] = nil
            order[ExportQueue.category(of: purpose)]?.removeAll { $0 == purpose }
        }
        return waiter
    }

    /// Returns the next waiter, which may now run; nil if there is none.
    fileprivate mutating func next() -> ExportQueue.Waiter? {
        let categories: [ExportQueue.Category] =
            lastWasErasure ? [.schedule, .requests, .erasures] : [.schedule, .erasures, .requests]
        for category in categories {
            guard let purpose = order[category]?.first, let first = waiting[purpose]?.first else { continue }
            // If the tenant has more waiters, it moves behind the others.
            if let waiter = remove(first.id, purpose) {
                if waiting[purpose] != nil {
                    order[category]?.removeFirst()
                    order[category]?.append(purpose)
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
