import ArgumentParser
import Foundation
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import NIOCore
import Networking

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Replay recorded links against a draft and show what would change.",
        discussion: """
            EXAMPLES
              fingerpost replay shop --since 24h
              fingerpost replay shop --since 7d --draft spring \\
                --server https://links.internal:8081 --json
              fingerpost replay shop --since 90m --data ./data

            Each recorded link is resolved by the live table and by the draft merged with it. Data that was not \
            recorded is missing on both sides. Links with too much missing data are counted but not replayed. \
            docs/tables.md, "Replay", explains the counts.
            With --data, the log of that directory is read, through its running server if there is one. Without \
            --data, the admin API is used, with a key that has the scopes tables:read and exports:read.
            Exit code 0 when no recorded link would change, 2 when one would, 1 when the replay was rejected.
            """
    )

    @ArgumentParser.Argument(help: "The tenant.") var tenant: String
    @ArgumentParser.Option(help: "How far back to go, such as 90m, 24h or 7d.") var since = "24h"
    @ArgumentParser.Option(help: "The draft's name.") var draft = DraftName.main.rawValue
    @ArgumentParser.Option(help: "The maximum number of events (the newest).") var limit = ReplayRequest.defaultLimit
    @ArgumentParser.Option(help: "Replay events of this purpose; may be repeated (default: live).") var purpose:
        [String] = []
    @ArgumentParser.Option(help: "A data directory, instead of a server.") var data: String?
    @OptionGroup var admin: AdminOptions
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        _ = try (request, location)
    }

    func run() async throws {
        let report = try await showingProgress("replaying") {
            guard let data else {
                return try await reportingRefusals {
                    var client = try admin.client()
                    client.needs = KeyNeeds([.tablesRead, .exportsRead])
                    return try await replay(client)
                }
            }
            return try await DirectoryClient.open(data, timeout: .seconds(600)) { client in
                var client = client
                client.environment = admin.environment
                return try await replay(client)
            }
        }
        json ? show(report) : show(ReplayText(report).lines)
        if report["changed"]?.int != 0 { throw ExitCode(ExitStatus.wouldChange.rawValue) }
    }

    private var location: PublishingService.DraftLocation {
        get throws {
            guard let tenant = TenantID(tenant) else { throw ValidationError(TenantID.rule(tenant)) }
            let name = admin.environment ?? EnvironmentID.production.rawValue
            guard let environment = EnvironmentID(name) else {
                throw ValidationError(
                    "'\(name)' is not an environment name; use 1 to 64 of a-z, 0-9, '.', '_' and '-'."
                )
            }
            guard let draft = DraftName(draft) else {
                throw ValidationError(
                    "'\(draft)' is not a draft name; 'fingerpost drafts list \(tenant)' lists the drafts."
                )
            }
            return PublishingService.DraftLocation(tenant, environment, draft: draft)
        }
    }

    private var request: ReplayRequest {
        get throws {
            guard let seconds = Self.seconds(since), ReplayRequest.secondsRange.contains(seconds) else {
                throw ValidationError("--since is '\(since)'; write up to 366 days such as 90m, 24h or 7d.")
            }
            guard ReplayRequest.limitRange.contains(Int64(limit)) else {
                throw ValidationError(
                    "--limit must be a number from \(ReplayRequest.limitRange.lowerBound) to \(ReplayRequest.limitRange.upperBound)."
                )
            }
            let purposes = try purpose.map { text in
                guard let purpose = Event.Purpose(rawValue: text) else {
                    let known = Event.Purpose.allCases.map(\.rawValue).joined(separator: ", ")
                    throw ValidationError("'\(text)' is not a purpose; use one of: \(known).")
                }
                return purpose
            }
            return ReplayRequest(seconds: seconds, limit: limit, purposes: purposes.isEmpty ? [.live] : Set(purposes))
        }
    }

    /// Parses a duration such as `30s`, `90m`, `24h` or `7d`; nil for other text.
    private static func seconds(_ text: String) -> Int64? {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()) else { return nil }
        let (seconds, overflows) = count.multipliedReportingOverflow(by: unit)
        return overflows ? nil : seconds
    }

    @Sendable private func replay(_ client: AdminClient) async throws -> JSONNode {
        let location = try location
        return try await client.send(
            .post,
            "tenants/\(location.tenant)/draft/replay",
            query: [("draft", location.draft.rawValue)],
            json: try request.json
        ).body
    }
}
