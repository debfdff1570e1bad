import HTTPTransport
import Hummingbird
import LinkEvents
import LinkRouting

/// The query of a time series of counts: `?interval=hour|day`.
struct SeriesParameters {
    var parameters: AnalyticsParameters
    let interval: CalendarZone.Interval
    let edges: [Timestamp]
    let subject: Subject
    /// Maximum number of separate series.
    let limit: Int

    enum Subject {
        case totals(TotalsParameters)
        case value(String, Dimension)
    }

    private static let mostBuckets = 2_500

    init(_ request: Request, at now: Timestamp) throws {
        let name = request.parameter("interval") ?? CalendarZone.Interval.day.rawValue
        guard let interval = CalendarZone.Interval(rawValue: name) else {
            throw Problem(.invalidRequest, "'interval' must be hour or day.")
        }
        let totals = try TotalsParameters(request)
        if let name = request.parameter("dimension") {
            guard let dimension = Dimension(rawValue: name) else {
                throw Problem(unknownDimension: name, among: Dimension.allCases.map(\.rawValue))
            }
            guard let value = request.parameter("value"), totals.columns.isEmpty, totals.filter.isEmpty else {
                throw Problem(
                    .invalidRequest,
                    "Name one 'value' of the dimension. Its counts cannot be grouped or filtered by route, "
                        + "revision, outcome or action."
                )
            }
            subject = .value(value, dimension)
            parameters = try AnalyticsParameters(request, at: now, precision: .hour, interval: interval)
        } else {
            subject = .totals(totals)
            parameters = try AnalyticsParameters(request, at: now, interval: interval)
        }
        let edges = parameters.zone.edges(
            every: interval,
            from: parameters.from,
            until: parameters.until,
            limit: Self.mostBuckets
        )
        guard let edges else {
            throw Problem(
                .invalidRequest,
                "The range has more than \(Self.mostBuckets) hours; use a shorter range, or 'interval=day'."
            )
        }
        if case .value = subject {
            guard edges.allSatisfy({ $0.milliseconds % AnalyticsParameters.Precision.hour.rawValue == 0 }) else {
                throw Problem(
                    .invalidRequest,
                    "Values are counted in UTC hours, and hours in '\(parameters.zone.name)' start at a different minute. "
                        + "Leave out 'zone'."
                )
            }
        }
        self.interval = interval
        self.edges = edges
        limit = try request.limit(1...100, default: 10)
    }

    /// Writes the members before the series: `starts` of the buckets and, for the interval `day`, their `days`.
    func write(_ entry: AdminAuthorizer.Entry, to writer: inout JSONWriter) {
        parameters.write(entry, to: &writer)
        writer.member("interval", interval.rawValue)
        writer.key("starts")
        writer.beginArray()
        for start in edges.dropLast() { writer.string(start.description) }
        writer.endArray()
        guard interval == .day else { return }
        writer.key("days")
        writer.beginArray()
        for start in edges.dropLast() { writer.string(parameters.zone.day(of: start).description) }
        writer.endArray()
    }
}

extension Problem {
    /// The response to a name that is none of the known dimensions.
    init(unknownDimension name: String, among known: [String]) {
        let hint = name.nearest(among: known).map { "did you mean '\($0)'?" }
        let shown = name.shortened(toBytes: 64).escapedForTerminal
        self.init(
            .invalidRequest,
            "'\(shown)' is not a dimension; \(hint ?? "use one of: \(known.joined(separator: ", ")).")"
        )
    }
}
