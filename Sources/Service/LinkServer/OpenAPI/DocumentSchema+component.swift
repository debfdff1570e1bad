import LinkCatalog
import LinkRouting

extension DocumentSchema {
    /// The text before the name of a schema in a reference of an OpenAPI document.
    static let componentPrefix = "#/components/schemas/"
}

extension DocumentSchema.Definition {
    /// The schema as a component of an OpenAPI document.
    ///
    /// It has no titles, because client generators would name types after them, and no defaults, because generated
    /// clients would send them, even where they are not valid, such as beside `block`. In the API, null counts as an omitted
    /// member, and a stored document is returned as it was written, so optional members may be null.
    var component: JSONNode { schema.asComponent }

    /// The schema without the requirement of a member.
    func withoutRequiring(_ key: String) -> DocumentSchema.Definition {
        let members = (schema.members ?? []).map { member in
            guard member.key == "required" else { return member }
            return JSONNode.Member("required", .array((member.value.elements ?? []).filter { $0.text != key }))
        }
        return DocumentSchema.Definition(name: name, schema: JSONNode(.object(members)))
    }
}

extension JSONNode {
    private static let nullSchema = JSONNode.object(["type": .string("null")])

    fileprivate var asComponent: JSONNode {
        if let elements { return .array(elements.map(\.asComponent)) }
        guard let members else { return self }
        let required = Set((self["required"]?.elements ?? []).compactMap(\.text))
        let isType = self["type"] != nil
        return JSONNode(
            .object(
                members.compactMap { member in
                    switch (member.key, member.value.value) {
                    case ("title", .string), ("default", _): nil
                    case ("$ref", .string(let reference)) where reference.hasPrefix(DocumentSchema.referencePrefix):
                        Member(
                            "$ref",
                            .string(
                                DocumentSchema.componentPrefix
                                    + reference.dropFirst(DocumentSchema.referencePrefix.count)
                            )
                        )
                    case ("properties", .object(let properties)):
                        Member(
                            "properties",
                            JSONNode(
                                .object(
                                    properties.map { property in
                                        let schema = property.value.asComponent
                                        let isOptional = isType && !required.contains(property.key)
                                        return Member(property.key, isOptional ? schema.orNull : schema.nullIfNever)
                                    }
                                )
                            )
                        )
                    default: Member(member.key, member.value.asComponent)
                    }
                }
            )
        )
    }

    /// The schema `false` as a schema of null.
    private var nullIfNever: JSONNode { bool == false ? Self.nullSchema : self }

    /// The schema with null in addition.
    private var orNull: JSONNode {
        guard let members, !members.isEmpty else { return nullIfNever }
        if self["$ref"] != nil || self["const"] != nil {
            guard self["$ref"]?.text != DocumentSchema.componentPrefix + "JSONValue" else { return self }
            let choice = members.filter { ["$ref", "const"].contains($0.key) }
            let rest = members.filter { !["$ref", "const"].contains($0.key) }
            let choices = JSONNode.array([JSONNode(.object(choice)), Self.nullSchema])
            return JSONNode(.object([Member("anyOf", choices)] + rest))
        }
        return JSONNode(
            .object(
                members.map { member in
                    switch (member.key, member.value.value) {
                    case ("anyOf", .array(let choices)) where !choices.contains(Self.nullSchema):
                        Member("anyOf", .array(choices + [Self.nullSchema]))
                    case ("enum", .array(let values)) where !values.contains(.null):
                        Member("enum", .array(values + [.null]))
                    case ("type", .array(let types)) where !types.contains(.string("null")):
                        Member("type", .array(types + [.string("null")]))
                    case ("type", .string) where member.value != .string("null"):
                        Member("type", .array([member.value, .string("null")]))
                    default: member
                    }
                }
            )
        )
    }
}
