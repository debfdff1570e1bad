package import LinkRouting
import Synchronization

/// Makes UUIDv7s (RFC 9562): ordered by time, and within a millisecond by a counter, also when the clock steps back.
package final class EventIDGenerator: Sendable {
    private let state = Mutex(State())
    private let random: @Sendable () -> UInt64

    private struct State {
        var milliseconds: Int64 = 0
        /// 12 bits.
        var counter: UInt64 = 0
    }

    package init(random: @escaping @Sendable () -> UInt64) { self.random = random }

    package func next(at now: Timestamp) -> String {
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
        return Self.text(high: milliseconds << 16 | 0x7000 | counter, low: random() & 0x3FFF_FFFF_FFFF_FFFF | 1 << 63)
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func text(high: UInt64, low: UInt64) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (index, word) in [high, low].enumerated() {
            for nibble in 0..<16 {
                if (index == 0 && (nibble == 8 || nibble == 12)) || (index == 1 && (nibble == 0 || nibble == 4)) {
                    text.append(UInt8(ascii: "-"))
                }
                text.append(digits[Int(word >> UInt64(60 - nibble * 4) & 15)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
