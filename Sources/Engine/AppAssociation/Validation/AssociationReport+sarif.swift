public import LinkRouting

extension AssociationReport {
    /// Returns the report as SARIF 2.1.0 (OASIS), which code hosts show next to the lines of a change. It has one run.
    /// File names are treated as relative to the repository.
    public func sarif(version: String, _ layout: JSONWriter.Layout = .compact) -> String {
        let found = Set(files.flatMap(\.findings).map(\.code))
        let rules = AssociationFinding.catalogue.filter { found.contains($0.code) }
        let places = Dictionary(uniqueKeysWithValues: rules.enumerated().map { ($1.code, $0) })
        let results = files.flatMap { file in
            file.findings.map { $0.sarif(file: file.name, ruleIndex: places[$0.code]) }
        }
        let driver = JSONNode.object([
            "name": .string("fingerpost"), "version": .string(version), "rules": .array(rules.map(\.sarif)),
        ])
        return JSONNode.object([
            "$schema": .string("https://json.schemastore.org/sarif-2.1.0.json"), "version": .string("2.1.0"),
            "runs": .array([
                .object([
                    "tool": .object(["driver": driver]), "columnKind": .string("unicodeCodePoints"),
                    "results": .array(results),
                ])
            ]),
        ]).json(layout)
    }
}

extension AssociationFinding.Definition {
    fileprivate var sarif: JSONNode {
        .object([
            "id": .string(code.rawValue), "shortDescription": .object(["text": .string("\(title).")]),
            "defaultConfiguration": .object(["level": .string(severity.sarif)]),
        ])
    }
}

extension AssociationFinding {
    fileprivate func sarif(file: String, ruleIndex: Int?) -> JSONNode {
        let region = JSONNode.object([
            "startLine": .int(max(1, position.line)), "startColumn": .int(max(1, position.column)),
        ])
        return .object([
            "ruleId": .string(code.rawValue), "ruleIndex": ruleIndex.map { .int($0) },
            "level": .string(severity.sarif),
            "message": .object(["text": .string("\(message) \(fix)")]),
            "locations": .array([
                .object([
                    "physicalLocation": .object([
                        "artifactLocation": .object(["uri": .string(file.uri)]), "region": region,
                    ])
                ])
            ]),
        ])
    }
}

extension Finding.Severity {
    fileprivate var sarif: String {
        switch self {
        case .error: "error"
        case .warning: "warning"
        case .info: "note"
        }
    }
}

extension String {
    /// The text as a relative URI: bytes that a path must not contain are percent-encoded.
    fileprivate var uri: String {
        let plain = ByteSet.letters.union(.digits).union(ByteSet("-._~!$&'()*+,;=@/"))
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = utf8.flatMap { byte in
            plain.contains(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
