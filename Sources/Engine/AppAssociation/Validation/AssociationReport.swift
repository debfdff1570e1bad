public import LinkRouting

/// The findings of a run over one or more association files, with output formats for people and machines.
public struct AssociationReport: Sendable, Hashable {
    public var files: [File]

    /// One file and its findings.
    public struct File: Sendable, Hashable {
        /// The name that a reader knows: a path relative to the repository, or a URL.
        public var name: String
        /// The findings in the order of ``AssociationFinding/precedes(_:_:)``.
        public var findings: [AssociationFinding]
        /// The contents of the file; nil if the report must not quote its lines.
        public var bytes: [UInt8]?

        public init(_ name: String, _ findings: [AssociationFinding], bytes: [UInt8]? = nil) {
            self.name = name
            self.findings = findings.sorted(by: AssociationFinding.precedes)
            self.bytes = bytes
        }
    }

    public init(_ files: [File]) { self.files = files }

    /// The highest severity of all findings; nil if there are none.
    public var severity: Finding.Severity? { files.flatMap(\.findings).map(\.severity).max() }

    /// Returns `{"findings": […]}`. Each finding has a `file` if there are several files.
    public func json(_ layout: JSONWriter.Layout = .compact) -> String {
        JSONNode.object(["findings": .array(findingsJSON)]).json(layout)
    }

    /// The findings as ``json(_:)`` lists them.
    public var findingsJSON: [JSONNode] {
        files.flatMap { file in file.findings.map { $0.json(file: files.count > 1 ? file.name : nil) } }
    }
}

extension AssociationFinding {
    /// The finding as JSON: `code`, `severity`, `pointer`, `line`, `column`, `message` and `fix`.
    public var json: JSONNode { json(file: nil) }

    fileprivate func json(file: String?) -> JSONNode {
        .object([
            "file": file.map(JSONNode.string), "code": .string(code.rawValue), "severity": .string(severity.rawValue),
            "pointer": .string(pointer), "line": .int(position.line), "column": .int(position.column),
            "message": .string(message), "fix": .string(fix),
        ])
    }
}
