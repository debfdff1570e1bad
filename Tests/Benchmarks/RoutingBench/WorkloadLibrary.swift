import Foundation
import LinkRouting

/// A measured workload: `pass` performs `operations` operations and returns a number that depends on all of them.
struct Workload {
    var name: String
    var operations: Int
    var pass: () -> Int
}

/// Creates workloads by name: TABLE/WORK or message/WORK. `same` looks up the links of the first thousand routes. Two
/// workloads are simpler alternatives for comparison: a dictionary of whole links, and Foundation's URL parser.
struct WorkloadLibrary {
    private let inputs: Inputs

    /// Tables: the 130 routes of GitHub's API, and generated tables named by their number of routes.
    private static let tables = ["github", "1000", "10000", "100000", "1000000"]

    static let names =
        tables.flatMap { table in ["lookup", "same", "resolve", "miss"].map { "\(table)/\($0)" } }
        + ["parse", "conditions", "dictionary", "url"].map { "github/\($0)" } + Messages.names

    init(_ inputs: Inputs) throws { self.inputs = inputs }

    func workload(_ name: String) throws -> Workload {
        let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
        guard parts.count == 2, Self.names.contains(name) else {
            throw InputError(description: "there is no workload '\(name)'; see RoutingBench workloads.")
        }
        if parts[0] == "message" { return try Messages(bodies: inputs.bodies, tenant: inputs.tenant).workload(name) }
        let rows = try rows(parts[0])
        let links = links(of: parts[1] == "same" ? Array(rows.prefix(1_000)) : rows, in: parts[0])
        let table: BenchTable
        switch parts[1] {
        case "conditions":
            table = try BenchTable(
                try TableSource.table(reading: rows, conditions: Self.conditions),
                links: links.map { $0 + "?ref=mail&page=7" }
            )
        default:
            table = try BenchTable(try TableSource.table(rows), links: links)
        }
        try table.check()
        return try workload(name, parts[1], table)
    }

    private static let conditions = #"""
        ,"query":{"ref":{"oneOf":["mail","push"]},"page":"int = 1"},
        "when":{"platform":["ios","android"],"appVersion":{"from":"2.0"},"locale":["en","de"],"country":["GB","US"]}
        """#

    private func rows(_ table: String) throws -> [(pattern: String, link: String)] {
        if let count = Int(table) { return TableSource.generate(count) }
        return try inputs.routes.map(TableSource.read) ?? TableSource.generate(130)
    }

    /// Each of GitHub's routes once. Generated tables of all sizes use the same number of links, so that reading the
    /// links from memory costs the same.
    private func links(of rows: [(pattern: String, link: String)], in table: String) -> [String] {
        guard Int(table) != nil else { return rows.map { BenchTable.host + $0.link } }
        var random = SplitMix(state: 2)
        return (0..<inputs.links).map { _ in BenchTable.host + rows[Int(random.next() % UInt64(rows.count))].link }
    }

    /// Each parsed link is captured by its own closure, as if it arrived with a request. Reading it from an array would
    /// copy it for each call, which costs a quarter of a lookup.
    private func workload(_ name: String, _ work: String, _ table: BenchTable) throws -> Workload {
        let router = table.router
        let context = BenchTable.context
        switch work {
        case "parse":
            let texts = table.links.map { Array($0.utf8) }
            return Workload(name: name, operations: texts.count) {
                var sum = 0
                for text in texts { if let link = try? DeepLink.parse(text) { sum &+= link.segmentCount } }
                return sum
            }
        case "url":
            let texts = table.links
            return Workload(name: name, operations: texts.count) {
                var sum = 0
                for text in texts { if let link = URLComponents(string: text) { sum &+= link.path.utf8.count } }
                return sum
            }
        case "dictionary":
            let texts = table.links
            let places = Dictionary(texts.enumerated().map { ($1, $0) }) { first, _ in first }
            return Workload(name: name, operations: texts.count) {
                var sum = 0
                for text in texts { if let place = places[text] { sum &+= place } }
                return sum
            }
        case "lookup", "same":
            let lookups = try table.links.map { text in
                let link = try DeepLink.parse(text)
                return { (router: Router, context: LinkContext) in router.rank(of: link, in: context) }
            }
            return Workload(name: name, operations: lookups.count) {
                var sum = 0
                for lookUp in lookups { if let rank = lookUp(router, context) { sum &+= rank } }
                return sum
            }
        default:
            let resolutions = try (work == "miss" ? table.misses : table.links).map { text in
                let link = try DeepLink.parse(text)
                return { (router: Router, context: LinkContext) in router.resolve(link, in: context).parameters.count }
            }
            return Workload(name: name, operations: resolutions.count) {
                var sum = 0
                for resolve in resolutions { sum &+= resolve(router, context) }
                return sum
            }
        }
    }
}

extension BenchTable {
    /// Verifies the results, because measurements of wrong results are worthless.
    fileprivate func check() throws {
        for link in links.prefix(1_000) where router.resolve(link, in: Self.context).outcome != .matched {
            throw InputError(description: "no route matches \(link).")
        }
        for link in misses.prefix(1_000) where router.resolve(link, in: Self.context).outcome != .unmatched {
            throw InputError(description: "a route matches \(link).")
        }
    }
}
