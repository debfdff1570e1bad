import HTTPTypes
import Synchronization

/// The bytes of bodies that have come to the public port and are not read as requests yet, of all its connections together: memory whose
/// size strangers decide.
package final class HeldBodies: Sendable {
    private let limit: Int
    private let held = Atomic(0)

    /// - Parameter limit: In bytes.
    package init(limit: Int = 64 << 20) { self.limit = limit }

    /// - Throws: `busy` where there is no room for so many more; none of them count then.
    func take(_ bytes: Int) throws(Problem) {
        guard held.wrappingAdd(bytes, ordering: .relaxed).newValue > limit else { return }
        giveBack(bytes)
        var problem = Problem(.busy, "The server holds as many bodies as it may. Try again in a few seconds.")
        problem.headers[.retryAfter] = "5"
        throw problem
    }

    func giveBack(_ bytes: Int) { held.wrappingSubtract(bytes, ordering: .relaxed) }

    /// For tests.
    var count: Int { held.load(ordering: .relaxed) }
}
