import Examples
import LinkCatalog
package import LinkRouting

/// Test cases with expected results, for engines in other languages: `fingerpost conformance export`.
///
/// Links and buckets are the tables of docs/routing-conformance.md, whose results are written by hand. Patterns, the
/// order of routes and resolutions are those of `cases.yaml` and of the example tenants; their answers are those of this
/// engine, which ``disagreements`` compares with the expectations in these files.
package struct ConformanceVectors: Sendable {
    /// The version of the vectors' format.
    package static let formatVersion: Int64 = 1

    package let links: [LinkVector]
    package let buckets: [JSONNode]
    let patterns: [PatternCase]
    let invalidPatterns: [String]
    let orders: [OrderCase]
    let resolutions: [ResolutionGroup]
    let refusedTables: [RefusedTable]

    /// Reads the files of this target.
    ///
    /// - Throws: `DocumentError`.
    package init() throws {
        let page = ConformancePage(String(decoding: PackageResources.routing_conformance_md, as: UTF8.self))
        links = try page.rows(under: "Conformance").map { try LinkVector(cells: $0) }
        buckets = try page.rows(under: "Buckets").map { cells in
            guard cells.count == 3 else { throw ConformancePage.error("a row of buckets has three cells: \(cells)") }
            return .object([
                "salt": try ConformancePage.json(cells[0]), "stickyKey": try ConformancePage.json(cells[1]),
                "bucket": try ConformancePage.json(cells[2]),
            ])
        }
        let text = String(decoding: PackageResources.cases_yaml, as: UTF8.self)
        let cases = try DocumentField(try Document.readYAML(text), path: "")
            .object("patterns", "invalidPatterns", "order", "resolutions", "refusedTables")
        patterns = try cases.required("patterns").list().map(PatternCase.init)
        invalidPatterns = try cases.required("invalidPatterns").list().map { try $0.text() }
        orders = try cases.required("order").list().map(OrderCase.init)
        resolutions =
            try cases.required("resolutions").list().map(ResolutionGroup.init)
            + (try zip(Examples.tenants, Examples.suites).map(ResolutionGroup.init))
        refusedTables = try cases.required("refusedTables").list().map(RefusedTable.init)
    }

    /// The vectors as one JSON document; docs/routing-conformance.md describes it.
    package var json: JSONNode {
        .object([
            "formatVersion": .int(Self.formatVersion),
            "tableFormatVersion": .int(RouteTable.formatVersion),
            "links": .array(links.map(\.json)),
            "buckets": .array(buckets),
            "patterns": .array(patterns.map(\.json)),
            "invalidPatterns": .array(invalidPatterns.map(JSONNode.string)),
            "order": .array(orders.map(\.json)),
            "resolutions": .array(resolutions.map(\.json)),
            "refusedTables": .array(refusedTables.map(\.json)),
        ])
    }

    /// Where this engine does not do what the files expect, one sentence each.
    package var disagreements: [String] {
        links.compactMap(\.disagreement) + patterns.flatMap(\.disagreements)
            + invalidPatterns.compactMap { text in
                (try? RoutePattern(text)) == nil || Self.isRefused(path: text)
                    ? nil : "The pattern '\(text)' should be refused."
            }
            + orders.flatMap(\.disagreements) + resolutions.flatMap(\.disagreements)
            + refusedTables.compactMap(\.disagreement)
    }

    /// Whether a route with this path is refused, such as one that captures a name twice.
    private static func isRefused(path: String) -> Bool {
        let route = JSONNode.object(["id": .string("a"), "path": .string(path)])
        return (try? RouteTable(DocumentField(.object(["routes": .array([route])]), path: ""))) == nil
    }
}
