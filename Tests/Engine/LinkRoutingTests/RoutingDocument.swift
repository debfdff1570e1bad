import Foundation
import LinkRouting
import TestSupport

/// docs/routing.md and docs/routing-conformance.md. Tests use their tables as input.
enum RoutingDocument {
    struct Missing: Error {
        let heading: String
    }

    /// The rows of all tables under a level-two heading, without header rows. Cells are without backticks.
    static func rows(under heading: String) throws -> [[String]] {
        let docs = Repository.file("docs")
        let lines = try ["routing.md", "routing-conformance.md"].flatMap {
            try String(contentsOf: docs.appending(path: $0), encoding: .utf8)
                .split(separator: "\n", omittingEmptySubsequences: false)
        }
        guard let start = lines.firstIndex(of: "## \(heading)") else { throw Missing(heading: heading) }
        let section = lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }
        let tables = section.split { !$0.hasPrefix("|") }
        return tables.flatMap { table in table.dropFirst(2).map(cells) }
    }

    /// Splits a row at `|` but not at `\|`.
    private static func cells(_ row: Substring) -> [String] {
        let marker = "\u{1}"
        return row.dropFirst().dropLast().replacing("\\|", with: marker).split(separator: "|").map { cell in
            let text = cell.replacing(marker, with: "|").trimmingCharacters(in: .whitespaces)
            guard text.hasPrefix("`"), text.hasSuffix("`") else { return text }
            let code = String(text.dropFirst().dropLast())
            return code == " " ? "" : code
        }
    }

    /// Expands `{x*3}` to `xxx`, `{U+0301}` to the scalar and `{0xFF}` to the byte. Other braces are literal.
    static func expanded(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let brace = rest.firstIndex(of: "{") {
            bytes += rest[..<brace].utf8
            rest = rest[brace...]
            if let match = rest.prefixMatch(of: /\{(.)\*(\d+)\}/), let count = Int(match.2) {
                for _ in 0..<count { bytes += match.1.utf8 }
                rest = rest[match.range.upperBound...]
            } else if let match = rest.prefixMatch(of: /\{U\+([0-9A-F]{4,6})\}/),
                let scalar = UInt32(match.1, radix: 16).flatMap(Unicode.Scalar.init)
            {
                bytes += String(scalar).utf8
                rest = rest[match.range.upperBound...]
            } else if let match = rest.prefixMatch(of: /\{0x([0-9A-F]{2})\}/), let byte = UInt8(match.1, radix: 16) {
                bytes.append(byte)
                rest = rest[match.range.upperBound...]
            } else {
                bytes.append(UInt8(ascii: "{"))
                rest = rest.dropFirst()
            }
        }
        return bytes + rest.utf8
    }

    static func json(_ cell: String) throws -> JSONNode {
        try JSONReader.parse(expanded(cell), limits: JSONReader.Limits(maximumBytes: 100_000))
    }
}
