package import LinkRouting

/// A stub: the requests that it answers, the answer, and its part in a scenario.
///
/// It is a class because many places hold a stub: lists, indices and each request in the journal.
package final class StubMapping: Sendable {
    package let id: String
    package let name: String?
    package let request: RequestPattern
    package let response: ResponseDefinition
    /// Lower numbers win; nil counts as 5.
    package let statedPriority: Int?
    package let scenario: String?
    package let requiredState: String?
    package let newState: String?
    package let isPersistent: Bool?
    /// The order in which the stub was added or recorded, as its file states it.
    package let insertionIndex: Int?
    package let metadata: JSONNode?
    /// The stub as WireMock writes it back.
    package let json: JSONNode

    package var priority: Int { statedPriority ?? 5 }

    private static let keys: Set<String> = [
        "id", "uuid", "name", "request", "response", "priority", "scenarioName", "requiredScenarioState",
        "newScenarioState", "persistent", "metadata", "insertionIndex",
        // Editors complete the document with it.
        "$schema",
    ]

    private static let unsupported = [
        "postServeActions": "webhooks (post-serve actions)", "serveEventListeners": "webhooks (serve event listeners)",
    ]

    /// Decodes a mapping.
    ///
    /// - Parameters:
    ///   - id: The id of the stub, which overrides the document's id; nil uses the document's id.
    ///   - newID: Makes an id for a document without one.
    package init(
        _ field: MappingField,
        id: String? = nil,
        templating: Templating,
        newID: () -> String
    ) throws(MappingError) {
        try field.requireKeys(Self.keys, unsupported: Self.unsupported)
        var ids: [String] = []
        if let field = field["id"] { ids.append(try Self.id(field)) }
        if let field = field["uuid"] { ids.append(try Self.id(field)) }
        if id == nil, ids.count == 2, ids[0] != ids[1] {
            throw field.error("id and uuid differ; remove one.")
        }
        self.id = id ?? ids.first ?? newID()
        name = try field["name"]?.text()
        request = try field["request"].map { request throws(MappingError) in try RequestPattern(request) } ?? .anything
        response = try ResponseDefinition(
            field["response"] ?? MappingField(.object([:]), pointer: "\(field.pointer)/response"),
            templating: templating
        )
        statedPriority = try field["priority"]?.int(in: Int(Int32.min)...Int(Int32.max))
        scenario = try field["scenarioName"]?.text()
        requiredState = try field["requiredScenarioState"]?.text()
        newState = try field["newScenarioState"]?.text()
        isPersistent = try field["persistent"]?.bool()
        insertionIndex = try field["insertionIndex"]?.int(in: Int.min...Int.max)
        metadata = field["metadata"].map { withoutNulls($0.node) }
        json = .object([
            "id": .string(self.id),
            "name": name.map(JSONNode.string),
            "request": request.json,
            "response": response.json,
            "uuid": .string(self.id),
            "persistent": isPersistent.map(JSONNode.bool),
            "priority": statedPriority.map { .int($0) },
            "scenarioName": scenario.map(JSONNode.string),
            "requiredScenarioState": requiredState.map(JSONNode.string),
            "newScenarioState": newState.map(JSONNode.string),
            "metadata": metadata,
        ])
    }

    private static func id(_ field: MappingField) throws(MappingError) -> String {
        guard let id = field.node.text, isUUID(id) else {
            throw field.error(
                "\(field.node.json().prefix(60)) is not a UUID of 36 characters; leave it out or write one."
            )
        }
        return id.lowercased()
    }
}

/// Whether the text has the form `0f1e2d3c-0000-4000-8000-000000000001`.
package func isUUID(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.count == 36
        && bytes.enumerated().allSatisfy { index, byte in
            [8, 13, 18, 23].contains(index) ? byte == UInt8(ascii: "-") : hexadecimalValue(byte) != nil
        }
}

/// Removes the members of objects that are null, as WireMock does in metadata.
private func withoutNulls(_ node: JSONNode) -> JSONNode {
    switch node.value {
    case .array(let elements): .array(elements.map(withoutNulls))
    case .object(let members):
        .object(
            members.compactMap { $0.value.value == .null ? nil : JSONNode.Member($0.key, withoutNulls($0.value)) }
        )
    default: node
    }
}
