import ArgumentParser
import Foundation
import LinkRouting
import Networking

struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Print a tenant's recorded events, one JSON object per line, oldest first.",
        discussion: """
            EXAMPLES
              fingerpost events shop                              # the newest 10
              fingerpost events shop --follow --outcome fallback
              fingerpost events shop --after 0 > all.ndjson       # the whole log
              fingerpost events - --after 0                       # links of no tenant

            Reads from a server, with a key that has the scope exports:read. Each object is a row of an export. \
            --follow runs until it is interrupted.
            """
    )

    @ArgumentParser.Argument(help: "The tenant.") var tenant: String
    @ArgumentParser.Option(help: "Start after this seq; 0 starts at the beginning of the log.") var after: Int64?
    @ArgumentParser.Option(help: "Without --after: how many of the newest events to print.") var last = 10
    @ArgumentParser.Option(help: "Comma-separated: live, test, preview, prefetch, probe (default: all).")
    var purpose: String?
    @ArgumentParser.Option(help: "Only events with this outcome.") var outcome: String?
    @ArgumentParser.Option(help: "Only events of this route.") var route: String?
    @Flag(help: "Keep printing new events as they are recorded.") var follow = false
    @OptionGroup var admin: AdminOptions

    func validate() throws {
        guard (1...1_000).contains(last) else { throw ValidationError("--last must be a number from 1 to 1000.") }
    }

    func run() async throws {
        let client = try admin.client()
        try await reportingRefusals {
            var position: Int64
            if let after { position = after } else { position = try await printNewest(client) }
            guard after != nil || follow else { return }
            while true {
                let answer = try await ask(client, [("after", "\(position)"), ("limit", "1000")])
                try printEvents(answer["events"]?.elements ?? [])
                let next = answer["nextAfter"]?.int ?? position
                if next == position {
                    guard follow else { return }
                    try StandardOutput.requireReader()
                    try await Task.sleep(for: .seconds(1))
                }
                position = next
            }
        }
    }

    /// Prints the newest events. Returns the seq to continue after. It is read before the newest events, so that none
    /// is missed or printed twice.
    private func printNewest(_ client: AdminClient) async throws -> Int64 {
        let end = try await ask(client, [("after", "\(Int64.max)")])["nextAfter"]?.int ?? 0
        let newest = try await ask(client, [("limit", "\(last)")])["events"]?.elements ?? []
        try printEvents(newest.reversed().filter { $0["seq"]?.int ?? 0 <= end })
        if newest.isEmpty, !follow {
            warn("No recorded event fits. Check the names of the route, the outcome and the purpose.")
        }
        return end
    }

    private func ask(_ client: AdminClient, _ query: [(String, String)]) async throws -> JSONNode {
        let own = [("purpose", purpose), ("outcome", outcome), ("route", route)]
        return try await client.send(
            .get,
            "tenants/\(tenant)/events",
            query: query + own.compactMap { pair in pair.1.map { (pair.0, $0) } }
        ).body
    }

    private func printEvents(_ events: [JSONNode]) throws {
        for event in events { show(event, .compact) }
        try StandardOutput.flush()
    }
}
