package import LinkRouting

/// The JSON Schema (draft 2020-12) of a document that people write. The YAML files beside this one define it; editors,
/// the description of the HTTP API and docs/reference.md use the same definitions.
package struct DocumentSchema: Sendable {
    /// One named schema. A reference to it is `#/$defs/NAME`.
    package struct Definition: Sendable {
        package let name: String
        package let schema: JSONNode

        package init(name: String, schema: JSONNode) {
            self.name = name
            self.schema = schema
        }
    }

    /// The definitions of one file, in its order.
    package struct Chapter: Sendable {
        package let title: String
        package let definitions: [Definition]
    }

    package static let tenant = DocumentSchema(root: "TenantFile")
    package static let suite = DocumentSchema(root: "Suite")

    package static let chapters = [
        Chapter("Tenant files", PackageResources.tenant_yaml),
        Chapter("Tenant settings", PackageResources.settings_yaml),
        Chapter("Tables", PackageResources.table_yaml), Chapter("Suites", PackageResources.suite_yaml),
    ]
    package static let definitions = chapters.flatMap(\.definitions)

    /// The name of the definition of the whole document.
    private let root: String

    private init(root: String) { self.root = root }

    /// The schema with the definitions that it uses.
    package var node: JSONNode {
        guard let own = Self.definition(root) else { preconditionFailure("'\(root)' is one of the definitions") }
        let used = Self.used(by: own.schema).filter { $0.name != root }
        let definitions = used.map { JSONNode.Member($0.name, $0.schema) }
        return JSONNode(
            .object(
                [JSONNode.Member("$schema", .string("https://json-schema.org/draft/2020-12/schema"))]
                    + (own.schema.members ?? []) + [JSONNode.Member("$defs", JSONNode(.object(definitions)))]
            )
        )
    }

    package static func definition(_ name: String) -> Definition? { definitions.first { $0.name == name } }

    /// The definitions that a schema refers to, directly or indirectly, in the order of the files.
    ///
    /// - Parameter prefix: What precedes the name in a reference.
    package static func used(by schema: JSONNode, prefix: String = referencePrefix) -> [Definition] {
        var names: Set<String> = []
        var waiting = references(in: schema, prefix: prefix)
        while let name = waiting.popLast() {
            guard names.insert(name).inserted, let definition = definition(name) else { continue }
            waiting += references(in: definition.schema, prefix: referencePrefix)
        }
        return definitions.filter { names.contains($0.name) }
    }

    package static let referencePrefix = "#/$defs/"

    /// The names in all references that start with the prefix.
    package static func references(in schema: JSONNode, prefix: String) -> [String] {
        var names: [String] = []
        var nodes = [schema]
        while let node = nodes.popLast() {
            if let reference = node["$ref"]?.text, reference.hasPrefix(prefix) {
                names.append(String(reference.dropFirst(prefix.count)))
            }
            nodes += node.elements ?? (node.members ?? []).map(\.value)
        }
        return names
    }
}

extension DocumentSchema.Chapter {
    fileprivate init(_ title: String, _ file: [UInt8]) {
        do {
            let root = try Document.readYAML(String(decoding: file, as: UTF8.self))
            let definitions = (root.members ?? []).map {
                DocumentSchema.Definition(name: $0.key, schema: $0.value)
            }
            self.init(title: title, definitions: definitions)
        } catch {
            preconditionFailure("the schemas are part of this program, and tests read them: \(error)")
        }
    }
}
