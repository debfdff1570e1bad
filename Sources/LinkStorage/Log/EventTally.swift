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
        /// A place in ``EventTally/streams``.
        let stream: Int
        let route: RouteID?
        let revision: Revision?
        let outcome: Outcome
        let action: Action?
        let quarter: Int64
    }

    struct Value: Hashable {
        let stream: Int
        let hour: Int64
        let dimension: Dimension
        let value: String
    }

    struct Rows: Hashable {
        var count: Int64
        let first: Int64
        var last: Int64
    }

    /// Those of the batch, each once: few, so that the other keys name them by their place.
    private(set) var streams: [Stream] = []
    private var places: [Stream: Int] = [:]
    private(set) var results: [Result: Int64] = [:]
    private(set) var values: [Value: Int64] = [:]
    private(set) var rows: [TenantID: Rows] = [:]

    /// - Parameter first: The sequence of the first event; the others follow.
    init(_ events: [Event], from first: Int64) {
        for (sequence, event) in zip(first..., events) { add(event, sequence: sequence) }
    }

    private mutating func add(_ event: Event, sequence: Int64) {
        let stream = place(
            of: Stream(tenant: event.tenant, environment: event.environment, purpose: event.purpose)
        )
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
        let hour = quarter.flooredQuotient(by: 4)
        for dimension in Dimension.allCases {
            guard let value = dimension.value(of: event), !value.isEmpty else { continue }
            let text = value.utf8Prefix(Dimension.longestValue)
            values[Value(stream: stream, hour: hour, dimension: dimension, value: text), default: 0] += 1
        }
        rows[event.tenant, default: Rows(count: 0, first: sequence, last: sequence)].count += 1
        rows[event.tenant]?.last = sequence
    }

    private mutating func place(of stream: Stream) -> Int {
        if let last = streams.indices.last, streams[last] == stream { return last }
        if let place = places[stream] { return place }
        streams.append(stream)
        places[stream] = streams.count - 1
        return streams.count - 1
    }
}

extension Int64 {
    /// Rounded down, also below zero.
    func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
