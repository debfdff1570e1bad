import HTTPTransport
import Hummingbird
import LinkEvents
import LinkRouting

/// Query parameters shared by all analytics endpoints: the range, the time zone and the purposes.
struct AnalyticsParameters {
    let zone: CalendarZone
    /// The range, in whole units of the precision.
    let from: Timestamp
    let until: Timestamp
    let purposes: Set<Event.Purpose>
    /// Those whose events are counted, if there are several.
    var nodes: [ShippedNode] = []

    /// Until when the counts are complete.
    func end(at now: Timestamp) -> Timestamp {
        nodes.reduce(now) { min($0, $1.through ?? Timestamp(milliseconds: 0)) }
    }

    /// The unit in which counts are stored, in milliseconds; a range is widened to whole units.
    enum Precision: Int64 {
        case quarter = 900_000
        case hour = 3_600_000
    }

    private static let defaultDays: Int64 = 30
    static let mostDays: Int64 = 800

    /// - Parameter interval: The interval of a series. `until` is by default the end of the current hour for an hourly
    ///   series, and of the current day for everything else.
    init(
        _ request: Request,
        at now: Timestamp,
        precision: Precision = .quarter,
        interval: CalendarZone.Interval = .day
    ) throws {
        let zone = try request.zone()
        let until = try request.instant("until", in: zone) ?? zone.next(interval, after: now)
        let lastDay = zone.day(of: Timestamp(milliseconds: until.milliseconds - 1))
        let firstDay = CivilDay(daysSince1970: lastDay.daysSince1970 - Self.defaultDays + 1)
        let from = try request.instant("from", in: zone) ?? zone.start(of: firstDay)
        guard from < until else {
            throw Problem(.invalidRequest, "'from' must be before 'until': \(from) is not before \(until).")
        }
        let length = until.milliseconds - from.milliseconds
        // A clock change may make one day an hour longer.
        guard length <= Self.mostDays * Timestamp.millisecondsPerDay + Precision.hour.rawValue else {
            throw Problem(.invalidRequest, "The range from 'from' to 'until' can have at most \(Self.mostDays) days.")
        }
        let unit = precision.rawValue
        self.zone = zone
        self.from = Timestamp(milliseconds: from.milliseconds.roundedDown(to: unit))
        self.until = Timestamp(milliseconds: -(-until.milliseconds).roundedDown(to: unit))
        purposes = try request.purposes() ?? [.live]
    }

    func scope(_ entry: AdminAuthorizer.Entry, edges: [Timestamp]? = nil) -> AnalyticsScope {
        AnalyticsScope(
            tenant: entry.tenant,
            environment: entry.environment,
            purposes: purposes,
            edges: edges ?? [from, until]
        )
    }

    /// Writes the members that every response begins with.
    func write(_ entry: AdminAuthorizer.Entry, to writer: inout JSONWriter) {
        writer.member("from", from.description)
        writer.member("until", until.description)
        writer.member("zone", zone.name)
        writer.member("environment", entry.environment.rawValue)
        writer.key("purposes")
        writer.beginArray()
        for purpose in Event.Purpose.allCases where purposes.contains(purpose) { writer.string(purpose.rawValue) }
        writer.endArray()
        writer.nodes(nodes)
    }
}

extension Int64 {
    fileprivate func roundedDown(to unit: Int64) -> Int64 {
        let past = self % unit
        return self - (past < 0 ? past + unit : past)
    }
}

extension Request {
    fileprivate func zone() throws -> CalendarZone {
        guard let name = parameter("zone"), name != CalendarZone.utc.name else { return .utc }
        guard let zone = CalendarZone(name) else {
            throw Problem(.invalidRequest, "'zone' must be an IANA time zone, such as Europe/Paris.")
        }
        return zone
    }

    /// Reads a timestamp, or a day, which means its start in the zone.
    func instant(_ name: String, in zone: CalendarZone = .utc) throws -> Timestamp? {
        guard let text = parameter(name) else { return nil }
        let instant = Timestamp(text) ?? CivilDay(text).map(zone.start)
        guard let instant, Self.countable.contains(instant) else {
            throw Problem(
                .invalidRequest,
                "'\(name)' must be a day such as 2026-11-21, or a timestamp such as 2026-11-21T10:00:00Z."
            )
        }
        return instant
    }

    /// The accepted instants; they leave room for calendar arithmetic before the first and after the last instant.
    private static let countable = Timestamp(milliseconds: 0)...Timestamp(milliseconds: 250_000_000_000_000)

    /// Reads `?outcome=`; nil without it.
    func outcome() throws -> Outcome? {
        guard let text = parameter("outcome") else { return nil }
        guard let outcome = Outcome(rawValue: text), outcome != .undecided else {
            throw Problem(.invalidRequest, "'outcome' must be matched, fallback, unmatched or rejected.")
        }
        return outcome
    }

    /// Reads `?purpose=live,test`, or `all` of them; nil without it.
    func purposes() throws -> Set<Event.Purpose>? {
        guard let text = parameter("purpose") else { return nil }
        guard text != "all" else { return Set(Event.Purpose.allCases) }
        return Set(
            try text.split(separator: ",", omittingEmptySubsequences: false).map { name in
                guard let purpose = Event.Purpose(rawValue: String(name)) else {
                    let known = Event.Purpose.allCases.map(\.rawValue).joined(separator: ", ")
                    throw Problem(.invalidRequest, "'purpose' must be 'all' or a comma-separated list of: \(known).")
                }
                return purpose
            }
        )
    }
}
