import Synchronization

/// The memory that the journals of a server and its sessions share, because a client decides how many sessions there
/// are.
package final class JournalBudget: Sendable {
    package let maximumBytes: Int
    private let used = Atomic(0)

    package static let defaultMaximumBytes = 128 << 20
    /// A journal drops nothing up to this number of bytes, also if other journals have used up the budget.
    package static let guaranteedBytes = 1 << 20

    package init(maximumBytes: Int = defaultMaximumBytes) { self.maximumBytes = maximumBytes }

    var isExceeded: Bool { used.load(ordering: .relaxed) > maximumBytes }

    func add(_ bytes: Int) { used.add(bytes, ordering: .relaxed) }
}
