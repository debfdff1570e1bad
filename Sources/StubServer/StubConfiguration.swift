package import LinkRouting
package import StubMatching

/// How a stub server runs.
package struct StubConfiguration: Sendable {
    /// The folder with `mappings` and `__files`; nil for a server without files.
    package var folder: String?
    package var host = "127.0.0.1"
    /// 0 takes any free port.
    package var port = 0
    package var templating = Templating.perStub
    package var journalCount = Journal.defaultMaximumCount
    package var journalBytes = Journal.defaultMaximumBytes
    /// The target of requests that no stub answers; nil for none.
    package var proxyAll: String?
    /// Whether the first request that no stub answers fails the run.
    package var unmatched = UnmatchedRequests.allowed
    package var mask = SecretMask(fields: [])
    /// What an unreadable mapping does.
    package var unreadable = UnreadableMappings.stopTheStart
    package var limits = StubLimits()
    package var environment = StubEnvironment()
    /// What answers requests besides the stubs.
    package var endpoints: (any StubEndpoints)?

    package init() {}

    package enum UnmatchedRequests: String, Sendable {
        /// They get a 404 with a table.
        case allowed
        /// The first one is kept as the run's failure, and every answer to one names the nearest stub.
        case strict
    }

    package enum UnreadableMappings: Sendable {
        case stopTheStart
        /// They are reported and left out.
        case leftOut
    }
}

/// What a client can make the server keep or do.
package struct StubLimits: Sendable {
    package var connections = 1_000
    package var bodyBytes = 50 << 20
    package var headerBytes = 64 << 10
    package var sessions = 1_000
    /// The longest that the server waits for a target.
    package var proxySeconds: Int64 = 60

    package init() {}
}

/// Time and chance, so that a run can be repeated.
package struct StubEnvironment: Sendable {
    package var now: @Sendable () -> Timestamp
    /// Words of 64 random bits, for ids, delays and templates.
    package var random: @Sendable () -> UInt64
    /// What templates show as the name of this machine.
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
