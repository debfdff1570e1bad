import Foundation
import LinkServer
import TestSupport
import Testing

/// The table of docs/landing.md, cell by cell.
@Suite(.timeLimit(.minutes(15)))
struct LandingTableTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let client: String
        /// Each with its kind of answer.
        let cells: [(kind: String, response: String)]
        var testDescription: String { client }
    }

    static let rows: [Row] = {
        let text = try? String(contentsOf: Repository.folder.appending(path: "docs/landing.md"), encoding: .utf8)
        let lines = (text ?? "").split(separator: "\n").drop { !$0.hasPrefix("| client |") }.prefix {
            $0.hasPrefix("|")
        }
        let table = lines.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        guard let head = table.first else { return [] }
        return table.dropFirst(2).map { row in
            Row(client: row[0], cells: zip(head, row).dropFirst().map { (kind: $0, response: $1) })
        }
    }()

    private static let agents = [
        "iPhone, iPad: browser": [LandingTenant.safari],
        "iPhone, iPad: in an app": LandingTenant.inAppOfIPhones,
        "Android: browser": [LandingTenant.androidChrome],
        "Android: in an app": LandingTenant.inAppOfAndroid,
        "Mac, or an iPad as a Mac": [LandingTenant.mac],
        "Windows, Linux": [
            LandingTenant.windows, "Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0",
        ],
        "other programs": ["", "curl/8.5.0", "Googlebot/2.1 (+http://www.google.com/bot.html)"],
    ]

    private static let paths = [
        "`open`, `web`": "/both/7", "`open`, `store`, `web`": "/store", "`open`": "/app/1", "`web`": "/page",
        "`when.inAppBrowser: true`": "/own", "blocked": "/blocked", "no route": "/nowhere",
    ]

    @Test func tableHasEveryClientAndKind() {
        #expect(Set(Self.rows.map(\.client)) == Set(Self.agents.keys))
        for row in Self.rows { #expect(Set(row.cells.map(\.kind)) == Set(Self.paths.keys), "\(row.client)") }
    }

    @Test(arguments: rows)
    func clientGetsWhatTheTableSays(row: Row) async throws {
        try await withService { service in
            try await service.load(LandingTenant.document())
            for agent in Self.agents[row.client] ?? [] {
                for cell in row.cells {
                    let answer = try await service.land(try #require(Self.paths[cell.kind]), agent)
                    #expect(Self.name(of: answer) == cell.response, "\(agent) \(cell.kind)")
                }
            }
        }
    }

    /// The response as the table names it.
    private static func name(of answer: TestResponse) -> String {
        switch answer.status {
        case 200: answer.text.contains("<svg ") ? "page with QR code" : "page"
        case 302:
            answer["Location"]?.hasPrefix("https://www.acme.example/") == true ? "302 website" : "302 store"
        default: "\(answer.status)"
        }
    }
}
