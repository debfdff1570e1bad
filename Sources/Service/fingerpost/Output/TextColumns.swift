import Foundation
import LinkRouting

/// Cells in columns with the widths of their longest cells. The first column is left-aligned.
package struct TextColumns {
    package enum Alignment { case left, right }

    private let rows: [[String]]
    private let hasHeaders: Bool
    private let others: Alignment
    private let widths: [Int]

    /// Cells are escaped before they are measured.
    ///
    /// - Parameter others: The alignment of all columns but the first: right for numbers, left for text.
    package init(_ rows: [[String]], others: Alignment = .right) {
        self.init(rows.map { $0.map(\.escapedForTerminal) }, hasHeaders: false, others, widths: [])
    }

    /// A list under the names of its columns; empty without rows. A column without any text is left out.
    package init(_ rows: [[String]], under headers: [String]) {
        let used = headers.indices.filter { column in rows.contains { !$0[column].isEmpty } }
        let cells = (rows.isEmpty ? [] : [headers] + rows).map { row in used.map { row[$0].escapedForTerminal } }
        self.init(cells, hasHeaders: !rows.isEmpty, .left, widths: [])
    }

    /// A part of a list whose columns have these widths, so that all parts are aligned. Longer cells are cut.
    ///
    /// - Parameter headers: Nil for all parts but the first.
    package init(_ rows: [[String]], under headers: [String]?, widths: [Int]) {
        let cells = ((headers.map { [$0] } ?? []) + rows).map { row in
            zip(row, widths).map { cell, width in
                let text = cell.escapedForTerminal
                return text.count > width ? String(text.prefix(width - 1)) + "…" : text
            }
        }
        self.init(cells, hasHeaders: headers != nil, .left, widths: widths)
    }

    private init(_ rows: [[String]], hasHeaders: Bool, _ others: Alignment, widths: [Int]) {
        self.rows = rows
        self.hasHeaders = hasHeaders
        self.others = others
        let count = rows.map(\.count).max() ?? 0
        let longest = (0..<count).map { column in rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0 }
        self.widths = widths.isEmpty ? longest : widths
    }

    package var lines: [String] { lines { _, _, cell in cell } }

    /// The lines for a terminal: headers are bold, and outcomes have colours besides their names.
    package var styledLines: [String] {
        let outcomes = hasHeaders ? rows.first?.firstIndex(of: "outcome") : nil
        return lines { row, column, cell in
            let code = hasHeaders && row == 0 ? "1" : column == outcomes ? Self.colours[cell] : nil
            return code.map { "\u{1B}[\($0)m\(cell)\u{1B}[0m" } ?? cell
        }
    }

    /// Colours of cells: green, yellow and red.
    private static let colours = ["matched": "32", "fallback": "33", "unmatched": "33", "rejected": "31"]

    private func lines(_ style: (_ row: Int, _ column: Int, _ cell: String) -> String) -> [String] {
        rows.enumerated().map { index, row in
            // Spaces at the end are left out.
            let count = (row.lastIndex { !$0.isEmpty } ?? -1) + 1
            return row.prefix(count).enumerated().map { column, cell in
                let text = style(index, column, cell)
                let isLeft = column == 0 || others == .left
                guard column < count - 1 || !isLeft else { return text }
                let padding = String(repeating: " ", count: max(0, widths[column] - cell.count))
                return isLeft ? text + padding : padding + text
            }.joined(separator: "  ")
        }
    }
}

/// Writes a list to standard output. A terminal shows it with styles, unless the variable NO_COLOR is set.
package func show(_ columns: TextColumns) {
    let lines = StandardOutput.showsStyles ? columns.styledLines : columns.lines
    for line in lines { StandardOutput.write(line + "\n") }
}
