import LinkCatalog
import LinkRouting

/// docs/reference.md: every key of tenant files, suites and the configuration.
package struct ReferencePage {
    private let configuration: [ConfigurationKeyDescription]

    /// - Parameter configuration: The text of config/fingerpost.yaml.
    package init(configuration: String) { self.configuration = ConfigurationKeyDescription.all(in: configuration) }

    package var markdown: String {
        var lines = [
            "# Reference: tenant files, suites, configuration",
            "",
            "Every key of the files that you write. `fingerpost schema --format markdown` prints this page, and a test compares",
            "both. [routing.md](routing.md) explains how routes are matched, and [tables.md](tables.md) how to edit and publish",
            "them. The same content for editors is in the JSON Schemas that `fingerpost schema` and `fingerpost schema suite`",
            "print: see [tables.md](tables.md#schemas-for-editors).",
            "",
            "A key without a default has no effect if it is missing, unless its description says otherwise. A key with the value",
            "`null` counts as missing. An unknown key is an error.",
        ]
        for chapter in DocumentSchema.chapters {
            lines += ["", "## \(chapter.title)"]
            for definition in chapter.definitions { lines += [""] + Self.section(definition) }
        }
        lines += ["", "## Configuration", ""]
        lines += [
            "The keys of the file of `fingerpost serve --config`. Flags override the environment, which overrides the file. The",
            "variable of `limits.bodyBytes` is `FINGERPOST_LIMITS_BODY_BYTES`. `fingerpost config` prints the effective values.",
            "",
            "| key | type | default | limits | meaning |", "| --- | --- | --- | --- | --- |",
        ]
        lines += configuration.map { key in
            Self.row(["`\(key.name)`", key.type, key.standard, key.limits, key.meaning])
        }
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: One definition

    private static func section(_ definition: DocumentSchema.Definition) -> [String] {
        let schema = definition.schema
        var lines = ["### \(Self.title(definition))", "", schema["description"]?.text ?? ""]
        guard let properties = schema["properties"]?.members else {
            let limits = SchemaText(schema).limits
            lines += ["", "Type: \(SchemaText(schema).type)." + (limits.isEmpty ? "" : " Limits: \(limits).")]
            return lines
        }
        let required = Set((schema["required"]?.elements ?? []).compactMap(\.text))
        lines += ["", "| key | type | default | limits | meaning |", "| --- | --- | --- | --- | --- |"]
        lines += properties.map { property in
            let text = SchemaText(property.value)
            return row([
                "`\(property.key)`", text.type, required.contains(property.key) ? "required" : text.standard,
                text.limits, property.value["description"]?.text ?? "",
            ])
        }
        return lines
    }

    static func title(_ definition: DocumentSchema.Definition) -> String {
        definition.schema["title"]?.text ?? definition.name
    }

    private static func row(_ cells: [String]) -> String {
        "| " + cells.map(\.escapedForMarkdownCell).joined(separator: " | ") + " |"
    }
}
