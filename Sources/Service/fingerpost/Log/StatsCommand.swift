import ArgumentParser
import LinkEvents
import LinkRouting
import Networking

struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Show analytics of a tenant's links.",
        discussion: """
            EXAMPLES
              fingerpost stats totals shop --by route,outcome
              fingerpost stats series shop --interval day --zone Europe/Paris --by outcome
              fingerpost stats top shop country --from 2026-11-01 --until 2026-12-01
              fingerpost stats unmatched shop --limit 20

            Reads from a server, with a key that has the scope analytics:read. Without --from and --until, the last 30 \
            days including today are counted. docs/analytics.md describes what is counted and how precisely.
            """,
        subcommands: [Totals.self, Series.self, Top.self, Unmatched.self, Rejected.self, Revisions.self]
    )

    struct Totals: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Count links by route, revision, outcome or action.",
            discussion: """
                EXAMPLES
                  fingerpost stats totals shop --by outcome
                  fingerpost stats totals shop --by route,action --limit 20
                  fingerpost stats totals shop --route product --by revision --purpose all
                """
        )

        @OptionGroup var filters: CountOptions
        @OptionGroup var filter: CountFilterOptions
        @ArgumentParser.Option(help: "The maximum number of lines; the rest is summed up.") var limit = 100
        @OptionGroup var admin: AdminOptions
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let answer = try await filters.ask("totals", filter.query + [("limit", "\(limit)")], admin)
            guard !json else { return show(answer) }
            let total = answer["count"]?.int ?? 0
            var lines = CountLines(total: total)
            for group in answer["totals"]?.elements ?? [] {
                let names = (group.members ?? []).filter { $0.key != "count" }.map(\.value.shown)
                // Without --by, the only group is the total.
                if !names.isEmpty { lines.add(group["count"], names) }
            }
            if let rest = answer["rest"], rest.kind != "null" {
                lines.add(rest["count"], ["(\(rest["groups"]?.int ?? 0) more)"])
            }
            lines.add(.int(total), ["total"])
            show(lines.lines)
            if total == 0 { filter.warnThatNoneFits() }
        }
    }

    struct Series: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Count links in each hour or day.",
            discussion: """
                EXAMPLES
                  fingerpost stats series shop --zone Europe/Paris --by outcome
                  fingerpost stats series shop --interval hour --from 2026-11-21 --route product
                  fingerpost stats series shop --dimension country --value DE
                """
        )

        @OptionGroup var filters: CountOptions
        @OptionGroup var filter: CountFilterOptions
        @ArgumentParser.Option(help: "hour or day.") var interval: CalendarZone.Interval = .day
        @ArgumentParser.Option(help: "Count one value of this dimension, instead of --by.") var dimension: String?
        @ArgumentParser.Option(help: "The value of the dimension.") var value: String?
        @ArgumentParser.Option(help: "The maximum number of columns; the rest is summed up.") var limit = 10
        @OptionGroup var admin: AdminOptions
        @Flag(help: "Print JSON.") var json = false

        func validate() throws {
            guard value == nil || dimension != nil else {
                throw ValidationError("--value needs --dimension, such as --dimension country --value DE.")
            }
        }

        func run() async throws {
            let own = [
                ("interval", interval.rawValue), ("dimension", dimension), ("value", value), ("limit", "\(limit)"),
            ]
            let answer = try await filters.ask(
                "series",
                filter.query + own.compactMap { pair in pair.1.map { (pair.0, $0) } },
                admin
            )
            guard !json else { return show(answer) }
            var columns = (answer["series"]?.elements ?? []).map { series in
                (name: series.groupName, counts: series["counts"]?.elements ?? [])
            }
            if let rest = answer["rest"]?["counts"]?.elements { columns.append(("(more)", rest)) }
            let starts = (answer["days"] ?? answer["starts"])?.elements ?? []
            var rows = [[""] + columns.map(\.name)]
            // Most rows before the first event and after the last one have only zeros.
            let isUsed = starts.indices.map { index in
                columns.contains { ($0.counts.dropFirst(index).first?.int ?? 0) != 0 }
            }
            let first = isUsed.firstIndex(of: true) ?? 0
            let last = isUsed.lastIndex(of: true) ?? 0
            for (index, start) in starts.enumerated() where (first...last).contains(index) {
                rows.append([start.shown] + columns.map { $0.counts.dropFirst(index).first?.shown ?? "" })
            }
            show(TextColumns(rows).lines)
            let hidden = starts.count - rows.count + 1
            if hidden > 0 {
                show("\(hidden.counted(interval.rawValue)) before and after have no events; --json lists them")
            }
            if !isUsed.contains(true) { filter.warnThatNoneFits([("dimension", dimension), ("value", value)]) }
        }
    }

    struct Top: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Rank the values of a dimension by number of events.",
            discussion: """
                EXAMPLES
                  fingerpost stats top shop country
                  fingerpost stats top shop utmCampaign --from 2026-11-01 --limit 10
                  fingerpost stats top shop route

                DIMENSIONS
                  route, revision, outcome, action, \(Dimension.allCases.map(\.rawValue).joined(separator: ", "))
                """
        )

        @OptionGroup var filters: CountOptions
        @ArgumentParser.Argument(help: "The dimension.") var dimension: String
        @ArgumentParser.Option(help: "The maximum number of lines; the rest is summed up.") var limit = 100
        @OptionGroup var admin: AdminOptions
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let answer = try await filters.ask("top/\(dimension)", [("limit", "\(limit)")], admin)
            json ? show(answer) : show(answer.rankingLines("top", "value"))
        }
    }

    struct Unmatched: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Rank the paths that matched no route.",
            discussion: """
                EXAMPLE
                  fingerpost stats unmatched shop --limit 20
                """
        )

        @OptionGroup var filters: CountOptions
        @ArgumentParser.Option(help: "The maximum number of lines; the rest is summed up.") var limit = 100
        @OptionGroup var admin: AdminOptions
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let answer = try await filters.ask("unmatched", [("limit", "\(limit)")], admin)
            json
                ? show(answer)
                : show(answer.rankingLines("links", "path") + [answer.unmatchedPathNote].compactMap(\.self))
        }
    }

    struct Rejected: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Rank the reasons why links were rejected.",
            discussion: """
                EXAMPLES
                  fingerpost stats rejected shop --from 2026-11-01
                  fingerpost stats rejected -                       # links of no tenant
                """
        )

        @OptionGroup var filters: CountOptions
        @ArgumentParser.Option(help: "The maximum number of lines; the rest is summed up.") var limit = 100
        @OptionGroup var admin: AdminOptions
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let answer = try await filters.ask("rejected", [("limit", "\(limit)")], admin)
            guard !json else { return show(answer) }
            let note = filters.tenant == TenantID.none.rawValue ? nil : answer.rejectedNote
            show(answer.rankingLines("reasons", "reason") + [note].compactMap(\.self))
        }
    }

    struct Revisions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Compare the outcomes of links between revisions.",
            discussion: """
                EXAMPLES
                  fingerpost stats revisions shop
                  fingerpost stats revisions shop --compare 7,9 --limit 20

                Routes whose share changed most from the first revision to the last come first.
                """
        )

        @OptionGroup var filters: CountOptions
        @ArgumentParser.Option(help: "The revisions, comma-separated (default: the newest).") var compare: String?
        @ArgumentParser.Option(help: "The maximum number of routes.") var limit = 20
        @OptionGroup var admin: AdminOptions
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let own = [("limit", "\(limit)")] + (compare.map { [("compare", $0)] } ?? [])
            let answer = try await filters.ask("revisions", own, admin)
            guard !json else { return show(answer) }
            var rows = [["revision"] + (answer["revisions"]?.elements ?? []).map(\.shown)]
            rows.append(["total"] + (answer["counts"]?.elements ?? []).map(\.shown))
            for name in ["outcome", "action", "route"] {
                for group in answer["\(name)s"]?.elements ?? [] {
                    rows.append(
                        ["\(name) \(group[name]?.shown ?? "")"] + (group["counts"]?.elements ?? []).map(\.shown)
                    )
                }
            }
            if let rest = answer["rest"]?.elements { rows.append(["other routes"] + rest.map(\.shown)) }
            show(TextColumns(rows).lines)
        }
    }
}

