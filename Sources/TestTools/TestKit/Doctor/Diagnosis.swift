package import LinkRouting

/// An obstacle in an app's project to tests with links.
package struct Diagnosis: Sendable, Hashable {
    package let severity: Finding.Severity
    /// Relative to the project folder; nil if it is about no file.
    package let path: String?
    /// The line in the file; nil if it is about the whole file.
    package let line: Int?
    package let message: String
    /// The lines to add, ready to be copied.
    package let fix: [String]

    init(
        _ severity: Finding.Severity,
        in path: String? = nil,
        line: Int? = nil,
        _ message: String,
        fix: [String] = []
    ) {
        self.severity = severity
        self.path = path
        self.line = line
        self.message = message
        self.fix = fix
    }

    /// A line for people, followed by the lines to add.
    package var lines: [String] {
        let location = path.map { $0 + (line.map { ":\($0)" } ?? "") + ": " } ?? ""
        return ["\(severity.rawValue): \(location)\(message)"] + fix.map { $0.isEmpty ? "" : "    " + $0 }
    }

    package var json: JSONNode {
        .object([
            "severity": .string(severity.rawValue), "path": path.map(JSONNode.string), "line": line.map { .int($0) },
            "message": .string(message), "fix": fix.isEmpty ? nil : .array(fix.map(JSONNode.string)),
        ])
    }
}
