package import LinkRouting
import Synchronization

/// Generates UUIDv7s (RFC 9562) in ascending order. A counter orders ids within a millisecond and when the clock steps
/// back.
package final class EventIDGenerator: Sendable {
    private let state = Mutex(State())
    private let random: @Sendable () -> UInt64

    private struct State {
        var milliseconds: Int64 = 0
        /// 12 bits.
        var counter: UInt64 = 0
    }

    package init(random: @escaping @Sendable () -> UInt64) { self.random = random }

    package func next(at now: Timestamp) -> RecordedID {
        let (milliseconds, counter) = state.withLock { state in
            if now.milliseconds > state.milliseconds {
                state.milliseconds = now.milliseconds
                state.counter = 0
            } else if state.counter < 0xFFF {
                state.counter += 1
            } else {
                state.milliseconds += 1
                state.counter = 0
            }
            return (UInt64(bitPattern: state.milliseconds) & 0xFFFF_FFFF_FFFF, state.counter)
        }
        let high = milliseconds << 16 | 0x7000 | counter
        return RecordedID(uuid: Bytes16(high: high, low: random() & 0x3FFF_FFFF_FFFF_FFFF | 1 << 63))
    }
}
