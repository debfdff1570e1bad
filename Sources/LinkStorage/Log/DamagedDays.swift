import LinkRouting
import Synchronization

/// The days that are over whose files cannot be used, by what is wrong with them: found when the log is opened, or by whoever
/// read from them since. They hold up no other day.
final class DamagedDays: Sendable {
    private let days = Mutex<[CivilDay: StorageError]>([:])
    private let tell: @Sendable (StorageError) -> Void

    /// - Parameter tell: Hears of each day once.
    init(tell: @escaping @Sendable (StorageError) -> Void) { self.tell = tell }

    subscript(day: CivilDay) -> StorageError? { days.withLock { $0[day] } }

    /// Oldest day first.
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

    /// The day's file is gone.
    func forget(_ day: CivilDay) { days.withLock { $0[day] = nil } }
}
