public import LinkRouting

/// What was found in a run over one or more association files, ready to be written for people or machines.
public struct AssociationReport: Sendable, Hashable {
    public var files: [File]

    public struct File: Sendable, Hashable {
        /// As a reader knows it: a path relative to the repository, or a URL.
        public var name: String
        /// In the order of ``AssociationFinding/precedes(_:_:)``.
        public var findings: [AssociationFinding]
        /// The file's own bytes, if the report may quote lines out of them.
        public var bytes: [UInt8]?

        public init(_ name: String, _ findings: [AssociationFinding], bytes: [UInt8]? = nil) {
            self.name = name
            self.findings = findings.sorted(by: AssociationFinding.precedes)
            self.bytes = bytes
        }
    }

    public init(_ files: [File]) { self.files = files }

    /// The gravest severity of all findings; nil without any.
    public var severity: Finding.Severity? { files.flatMap(\.findings).map(\.severity).max() }

    /// `{"findings": […]}`, with the `file` of each finding when there are several files.
    public func json(_ layout: JSONWriter.Layout = .compact) -> String {
        JSONNode.object(["findings": .array(findingsJSON)]).json(layout)
    }

    /// What ``json(_:)`` lists.
    public var findingsJSON: [JSONNode] {
        files.flatMap { file in file.findings.map { $0.json(file: files.count > 1 ? file.name : nil) } }
    }
}

extension AssociationFinding {
    /// `code`, `severity`, `pointer`, `line`, `column`, `message` and `fix`.
    public var json: JSONNode { json(file: nil) }

    fileprivate func json(file: String?) -> JSONNode {
        .object([
            "file": file.map(JSONNode.string), "code": .string(code.rawValue), "severity": .string(severity.rawValue),
            "pointer": .string(pointer), "line": .int(position.line), "column": .int(position.column),
            "message": .string(message), "fix": .string(fix),
        ])
    }
}
