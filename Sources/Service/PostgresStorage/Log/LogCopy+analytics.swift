package import LinkEvents
import LinkRouting
import LinkStorage

/// The counts of all nodes, each as of its last shipped row.
extension LogCopy: EventAnalytics {
    package func totals(_ query: TotalsQuery) async throws -> [TotalsCount] {
        let edges = CountEdges(query.scope.edges.map { $0.milliseconds.flooredQuotient(by: 900_000) })
        let days = CountDays(edges, perDay: 96)
        let columns = TotalsQuery.Column.allCases.filter(query.columns.contains)
        // Whole days are read from their sums if the buckets are about as long.
        let isDaily = days.pieces.isEmpty || edges.end - edges.first >= 96 * Int64(edges.bucketCount)
        return try await store.read { db in
            var counts: [TotalsCount: Int64] = [:]
            func add(
                _ table: CountTable,
                _ range: Range<Int64>,
                _ step: Int64,
                _ body: (Int64, TotalsCount, Int64) -> Void
            )
                throws
            {
                guard !range.isEmpty else { return }
                let names = columns.map { ", \($0.rawValue)" }.joined()
                let filter = query.filter.sorted { $0.key.rawValue < $1.key.rawValue }
                let sql = """
                    SELECT (\(table.unit) - ?) / ? AS slot, sum(count) AS sum\(names) FROM \(table.totals)
                    WHERE tenant = ? AND environment = ? AND purpose = ANY (?::text[]) AND \(table.unit) >= ? AND \(table.unit) < ?
                    \(filter.map { "AND \($0.key.rawValue) = ?" }.joined(separator: " "))
                    GROUP BY slot\(names)
                    """
                let values: [SQLValue] =
                    [.integer(range.lowerBound), .integer(step)] + query.scope.arguments
                    + [.integer(range.lowerBound), .integer(range.upperBound)]
                    + filter.map { column, value in
                        // A text that is no number is a revision that never exists.
                        column == .revision ? .integer(value.isEmpty ? 0 : Int64(value) ?? -1) : .text(value)
                    }
                try db.forEachRow(sql, .list(values)) { row in
                    let found = TotalsCount(bucket: 0, columns: try TotalsColumns(row, columns), count: 0)
                    body(try row["slot"], found, try row["sum"])
                }
            }
            func note(_ found: TotalsCount, _ bucket: Int, _ count: Int64) {
                guard (0..<edges.bucketCount).contains(bucket) else { return }
                counts[TotalsCount(bucket: bucket, columns: found.columns, count: 0), default: 0] += count
            }
            if isDaily {
                try add(.day, days.days.first..<days.days.end, days.days.step) { slot, found, count in
                    note(found, days.days.bucket(ofSlot: slot), count)
                }
                for piece in days.pieces {
                    try add(.quarter, piece.range, 96) { _, found, count in
                        note(found, piece.gains, count)
                        note(found, piece.loses, -count)
                    }
                }
            } else {
                try add(.quarter, edges.first..<edges.end, edges.step) { slot, found, count in
                    note(found, edges.bucket(ofSlot: slot), count)
                }
            }
            return counts.compactMap { found, count in
                count > 0 ? TotalsCount(bucket: found.bucket, columns: found.columns, count: count) : nil
            }
        }
    }

    private enum CountTable: String {
        case quarter, hour, day

        var unit: String { rawValue }
        var totals: String { "count_\(rawValue)" }
        var values: String { "value_\(rawValue)" }
    }

    package func values(_ query: ValuesQuery) async throws -> ValueCounts {
        let edges = query.scope.edges.map { $0.milliseconds.flooredQuotient(by: 3_600_000) }
        let days = CountDays(CountEdges([edges.first ?? 0, edges.last ?? 0]), perDay: 24)
        let scope = query.scope.arguments + [.text(query.dimension.rawValue)]
        var (parts, arguments) = ([String](), [SQLValue]())
        func add(_ table: CountTable, _ range: Range<Int64>, sign: String) {
            parts.append(
                """
                SELECT other, value, \(sign)count AS count FROM \(table.values)
                WHERE tenant = ? AND environment = ? AND purpose = ANY (?::text[]) AND dimension = ?
                    AND \(table.unit) >= ? AND \(table.unit) < ?
                """
            )
            arguments += scope + [.integer(range.lowerBound), .integer(range.upperBound)]
        }
        add(.day, days.days.first..<max(days.days.first, days.days.end), sign: "")
        for piece in days.pieces { add(.hour, piece.range, sign: piece.gains == 0 ? "" : "-") }
        // Sums of all values, and the first ones, in one pass.
        let sql = """
            WITH counted AS (
                SELECT other, value, sum(count) AS count FROM (\(parts.joined(separator: " UNION ALL "))) AS part
                GROUP BY other, value HAVING sum(count) > 0)
            (SELECT other, value, count, (SELECT sum(count) FROM counted) AS sum FROM counted WHERE other = 0
                ORDER BY count DESC, value LIMIT ?)
            UNION ALL SELECT other, value, count, (SELECT sum(count) FROM counted) FROM counted WHERE other = 1
            """
        return try await store.read { [arguments] db in
            var counts = ValueCounts()
            try db.forEachRow(sql, .list(arguments + [.integer(Int64(query.limit))])) { row in
                counts.sum = try row["sum"]
                if try row["other"] as Int64 == 1 {
                    counts.other = try row["count"]
                } else {
                    counts.values.append(ValueCount(value: try row["value"], count: try row["count"]))
                }
            }
            counts.values.sort { ($1.count, $0.value) < ($0.count, $1.value) }
            return counts
        }
    }

