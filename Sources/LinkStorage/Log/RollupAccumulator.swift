import LinkEvents
import LinkRouting

/// What the events of some batches add to the counts of a day: summed first, so that each count is written once for them.
///
/// It is used on and on, because most events are counted where those before them were.
struct RollupAccumulator {
    struct Stream: Hashable {
        let tenant: TenantID
        let environment: EnvironmentID
        let purpose: Event.Purpose

        var isLive: Bool { environment == .production && purpose == .live }
        /// How many values of a dimension are counted by themselves.
        var mostValues: Int { isLive ? Dimension.mostValues : Dimension.mostOtherValues }
    }

    /// How links ended, by the quarter-hour.
    struct Result: Hashable {
        /// A place in ``RollupAccumulator/streams``.
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
        let value: ExactText
    }

    struct Rows: Hashable {
        var count: Int64
        let first: Int64
        var last: Int64
    }

    /// Few, so that the other keys name them by their place.
    var streams = RunCounts<Stream>()
    var results = RunCounts<Result>()
    var values = RunCounts<Value>()
    private(set) var rows: [TenantID: Rows] = [:]
    private(set) var eventCount = 0
    /// Of the last event: quarter-hours since 1970.
    private(set) var quarter: Int64 = 0
    /// Where in `streams`, in `results` and, by dimension, in `values` the one before is counted.
    private var stream: Int?
    private var result: Int?
    private var latest = [Int?](repeating: nil, count: Self.dimensions.count)

    private static let dimensions = Dimension.allCases
    /// When it has more keys than these, they are forgotten: many values do not fill the memory.
    private static let mostRemembered = 20_000

    /// - Parameter first: The sequence of the first event; the others follow.
    mutating func add(_ events: [Event], from first: Int64) {
        eventCount += events.count
        var run = 0..<0
        while run.upperBound < events.count {
            let tenant = events[run.upperBound].tenant
            let end = events[run.upperBound...].firstIndex { $0.tenant != tenant } ?? events.count
            run = run.upperBound..<end
            for event in events[run] { add(event) }
            let (begin, last) = (first + Int64(run.lowerBound), first + Int64(run.upperBound) - 1)
            rows[tenant, default: Rows(count: 0, first: begin, last: last)].count += Int64(run.count)
            rows[tenant]?.last = last
        }
    }

    /// Makes it ready for the next batches.
    mutating func startAnew() {
        guard results.entries.count + values.entries.count <= Self.mostRemembered else {
            return self = RollupAccumulator()
        }
        eventCount = 0
        rows.removeAll(keepingCapacity: true)
        streams.startAnew()
        results.startAnew()
        values.startAnew()
    }

    private mutating func add(_ event: Event) {
        let stream = streams.add(
            Stream(tenant: event.tenant, environment: event.countedEnvironment, purpose: event.purpose),
            after: &stream
        )
        quarter = event.recordedAt.milliseconds.flooredQuotient(by: 900_000)
        results.add(
            Result(
                stream: stream,
                route: event.route,
                revision: event.revision,
                outcome: event.outcome,
                action: event.action,
                quarter: quarter
            ),
            after: &result
        )
        let hour = quarter.flooredQuotient(by: 4)
        for (place, dimension) in Self.dimensions.enumerated() {
            guard let value = dimension.countedValue(of: event) else { continue }
            let key = Value(stream: stream, hour: hour, dimension: dimension, value: ExactText(value))
            values.add(key, after: &latest[place])
        }
    }
}

/// Counts keys that mostly come in runs: the one before is looked at first, and only where a run ends a key is hashed.
struct RunCounts<Key: Hashable> {
    struct Entry {
        let key: Key
        /// Since the counts were started anew.
        var count: Int64
        fileprivate var givenNumber: Int64?

        /// What the file knows the key by. Only for those that were given numbers.
        var number: Int64 {
            guard let givenNumber else {
                preconditionFailure("what is counted gets its number in the same transaction")
            }
            return givenNumber
        }
    }

    private(set) var entries: [Entry] = []
    /// The places of what was counted since then, in its order.
    private(set) var counted: [Int] = []
    /// The places of what nobody has given a number.
    private var unnumbered: [Int] = []
    private var places: [Key: Int] = [:]

    /// - Parameter latest: The place of the key that may come again; now that of this one.
    /// - Returns: The place of the key in ``entries``.
    @discardableResult mutating func add(_ key: Key, after latest: inout Int?) -> Int {
        let place: Int
        if let latest, entries[latest].key == key {
            place = latest
        } else if let known = places[key] {
            place = known
        } else {
            place = entries.count
            entries.append(Entry(key: key, count: 0))
            places[key] = place
            unnumbered.append(place)
        }
        if entries[place].count == 0 { counted.append(place) }
        entries[place].count += 1
        latest = place
        return place
    }

    /// Gives those entries a number that have none.
    mutating func giveNumbers(_ number: (Key) throws -> Int64) rethrows {
        for place in unnumbered { entries[place].givenNumber = try number(entries[place].key) }
        unnumbered.removeAll(keepingCapacity: true)
    }

    mutating func startAnew() {
        for place in counted { entries[place].count = 0 }
        counted.removeAll(keepingCapacity: true)
    }
}

extension Dimension {
    /// What an event is counted by: nil where it is not, and the beginning of a long value.
    func countedValue(of event: Event) -> String? {
        guard let value = value(of: event), !value.isEmpty else { return nil }
        return value.utf8Prefix(Self.longestValue)
    }
}

extension Int64 {
    /// Rounded down, also below zero.
    func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
