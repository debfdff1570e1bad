import FoundationEssentials
import LinkRouting
import TestSupport
import Testing

/// docs/tables.md lists every finding code.
struct FindingDocumentTests {
    @Test func tableOfCodesIsComplete() throws {
        let file = Repository.file("docs/tables.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let rows = text.split(separator: "\n").compactMap { line -> (code: String, severity: String)? in
            let cells = line.split(separator: "|").map { $0.trimming(while: { $0 == " " || $0 == "`" }) }
            guard cells.count == 3, Finding.Severity(rawValue: cells[1]) != nil else { return nil }
            return (cells[0], cells[1])
        }

        #expect(rows.map(\.code) == Finding.Code.allCases.map(\.rawValue))
    }
}

extension Substring {
    fileprivate func trimming(while isTrimmed: (Character) -> Bool) -> String {
        var text = drop(while: isTrimmed)
        while let last = text.last, isTrimmed(last) { text.removeLast() }
        return String(text)
    }
}
