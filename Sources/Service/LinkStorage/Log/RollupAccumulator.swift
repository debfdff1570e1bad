package import LinkEvents
package import LinkRouting

/// Accumulates the counts of several batches in memory, so that each counter is written once for all of them.
///
/// It is reused, because most events increment the same counters as the events before.
package struct RollupAccumulator {
    package struct Stream: Hashable {
        package let tenant: TenantID
        package let environment: EnvironmentID
        package let purpose: Event.Purpose

        var isLive: Bool { environment == .production && purpose == .live }
        /// The number of values per dimension that have a counter of their own.
        package var mostValues: Int { isLive ? Dimension.mostValues : Dimension.mostOtherValues }
    }

    /// The result of a link resolution within a quarter-hour.
    package struct Result: Hashable {
        /// An index in ``RollupAccumulator/streams``.
        package let stream: Int
        package let route: RouteID?
        package let revision: Revision?
        package let outcome: Outcome
        package let action: Action?
        package let quarter: Int64
    }

    package struct Value: Hashable {
        package let stream: Int
        package let hour: Int64
        package let dimension: Dimension
        package let value: ExactText
    }

    package struct ShortLink: Hashable {
        package let stream: Int
        package let day: CivilDay
        package let code: String
    }

    struct Rows: Hashable {
        fileprivate(set) var count: Int64
        let first: Int64
        var last: Int64
    }

    /// There are few streams, so the other keys refer to them by index.
    package internal(set) var streams = RunCounts<Stream>()
    package internal(set) var results = RunCounts<Result>()
    package internal(set) var values = RunCounts<Value>()
    package private(set) var shortLinks: [ShortLink: ShortLinkCount] = [:]
    private(set) var rows: [TenantID: Rows] = [:]
    package private(set) var eventCount = 0
    /// The quarter-hour of the last event, counted since 1970.
    private(set) var quarter: Int64 = 0
    /// The indexes in `streams`, in `results` and, by dimension, in `values` that the last event incremented.
    private var stream: Int?
    private var result: Int?
    private var latest = [Int?](repeating: nil, count: Self.dimensions.count)

    private static let dimensions = Dimension.allCases
    /// The number of keys above which all keys are dropped, so that many values do not exhaust memory.
    private static let mostRemembered = 20_000

    package init() {}

    /// - Parameter first: The sequence of the first event; the sequences of the others follow.
    package mutating func add(_ events: [Event], from first: Int64) {
        eventCount += events.count
        var run = 0..<0
        while run.upperBound < events.count {
            let tenant = events[run.upperBound].content.fields.tenant
            let end = events[run.upperBound...].firstIndex { $0.content.fields.tenant != tenant } ?? events.count
            run = run.upperBound..<end
            for event in events[run] { add(event.content.fields) }
            let (begin, last) = (first + Int64(run.lowerBound), first + Int64(run.upperBound) - 1)
            rows[tenant, default: Rows(count: 0, first: begin, last: last)].count += Int64(run.count)
            rows[tenant]?.last = last
        }
    }

    /// Resets the counts for the next batches. Keeps the keys and their numbers unless there are too many.
    mutating func resetCounts() {
        guard results.entries.count + values.entries.count <= Self.mostRemembered else {
            return self = RollupAccumulator()
        }
        eventCount = 0
        shortLinks.removeAll(keepingCapacity: true)
        rows.removeAll(keepingCapacity: true)
        streams.resetCounts()
        results.resetCounts()
        values.resetCounts()
    }

    private mutating func add(_ event: Event.Fields) {
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
        if let code = event.shortLink?.code {
            let key = ShortLink(stream: stream, day: event.recordedAt.day, code: code)
            shortLinks[key, default: ShortLinkCount()].add(ShortLinkCount(1, last: event.recordedAt))
        }
        let hour = quarter.flooredQuotient(by: 4)
        for (index, dimension) in Self.dimensions.enumerated() {
            guard let value = dimension.countedValue(of: event) else { continue }
            let key = Value(stream: stream, hour: hour, dimension: dimension, value: ExactText(value))
            values.add(key, after: &latest[index])
        }
    }
}

/// Counts keys that mostly come in runs. Compares a key with the last one first, and hashes it only when a run ends.
package struct RunCounts<Key: Hashable> {
    package struct Entry {
        package let key: Key
        /// The count since the last reset.
        package fileprivate(set) var count: Int64
        fileprivate var givenNumber: Int64?

        /// The key's row number in the file. Available once numbers have been assigned.
        var number: Int64 {
            guard let givenNumber else {
                preconditionFailure("what is counted gets its number in the same transaction")
            }
            return givenNumber
        }
    }

    package private(set) var entries: [Entry] = []
    /// The indexes of the entries counted since the last reset, in the order of counting.
    package private(set) var counted: [Int] = []
    /// The indexes of the entries without a number.
    private var unnumbered: [Int] = []
    private var indexes: [Key: Int] = [:]

    /// - Parameter latest: The index of the last key of the run; set to the index of this key.
    /// - Returns: The index of the key in ``entries``.
    @discardableResult mutating func add(_ key: Key, after latest: inout Int?) -> Int {
        let index: Int
        if let latest, entries[latest].key == key {
            index = latest
        } else if let known = indexes[key] {
            index = known
        } else {
            index = entries.count
            entries.append(Entry(key: key, count: 0))
            indexes[key] = index
            unnumbered.append(index)
        }
        if entries[index].count == 0 { counted.append(index) }
        entries[index].count += 1
        latest = index
        return index
    }

    /// Assigns numbers to the entries that have none.
    mutating func giveNumbers(_ number: (Key) throws -> Int64) rethrows {
        for index in unnumbered { entries[index].givenNumber = try number(entries[index].key) }
        unnumbered.removeAll(keepingCapacity: true)
    }

    mutating func resetCounts() {
        for index in counted { entries[index].count = 0 }
        counted.removeAll(keepingCapacity: true)
    }
}

extension Dimension {
    /// Returns the value to count for an event, cut to ``longestValue`` UTF-8 bytes; nil if there is none.
    func countedValue(of event: Event.Fields) -> String? {
        guard let value = value(of: event), !value.isEmpty else { return nil }
        return value.utf8Prefix(Self.longestValue)
    }
}

extension Int64 {
    /// Returns the quotient rounded towards negative infinity.
    package func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
