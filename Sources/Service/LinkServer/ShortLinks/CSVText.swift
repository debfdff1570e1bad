import LinkRouting

/// A row of comma-separated values, as RFC 4180 describes it.
package enum CSVText {
    /// With the wide forms, which spreadsheets take for the same.
    private static let formulaStarts: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]

    /// The row with its line break. A spreadsheet must not take a cell for a formula, so `'` is put before one that begins
    /// like that; ``cell(_:)`` removes it.
    package static func row(_ cells: [String]) -> String {
        let texts = cells.map { cell in
            let text = startsAsFormula(cell) ? "'\(cell)" : cell
            guard text.utf8.contains(where: { ",;\"\t\r\n".utf8.contains($0) }) else { return text }
            return text.quotedForCSV
        }
        return texts.joined(separator: ",") + "\r\n"
    }

    /// The text of a cell that ``row(_:)`` may have written.
    package static func cell(_ text: String) -> String {
        text.first == "'" && startsAsFormula(text) ? String(text.dropFirst()) : text
    }

    /// Whether a formula could follow any number of `'`.
    private static func startsAsFormula(_ text: String) -> Bool {
        text.unicodeScalars.first { $0 != "'" }.map(formulaStarts.contains) ?? false
    }
}
