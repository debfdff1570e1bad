import LinkRouting
import Synchronization

/// Finished days whose files cannot be used, with the damage found when the log was opened or when they were read
/// since. They do not affect other days.
final class DamagedDays: Sendable {
    private let days = Mutex<[CivilDay: StorageError]>([:])
    private let tell: @Sendable (StorageError) -> Void

    /// - Parameter tell: Called once for each day.
    init(tell: @escaping @Sendable (StorageError) -> Void) { self.tell = tell }

    subscript(day: CivilDay) -> StorageError? { days.withLock { $0[day] } }

    /// All damaged days, oldest first.
    var all: [(day: CivilDay, damage: StorageError)] {
        days.withLock { days in days.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }

    func note(_ damage: StorageError, on day: CivilDay) {
        let isNew = days.withLock { days in
            guard days[day] == nil else { return false }
            days[day] = damage
            return true
        }
        if isNew { tell(damage) }
    }

    /// Removes a day whose file was deleted.
    func forget(_ day: CivilDay) { days.withLock { $0[day] = nil } }
}
