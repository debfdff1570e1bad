package import LinkRouting

extension LinkField {
    /// The text of the field in a link of the admin API, as ``JSONNode/shortLink(_:)`` reads it; nil without one.
    package func text(in link: JSONNode) -> String? {
        switch self {
        case .tags:
            guard let tags = link["tags"]?.elements, !tags.isEmpty else { return nil }
            return tags.compactMap(\.text).joined(separator: ", ")
        // Nothing is imported as blocked.
        case .archived: return ["archived", "blocked"].contains(link["status"]?.text) ? "true" : nil
        default:
            // Such as "utm_source".
            let names = rawValue.split(separator: "_").map(String.init)
            return names.reduce(Optional(link)) { $0?[$1] }?.text
        }
    }
}

extension JSONNode {
    /// A link for the admin API. Fields without a text are left out; commas separate tags.
    package static func shortLink(_ text: (LinkField) -> String?) -> JSONNode {
        func value(_ field: LinkField) -> JSONNode? { text(field).map(JSONNode.string) }
        func group(_ members: KeyValuePairs<String, JSONNode?>) -> JSONNode? {
            let object = JSONNode.object(members)
            return object.members?.isEmpty == false ? object : nil
        }
        let tags = text(.tags)?.split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty } ?? []
        return .object([
            "code": value(.code), "target": value(.target), "title": value(.title), "note": value(.note),
            "tags": tags.isEmpty ? nil : .array(tags.map(JSONNode.string)),
            "utm": group([
                "source": value(.source), "medium": value(.medium), "campaign": value(.campaign), "term": value(.term),
                "content": value(.content),
            ]),
            "preview": group([
                "title": value(.previewTitle), "description": value(.previewDescription),
                "image": value(.previewImage),
            ]),
            "expires": value(.expires), "createdAt": value(.createdAt),
            "archived": text(.archived) == nil ? nil : .bool(true),
        ])
    }
}
