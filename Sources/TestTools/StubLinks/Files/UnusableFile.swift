import LinkRouting

/// The errors of a tenant file or a suite that cannot be used, as lines of the form `shop.yaml:12:5: ERROR`.
package struct UnusableFile: Error, CustomStringConvertible, Hashable, Sendable {
    package let lines: [String]

    package var description: String { lines[0] }

    /// The maximum number of errors of a file in a report.
    private static let maximumLines = 20

    init(_ path: String, _ message: String, at position: JSONNode.Position = .unknown) {
        lines = [Self.line(path, position, message)]
    }

    init(_ path: String, _ findings: [Finding]) {
        let lines = findings.map { finding in
            let location = finding.path.isEmpty ? "" : "\(finding.path): "
            let fix = finding.fix.isEmpty ? "" : " \(finding.fix)"
            return Self.line(path, finding.position ?? .unknown, "\(location)\(finding.message)\(fix)")
        }
        let rest = lines.count > Self.maximumLines ? ["\(path): \(lines.count - Self.maximumLines) more errors"] : []
        self.lines = Array(lines.prefix(Self.maximumLines)) + rest
    }

    init(_ path: String, _ error: DocumentError) {
        let location = error.path.isEmpty ? "" : "\(error.path): "
        self.init(path, location + error.message, at: error.position)
    }

    private static func line(_ path: String, _ position: JSONNode.Position, _ message: String) -> String {
        let location = position.line > 0 ? ":\(position.line):\(position.column)" : ""
        return "\(path)\(location): \(message)"
    }
}
