import LinkEvents
import LinkRouting
import Logging
import TestSupport

let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

extension Event {
    /// A plain event; `number` distinguishes events.
    static func sample(
        _ number: Int,
        of tenant: TenantID = TestSupport.tenant("shop"),
        at recordedAt: Timestamp = instant("2026-11-21T10:00:00Z")
    ) -> Event {
        Event(
            Event.Fields(
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
        )
    }
}
