package import LinkRouting

/// One recorded resolution. Data that must not be recorded is left out before an event is created, see ``Redaction``.
///
/// Its forty ``Parts`` are stored behind one reference, because an event is copied often on its way to the log, and
/// nothing but its latency changes.
package struct Event: Sendable, Hashable {
    /// Always has one element. Copy-on-write: the array copies its element only when a shared event is changed.
    var parts: [Parts]
    /// The time from the request's arrival to the recorder, without the commit. Shared by the links of a batch.
    package var latencyMicroseconds: Int64?

    package init(
        id: String,
        recordedAt: Timestamp,
        tenant: TenantID,
        environment: EnvironmentID,
        outcome: Outcome,
        linkLength: Int,
        source: String,
        node: String,
        requestID: String,
        method: String
    ) {
        parts = [
            Parts(
                id: id,
                recordedAt: recordedAt,
                tenant: tenant,
                environment: environment,
                outcome: outcome,
                linkLength: linkLength,
                source: source,
                node: node,
                requestID: requestID,
                method: method
            )
        ]
    }

    package struct QueryItem: Sendable, Hashable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// UTM fields: the campaign of a link, as far as the tenant allows its query to be recorded.
    package enum UTM: String, Sendable, CaseIterable {
        case source = "utm_source"
        case medium = "utm_medium"
        case campaign = "utm_campaign"
        case term = "utm_term"
        case content = "utm_content"
    }

    /// Returns the value of the first recorded query item with that name; nil if there is none or it is empty.
    package func utm(_ field: UTM) -> String? {
        let name = field.rawValue
        guard let item = parts[0].query.first(where: { $0.name == name }), !item.value.isEmpty else { return nil }
        return item.value
    }

    package enum Purpose: String, Sendable, CaseIterable {
        case live, test, preview, prefetch
    }

    /// The kind of event. An open set: callers and later versions add their own.
    package struct Kind: RawRepresentable, Sendable, Hashable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        package static let resolve = Kind(rawValue: "resolve")
        package static let click = Kind(rawValue: "click")
    }

    /// The approximate memory size of the event, for the recorder's limits. Allocates nothing.
    package var byteCount: Int { parts[0].byteCount }
}

/// An event with its sequence in the log.
package struct StoredEvent: Sendable, Hashable {
    /// Counts from 1 over all tenants, in commit order.
    package let sequence: Int64
    package let event: Event

    package init(sequence: Int64, event: Event) {
        self.sequence = sequence
        self.event = event
    }
}
