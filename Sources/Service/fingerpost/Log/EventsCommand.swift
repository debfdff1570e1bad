import ArgumentParser
import Foundation
import LinkRouting
import LinkServer
import Networking

struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Print a tenant's recorded events, oldest first.",
        discussion: """
            EXAMPLES
              fingerpost events shop                              # the newest 10
              fingerpost events shop --from 2026-11-21T10:00:00Z
              fingerpost events shop --follow --outcome fallback
              fingerpost events shop --after 0 --json > all.ndjson # the whole log
              fingerpost events - --after 0                       # links of no tenant

            Reads from a server, with a key that has the scope exports:read. Each line of --json is a row of an \
            export. 'fingerpost explain SEQ' shows why a link led where it did. --follow runs until it is interrupted.
            """
    )

    @ArgumentParser.Argument(help: "The tenant.") var tenant: String
    @ArgumentParser.Option(help: "Start after this seq; 0 starts at the beginning of the log.") var after: Int64?
    @ArgumentParser.Option(help: "Only events recorded at or after this time or UTC date.") var from: String?
    @ArgumentParser.Option(help: "Only events recorded before this time or UTC date.") var until: String?
    @ArgumentParser.Option(help: "How many of the newest events to print (default: 10; with --from or --until: 1000).")
    var last: Int?
    @ArgumentParser.Option(
        help: "Comma-separated: live, test, preview, prefetch, probe, install, pasted (default: all)."
    )
    var purpose: String?
    @ArgumentParser.Option(help: "Only events with this outcome.") var outcome: String?
    @ArgumentParser.Option(help: "Only events of this route.") var route: String?
    @Flag(help: "Keep printing new events as they are recorded.") var follow = false
    @OptionGroup var admin: AdminOptions
    @Flag(help: "Print one JSON object per line.") var json = false

    func validate() throws {
        guard last.map((1...1_000).contains) ?? true else {
            throw ValidationError("--last must be a number from 1 to 1000.")
        }
        guard after == nil || (from == nil && until == nil && last == nil) else {
            throw ValidationError("--after prints all later events; remove --from, --until and --last.")
        }
        guard until == nil || !follow else { throw ValidationError("--follow has no end; remove --until.") }
        _ = try range
    }

    /// The times of the newest events, as parameters.
    private var range: [(String, String)] {
        get throws {
            try [("from", from), ("until", until)].compactMap { name, text in
                try text.map { text in
                    guard let time = Timestamp(option: text) else {
                        throw ValidationError(
                            "--\(name) is '\(text)'; write a date such as 2026-11-21, or a time such as "
                                + "2026-11-21T10:00:00Z."
                        )
                    }
                    return (name, time.description)
                }
            }
        }
    }

    func run() async throws {
        let client = try admin.client()
        var output = EventLines(isJSON: json)
        try await reportingRefusals {
            var position: Int64
            if let after { position = after } else { position = try await printNewest(client, &output) }
            guard after != nil || follow else { return }
            var isEmpty = true
            while true {
                let answer = try await ask(client, [("after", "\(position)"), ("limit", "1000")])
                let events = answer["events"]?.elements ?? []
                isEmpty = isEmpty && events.isEmpty
                try output.append(events)
                let next = answer["nextAfter"]?.int ?? position
                if next == position {
                    guard follow else {
                        if isEmpty { warn("\(noEvent); the log ends with seq \(position).") }
                        return
                    }
                    try StandardOutput.requireReader()
                    try await Task.sleep(for: .seconds(1))
                }
                position = next
            }
        }
    }

    /// Prints the newest events. Returns the seq to continue after. It is read before the newest events, so that none
    /// is missed or printed twice.
    private func printNewest(_ client: AdminClient, _ output: inout EventLines) async throws -> Int64 {
        let end = try await ask(client, [("after", "\(Int64.max)")])["nextAfter"]?.int ?? 0
        let query = try range
        let count = last ?? (query.isEmpty ? 10 : 1_000)
        var newest: [JSONNode] = []
        var cursor: String?
        repeat {
            // A page may be shorter although more follow.
            let page = [("limit", "\(count - newest.count)")] + (cursor.map { [("cursor", $0)] } ?? [])
            let answer = try await ask(client, query + page)
            newest += answer["events"]?.elements ?? []
            cursor = answer["nextCursor"]?.text
        } while cursor != nil && newest.count < count
        try output.append(newest.reversed().filter { $0["seq"]?.int ?? 0 <= end })
        if newest.isEmpty, !follow { warn("\(noEvent).") }
        if !query.isEmpty, last == nil, cursor != nil {
            warn("Only the newest \(count) events are shown; --after prints all after a seq.")
        }
        return end
    }

    private var filters: [(name: String, value: String?)] {
        [("purpose", purpose), ("outcome", outcome), ("route", route)]
    }

    /// That no event is printed, with the options that may be the reason.
    private var noEvent: String {
        let range: [(name: String, value: String?)] = [
            ("after", after.map { "\($0)" }), ("from", from), ("until", until),
        ]
        let given = OptionText.list(range + filters)
        return given.isEmpty ? "'\(tenant)' has no recorded event\(admin.placeText)" : "No recorded event fits \(given)"
    }

    private func ask(_ client: AdminClient, _ query: [(String, String)]) async throws -> JSONNode {
        try await client.send(
            .get,
            "tenants/\(tenant)/events",
            query: query + filters.compactMap { filter in filter.value.map { (filter.name, $0) } }
        ).body
    }
}

/// Prints events in parts, as a table or as JSON.
private struct EventLines {
    let isJSON: Bool
    private var hasPrinted = false

    init(isJSON: Bool) { self.isJSON = isJSON }

    mutating func append(_ events: [JSONNode]) throws {
        if isJSON {
            for event in events { show(event, .compact) }
        } else if !events.isEmpty {
            show(EventColumns(events, isFirst: !hasPrinted).columns)
            hasPrinted = true
        }
        try StandardOutput.flush()
    }
}
