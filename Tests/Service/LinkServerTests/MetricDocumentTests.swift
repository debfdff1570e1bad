import Foundation
import LinkServer
import TestSupport
import Testing

/// docs/operations.md lists every metric with its labels. The registry accepts `fingerpost_` metrics only with their
/// declared labels (an assertion in debug builds), so the names and labels below are those of /metrics.
struct MetricDocumentTests {
    private static let root = Repository.folder

    /// Metrics in the first column of the tables, written `name{label,…}`.
    private func documented() throws -> [(name: String, labels: Set<String>)] {
        let text = try String(contentsOf: Self.root.appending(path: "docs/operations.md"), encoding: .utf8)
        return text.split(separator: "\n").filter { $0.hasPrefix("| `fingerpost_") }.flatMap { row in
            (row.split(separator: "|").first ?? "").matches(of: /`(\w+)(?:\{([\w,]+)\})?`/).map { match in
                (String(match.1), Set((match.2 ?? "").split(separator: ",").map(String.init)))
            }
        }
    }

    @Test func tableAndDeclarationsAreTheSame() throws {
        let rows = try documented()
        let declared = DeclaredMetrics.all.filter { $0.key.hasPrefix("fingerpost_") }
        #expect(rows.count == Set(rows.map(\.name)).count, "a metric is in two rows")
        for row in rows {
            let labels = try #require(declared[row.name]?.labels, "\(row.name) does not exist")
            #expect(row.labels == labels, "\(row.name)")
        }
        #expect(Set(declared.keys).subtracting(rows.map(\.name)) == [], "missing in docs/operations.md")
    }

    /// Every declared metric is made somewhere, and every metric that is made is declared.
    @Test func declarationsAndSourcesAreTheSame() throws {
        let sources = Self.root.appending(path: "Sources").path
        var made: Set<String> = []
        for file in try FileManager.default.subpathsOfDirectory(atPath: sources)
        where file.hasSuffix(".swift") && !file.hasSuffix("/DeclaredMetrics.swift") {
            let text = try String(contentsOf: URL(filePath: "\(sources)/\(file)"), encoding: .utf8)
            // Names of temporary files have the prefix too, but go on with an interpolation.
            made.formUnion(text.matches(of: /"((?:fingerpost|process)_[a-z0-9_]+)"/).map { String($0.1) })
        }
        #expect(made == Set(DeclaredMetrics.all.keys))
    }
}
