package import LinkRouting

/// The parts that a `multipart/…` body must have.
package struct MultipartPattern: Sendable {
    package enum Matching: String, Sendable {
        /// At least one part matches.
        case any = "ANY"
        /// Every part matches.
        case all = "ALL"
    }

    package let name: String?
    package let matching: Matching
    package let headers: [NamedMatcher<ValuesMatcher>]?
    package let bodyPatterns: [ValueMatcher]?
    /// The pattern as WireMock writes it back.
    package let json: JSONNode

    init(_ field: MappingField) throws(MappingError) {
        try field.requireKeys(["name", "matchingType", "headers", "bodyPatterns", "fileName"], unsupported: [:])
        if let fileName = field["fileName"] {
            throw fileName.error("matching by fileName is not supported; match the header Content-Disposition.")
        }
        name = try field["name"]?.text()
        matching =
            try field["matchingType"].map { type throws(MappingError) in
                guard let matching = Matching(rawValue: try type.text()) else {
                    throw type.error("matchingType is ANY or ALL.")
                }
                return matching
            } ?? .any
        headers = try field["headers"].map { headers throws(MappingError) in
            try headers.namedValues().map { entry throws(MappingError) in
                NamedMatcher(name: entry.key, matcher: try ValuesMatcher(entry.value))
            }
        }
        bodyPatterns = try field["bodyPatterns"].map { list throws(MappingError) in
            try list.list().map { entry throws(MappingError) in try ValueMatcher(entry) }
        }
        json = .object([
            "name": name.map(JSONNode.string),
            "matchingType": .string(matching.rawValue),
            "headers": headers.map { .object($0.map { JSONNode.Member($0.name, $0.matcher.json) }) },
            "bodyPatterns": bodyPatterns.map { .array($0.map(\.json)) },
        ])
    }

    func matches(_ parts: [MultipartBody.Part], at now: Timestamp) throws -> Bool {
        switch matching {
        case .any: try parts.contains { try matches($0, at: now) }
        case .all: try parts.allSatisfy { try matches($0, at: now) }
        }
    }

    func matches(_ part: MultipartBody.Part, at now: Timestamp) throws -> Bool {
        if let name, part.name.map({ !$0.isExactly(name) }) ?? true { return false }
        let body = part.body.isEmpty ? nil : MatchedText(part.bodyText, bytes: part.body)
        return try headers?.allSatisfy { try $0.matcher.matches(part.headerValues($0.name), at: now) } ?? true
            && bodyPatterns?.allSatisfy { try $0.matches(body, at: now) } ?? true
    }
}

extension JSONNode {
    /// Creates an object of members in this order.
    package static func object(_ members: [Member]) -> JSONNode { JSONNode(.object(members)) }
}
