import HTTPTransport
import Hummingbird
import LinkEvents
import LinkRouting

/// The outcomes, actions and routes of links under several revisions, side by side.
struct RevisionComparison {
    private let revisions: [Int64]
    private let counts: [Int64]
    private let outcomes: [String: [Int64]]
    private let actions: [String?: [Int64]]
    private let routes: [String?: [Int64]]

    private static let most = 10

    /// Returns the revisions of `?compare=7,9`; nil without it.
    static func requested(_ request: Request) throws -> [Int64]? {
        guard let text = request.parameter("compare") else { return nil }
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int64($0) ?? 0 }
        guard numbers.allSatisfy({ $0 > 0 }), Set(numbers).count == numbers.count, numbers.count <= most else {
            throw Problem(
                .invalidRequest,
                "'compare' must name up to \(most) different revisions, separated by commas, such as 7,9."
            )
        }
        return numbers
    }

    /// - Parameter requested: Nil for the newest revisions that have events, in ascending order.
    init(of requested: [Int64]?, _ totals: [TotalsCount]) {
        let revisions =
            requested ?? Array(Set(totals.compactMap(\.columns.revision)).sorted(by: >).prefix(Self.most).reversed())
        let indexes = Dictionary(revisions.enumerated().map { ($1, $0) }) { first, _ in first }
        let none = [Int64](repeating: 0, count: revisions.count)
        var counts = none
        var outcomes: [String: [Int64]] = [:]
        var actions: [String?: [Int64]] = [:]
        var routes: [String?: [Int64]] = [:]
        for item in totals {
            guard let index = item.columns.revision.flatMap({ indexes[$0] }) else { continue }
            counts[index] += item.count
            outcomes[item.columns.outcome ?? "", default: none][index] += item.count
            actions[item.columns.action, default: none][index] += item.count
            routes[item.columns.route, default: none][index] += item.count
        }
        (self.revisions, self.counts) = (revisions, counts)
        (self.outcomes, self.actions, self.routes) = (outcomes, actions, routes)
    }

    /// Writes `"revisions", "counts", "outcomes", "actions", "routes", "rest"`; counts are in the order of the
    /// revisions. Routes whose share differs most between the first and the last revision come first.
    func write(to writer: inout JSONWriter, routes limit: Int) {
        writer.key("revisions")
        writer.beginArray()
        for revision in revisions { writer.int(revision) }
        writer.endArray()
        writer.key("counts")
        write(counts, to: &writer)
        write("outcome", outcomes.map { ($0, $1) }.sorted { $0.0 < $1.0 }, to: &writer)
        write("action", actions.sorted { ($0.key ?? "") < ($1.key ?? "") }.map { ($0, $1) }, to: &writer)
        let ranked = routes.map { (name: $0, counts: $1, change: change($1)) }.sorted { left, right in
            left.change == right.change ? left.name ?? "" < right.name ?? "" : left.change > right.change
        }
        write("route", ranked.prefix(limit).map { ($0.name, $0.counts) }, to: &writer)
        writer.key("rest")
        let rest = ranked.dropFirst(limit)
        guard !rest.isEmpty else { return writer.null() }
        write(rest.reduce([Int64](repeating: 0, count: revisions.count)) { zip($0, $1.counts).map(+) }, to: &writer)
    }

    /// Returns how much a route's share of its revision's events differs between the first and the last revision.
    private func change(_ counts: [Int64]) -> Double {
        func share(_ index: Int) -> Double { Double(counts[index]) / Double(max(1, self.counts[index])) }
        guard let last = counts.indices.last else { return 0 }
        return abs(share(last) - share(0))
    }

    private func write(_ name: String, _ groups: [(String?, [Int64])], to writer: inout JSONWriter) {
        writer.key(escaping: name + "s")
        writer.beginArray()
        for (value, counts) in groups {
            writer.beginObject()
            writer.key(escaping: name)
            if let value { writer.string(value) } else { writer.null() }
            writer.key("counts")
            write(counts, to: &writer)
            writer.endObject()
        }
        writer.endArray()
    }

    private func write(_ counts: [Int64], to writer: inout JSONWriter) {
        writer.beginArray()
        for count in counts { writer.int(count) }
        writer.endArray()
    }
}
