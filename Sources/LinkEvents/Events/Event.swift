package import LinkRouting

/// One recorded resolution. What may not be recorded is left out before an event exists, see ``Redaction``.
///
/// Its forty ``Parts`` are members of it and lie behind one reference: on its way to the log an event is copied often, and
/// changed never but for its latency.
package struct Event: Sendable, Hashable {
    /// Always one element: an array copies its elements only when one of several owners changes them.
    var parts: [Parts]
    /// From the request's arrival to the recorder; the commit is not in it. The links of a batch share it.
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

    /// The campaign that a link belongs to, as far as the tenant lets its query be recorded.
    package enum UTM: String, Sendable, CaseIterable {
        case source = "utm_source"
        case medium = "utm_medium"
        case campaign = "utm_campaign"
        case term = "utm_term"
        case content = "utm_content"
    }

    /// The first of the recorded items of that name, where it is not empty.
    package func utm(_ field: UTM) -> String? {
        let name = field.rawValue
        guard let item = parts[0].query.first(where: { $0.name == name }), !item.value.isEmpty else { return nil }
        return item.value
    }

    package enum Purpose: String, Sendable, CaseIterable {
        case live, test, preview, prefetch
    }

    /// What happened. Open-ended: callers and later versions add their own.
    package struct Kind: RawRepresentable, Sendable, Hashable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        package static let resolve = Kind(rawValue: "resolve")
        package static let click = Kind(rawValue: "click")
    }

    /// About how much memory the event takes, for the recorder's bounds. Allocates nothing.
    package var byteCount: Int { parts[0].byteCount }
}

/// An event and its place in the log.
package struct StoredEvent: Sendable, Hashable {
    /// 1, 2, 3 … over all tenants, in the order of commits.
    package let sequence: Int64
    package let event: Event

    package init(sequence: Int64, event: Event) {
        self.sequence = sequence
        self.event = event
    }
}
