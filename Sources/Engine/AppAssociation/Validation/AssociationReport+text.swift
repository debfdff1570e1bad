import LinkRouting

extension AssociationReport {
    /// The report for a terminal: each finding with its line of the file and its fix, and a summary.
    public var text: String { lines.joined(separator: "\n") }

    package var lines: [String] {
        let lines = files.flatMap { file in
            let sources = file.bytes.map { $0.split(separator: 0x0A, omittingEmptySubsequences: false) } ?? []
            return file.findings.flatMap { $0.lines(of: file.name, sources) }
        }
        return lines + [summary]
    }

    private var summary: String {
        let findings = files.flatMap(\.findings)
        let counts = [Finding.Severity.error, .warning, .info].compactMap { severity -> String? in
            let count = findings.count { $0.severity == severity }
            guard count > 0 else { return nil }
            return severity == .info ? "\(count) info" : "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
        }
        return "\(counts.isEmpty ? "no findings" : counts.joined(separator: ", ")) in \(files.count) file"
            + (files.count == 1 ? "" : "s")
    }
}

extension AssociationFinding {
    /// The maximum length of a quoted line in Unicode scalars. A caret under a longer line is hard to find.
    private static let longestQuote = 160

    fileprivate func lines(of file: String, _ sources: [ArraySlice<UInt8>]) -> [String] {
        let place = "\(file.escapedForTerminal):\(position.line):\(position.column)"
        var lines = ["\(place): \(severity.rawValue) \(code) \(message.escapedForTerminal)"]
        if sources.indices.contains(position.line - 1), !pointer.isEmpty || position != Self.wholeFile {
            let source = String(decoding: sources[position.line - 1], as: UTF8.self).unicodeScalars
            let width = position.column - 1
            if source.count <= Self.longestQuote, width < source.count {
                let indent = source.prefix(width).map { $0 == "\t" ? "\t" : " " }.joined()
                lines += ["    " + String(String.UnicodeScalarView(source)).escapedForTerminal, "    \(indent)^"]
            }
        }
        return lines + ["    fix: \(fix.escapedForTerminal)"]
    }
}
