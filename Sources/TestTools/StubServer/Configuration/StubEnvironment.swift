package import LinkRouting

/// The clock and the random numbers, so that a run can be repeated.
package struct StubEnvironment: Sendable {
    package var now: @Sendable () -> Timestamp
    /// Words of 64 random bits, for ids, delays and templates.
    package var random: @Sendable () -> UInt64
    /// The name of this machine in templates.
    package var hostName = StubEnvironment.systemHostName
    /// The offset from UTC in seconds and the short name of a time zone at an instant; nil for an unknown zone.
    package var zone: @Sendable (String, Timestamp) -> (offset: Int, name: String)? = StubEnvironment.systemZone

    package init(
        now: @escaping @Sendable () -> Timestamp = StubEnvironment.systemTime,
        random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) }
    ) {
        self.now = now
        self.random = random
    }

    /// A random UUID of version 4.
    func newID() -> String {
        let (high, low) = (random() & ~0xF000 | 0x4000, random() & ~(3 << 62) | 1 << 63)
        let digits = hexadecimal(high) + hexadecimal(low)
        return [(0, 8), (8, 12), (12, 16), (16, 20), (20, 32)].map { start, end in
            String(decoding: digits[start..<end], as: UTF8.self)
        }.joined(separator: "-")
    }

    private func hexadecimal(_ word: UInt64) -> [UInt8] {
        (0..<16).map { Array("0123456789abcdef".utf8)[Int(word >> UInt64(60 - 4 * $0) & 15)] }
    }
}
