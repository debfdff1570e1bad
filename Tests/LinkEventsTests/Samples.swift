import LinkEvents
import LinkRouting
import Logging

let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

func instant(_ text: String) -> Timestamp {
    guard let instant = Timestamp(text) else { preconditionFailure("'\(text)' is not RFC 3339") }
    return instant
}

func tenant(_ text: String) -> TenantID {
    guard let tenant = TenantID(text) else { preconditionFailure("'\(text)' is no tenant") }
    return tenant
}

extension Event {
    /// A plain event; `number` tells one from the other.
    static func sample(
        _ number: Int,
        of tenant: TenantID = LinkEventsTests.tenant("shop"),
        at recordedAt: Timestamp = instant("2026-11-21T10:00:00Z")
    ) -> Event {
        Event(
            id: "event-\(number)",
            recordedAt: recordedAt,
            tenant: tenant,
            environment: .production,
            outcome: .matched,
            linkLength: 20,
            source: "api",
            node: "a",
            requestID: "request-\(number)",
            method: "POST"
        )
    }
}

/// SplitMix64: the same seed gives the same test.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