    package func counts(of value: String, in dimension: Dimension, _ scope: AnalyticsScope) async throws -> [Int64] {
        let edges = CountEdges(scope.edges.map { $0.milliseconds.flooredQuotient(by: 3_600_000) })
        return try await store.read { db in
            var counts = [Int64](repeating: 0, count: edges.bucketCount)
            let sql = """
                SELECT (hour - ?) / ? AS slot, sum(count) AS sum FROM value_hour
                WHERE tenant = ? AND environment = ? AND purpose = ANY (?::text[]) AND dimension = ? AND hour >= ? AND hour < ?
                    AND other = 0 AND value = ? GROUP BY slot
                """
            let arguments: [SQLValue] =
                [.integer(edges.first), .integer(edges.step)] + scope.arguments
                + [.text(dimension.rawValue), .integer(edges.first), .integer(edges.end), .text(value.withoutNUL)]
            try db.forEachRow(sql, .list(arguments)) { row in
                counts[edges.bucket(ofSlot: try row["slot"])] += try row["sum"]
            }
            return counts
        }
    }

    package func shortLinkTotals(_ query: ShortLinkTotalsQuery) async throws -> ShortLinkTotals {
        try await store.read { db in
            let rows = try SQLRow.fetchAll(
                db,
                sql: """
                    SELECT code, sum(count) AS sum, max(last_at) AS last FROM link_day
                    WHERE tenant = ? AND purpose = ANY (?::text[]) AND day BETWEEN ? AND ?
                    GROUP BY code ORDER BY sum DESC, code LIMIT ?
                    """,
                arguments: [
                    query.tenant.rawValue, query.purposes.array, query.days.lowerBound.daysSince1970,
                    query.days.upperBound.daysSince1970, query.limit + 1,
                ]
            )
            let links = try rows.prefix(query.limit).map { row in
                ShortLinkTotal(
                    code: try row["code"],
                    count: try row["sum"],
                    last: Timestamp(milliseconds: try row["last"])
                )
            }
            return ShortLinkTotals(links: links, hasMore: rows.count > query.limit)
        }
    }

    package func shortLinkClicks(of code: String, _ query: ShortLinkTotalsQuery) async throws -> ShortLinkClicks {
        try await store.read { db in
            var clicks = ShortLinkClicks()
            let sql = """
                SELECT day, sum(count) AS sum, max(last_at) AS last FROM link_day
                WHERE tenant = ? AND code = ? AND purpose = ANY (?::text[]) AND day BETWEEN ? AND ? GROUP BY day
                """
            let arguments: SQLArguments = [
                query.tenant.rawValue, code.withoutNUL, query.purposes.array, query.days.lowerBound.daysSince1970,
                query.days.upperBound.daysSince1970,
            ]
            try db.forEachRow(sql, arguments) { row in
                let last = Timestamp(milliseconds: try row["last"])
                clicks.days[CivilDay(daysSince1970: try row["day"])] = try row["sum"]
                clicks.last = max(clicks.last ?? last, last)
            }
            return clicks
        }
    }
}

extension AnalyticsScope {
    /// The tenant, the environment and the purposes.
    fileprivate var arguments: [SQLValue] {
        [.text(tenant.rawValue), .text(environment.rawValue), .text(purposes.array)]
    }
}

extension Set<Event.Purpose> {
    /// An array of PostgreSQL.
    fileprivate var array: String { "{\(map(\.rawValue).sorted().joined(separator: ","))}" }
}

extension TotalsColumns {
    fileprivate init(_ row: SQLRow, _ columns: [TotalsQuery.Column]) throws {
        self.init()
        for column in columns {
            switch column {
            case .route: route = try Self.text(row[column.rawValue])
            case .revision:
                let number: Int64 = try row[column.rawValue]
                revision = number == 0 ? nil : number
            case .outcome: outcome = try Self.text(row[column.rawValue])
            case .action: action = try Self.text(row[column.rawValue])
            }
        }
    }

    private static func text(_ text: String) -> String? { text.isEmpty ? nil : text }
}
