import LinkEvents
import LinkRouting

/// What the events of one batch add to the counts of a day: summed first, so that a batch writes each count once.
struct EventTally {
    struct Stream: Hashable {
        let tenant: TenantID
        let environment: EnvironmentID
        let purpose: Event.Purpose
    }

    /// How links ended, by the quarter-hour.
    struct Result: Hashable {
        let stream: Stream
        let route: RouteID?
        let revision: Revision?
        let outcome: Outcome
        let action: Action?
        let quarter: Int64
    }

    struct Value: Hashable {
        let stream: Stream
        let dimension: Dimension
        let value: String
        let hour: Int64
    }

    struct Rows: Hashable {
        var count: Int64
        let first: Int64
        var last: Int64
    }

    private(set) var results: [Result: Int64] = [:]
    private(set) var values: [Value: Int64] = [:]
    private(set) var rows: [TenantID: Rows] = [:]

    /// - Parameter first: The sequence of the first event; the others follow.
    init(_ events: [Event], from first: Int64) {
        for (sequence, event) in zip(first..., events) { add(event, sequence: sequence) }
    }

    private mutating func add(_ event: Event, sequence: Int64) {
        let stream = Stream(tenant: event.tenant, environment: event.environment, purpose: event.purpose)
        let quarter = event.recordedAt.milliseconds.flooredQuotient(by: 900_000)
        results[
            Result(
                stream: stream,
                route: event.route,
                revision: event.revision,
                outcome: event.outcome,
                action: event.action,
                quarter: quarter
            ),
            default: 0
        ] += 1
        for dimension in Dimension.allCases {
            guard let value = dimension.value(of: event), !value.isEmpty else { continue }
            let cell = Value(
                stream: stream,
                dimension: dimension,
                value: value.cut(toBytes: Dimension.longestValue),
                hour: quarter.flooredQuotient(by: 4)
            )
            values[cell, default: 0] += 1
        }
        rows[event.tenant, default: Rows(count: 0, first: sequence, last: sequence)].count += 1
        rows[event.tenant]?.last = sequence
    }
}

extension Int64 {
    /// Rounded down, also below zero.
    func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension String {
    /// The longest prefix of whole characters with at most `limit` UTF-8 bytes.
    fileprivate func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