extension CalendarZone.Interval: ExpressibleByArgument {}

/// Options shared by all count queries: tenant, time range and purposes.
struct CountOptions: ParsableArguments {
    @ArgumentParser.Argument(help: "The tenant.") var tenant: String
    @ArgumentParser.Option(help: "Start, inclusive: a date such as 2026-11-21 or an RFC 3339 time.") var from: String?
    @ArgumentParser.Option(help: "End, exclusive.") var until: String?
    @ArgumentParser.Option(help: "The time zone of days, such as Europe/Paris (default: UTC).") var zone: String?
    @ArgumentParser.Option(
        help: "Comma-separated: live, test, preview, prefetch, probe, install, pasted; or all (default: live)."
    )
    var purpose: String?

    func ask(_ endpoint: String, _ query: [(String, String)], _ admin: AdminOptions) async throws -> JSONNode {
        let own = [("from", from), ("until", until), ("zone", zone), ("purpose", purpose)]
        return try await reportingRefusals {
            try await admin.client().send(
                .get,
                "tenants/\(tenant)/stats/\(endpoint)",
                query: own.compactMap { pair in pair.1.map { (pair.0, $0) } } + query
            )
        }.body
    }
}

/// Options that group and filter counts.
struct CountFilterOptions: ParsableArguments {
    @ArgumentParser.Option(help: "Group by these, comma-separated: route, revision, outcome, action.")
    var by: String?
    @ArgumentParser.Option(help: "Only links of this route.") var route: String?
    @ArgumentParser.Option(help: "Only links resolved by this revision.") var revision: Int64?
    @ArgumentParser.Option(help: "Only links with this outcome.") var outcome: String?
    @ArgumentParser.Option(help: "Only links with this action.") var action: String?

    var query: [(String, String)] {
        [
            ("by", by), ("route", route), ("revision", revision.map { "\($0)" }), ("outcome", outcome),
            ("action", action),
        ].compactMap { pair in pair.1.map { (pair.0, $0) } }
    }

    /// Names the options that leave out links, if there are any.
    ///
    /// - Parameter more: Further options of the command that do so.
    func warnThatNoneFits(_ more: [(name: String, value: String?)] = []) {
        let own: [(name: String, value: String?)] = [
            ("route", route), ("revision", revision.map { "\($0)" }), ("outcome", outcome), ("action", action),
        ]
        let given = OptionText.list(more + own)
        if !given.isEmpty { warn("No counted event fits \(given). Check the spelling, --from and --until.") }
    }
}
