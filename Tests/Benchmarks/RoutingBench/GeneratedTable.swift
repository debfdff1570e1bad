import Foundation
import LinkCatalog
import LinkRouting

/// A table and the links to look up in it.
struct BenchTable {
    var router: Router
    /// Each link matches a route. Their order is unrelated to the table's order.
    var links: [String]
    /// As many links that match no route: half fail at the first segment, half at the last.
    var misses: [String]

    static let host = "https://go.bench.test"

    init(_ table: RouteTable, links: [String]) throws {
        router = Router(identity: try Self.identity(), table: table)
        var random = SplitMix(state: 1)
        self.links = links.shuffled(using: &random)
        misses = self.links.enumerated().map { index, link in
            index.isMultiple(of: 2)
                ? link + "/no/such/page" : Self.host + "/no" + link.dropFirst(Self.host.utf8.count + 1)
        }
    }

    static func identity() throws -> Identity {
        let settings = #"""
            {"domains": ["go.bench.test"], "schemes": ["bench"],
             "apps": [{"id": "ios", "platform": "ios", "teamID": "ABCDE12345", "bundleID": "com.example.bench"}]}
            """#
        return try Settings(DocumentField(try Document.readJSON(settings), path: "settings")).identity
    }

    /// The context of every lookup.
    static var context: LinkContext {
        LinkContext(
            app: AppID("ios"),
            platform: .ios,
            device: .phone,
            osVersion: Version("17.4"),
            appVersion: Version("3.2.0"),
            locale: ["en-GB", "fr"].compactMap { LanguageTag($0) },
            country: "GB",
            authenticated: true
        )
    }
}

/// Invalid input for the benchmark.
struct InputError: Error, CustomStringConvertible {
    var description: String
}

/// Reads routes from a file, or generates them.
enum TableSource {
    /// Reads lines of `pattern`, tab, matching link.
    static func read(_ file: String) throws -> [(pattern: String, link: String)] {
        try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map { line in
            let columns = line.split(separator: "\t")
            guard columns.count == 2 else {
                throw InputError(description: "\(file): '\(line)' is not a pattern, a tab and a link.")
            }
            return (String(columns[0]), String(columns[1]))
        }
    }

    /// Generates routes of one to five segments, half of them with parameters, with 64 routes per first segment.
    static func generate(_ count: Int) -> [(pattern: String, link: String)] {
        (0..<count).map { index in
            let group = "/section-\(index / 64)"
            let leaf = "page-\(index % 64)"
            return switch index % 4 {
            case 0: ("\(group)/\(leaf)", "\(group)/\(leaf)")
            case 1: ("\(group)/\(leaf)/{id:int}", "\(group)/\(leaf)/\(index)")
            case 2: ("\(group)/{user}/\(leaf)", "\(group)/user-\(index)/\(leaf)")
            default: ("\(group)/{user}/\(leaf)/items/{item}", "\(group)/user-\(index)/\(leaf)/items/\(index)")
            }
        }
    }

    /// Builds the table directly: parsing takes minutes under Valgrind.
    static func table(_ rows: [(pattern: String, link: String)]) throws -> RouteTable {
        let routes = try rows.enumerated().map { index, row in
            guard let id = RouteID("r\(index)") else { throw InputError(description: "r\(index) is not an id.") }
            return Route(
                id: id,
                path: try RoutePattern(row.pattern),
                behaviour: .answer(RouteTarget(open: Open(screen: "Page")))
            )
        }
        return RouteTable(routes: routes)
    }

    /// Builds the same table from JSON. It is read in parts, because the JSON of a million routes exceeds the size
    /// limit of a document. `conditions` is the JSON of further members of every route.
    static func table(reading rows: [(pattern: String, link: String)], conditions: String = "") throws -> RouteTable {
        var routes: [Route] = []
        routes.reserveCapacity(rows.count)
        var next = 0
        while next < rows.count {
            let part = next..<min(next + 10_000, rows.count)
            let texts = part.map { index in
                #"{"id":"r\#(index)","path":"\#(rows[index].pattern)","open":{"screen":"Page"}\#(conditions)}"#
            }
            let document = #"{"routes":[\#(texts.joined(separator: ","))]}"#
            routes += try RouteTable(DocumentField(try Document.readJSON(document), path: "")).routes
            next = part.upperBound
        }
        return RouteTable(routes: routes)
    }
}

/// A seeded random number generator, the same in every run.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
