package import LinkEvents
package import LinkRouting

/// Which recorded links somebody wants replayed.
package struct ReplayRequest: Sendable {
    /// Back from now.
    package var seconds: Int64
    /// At most so many events, the newest.
    package var limit: Int
    package var purposes: Set<Event.Purpose>

    package static let usualSeconds: Int64 = 86_400
    package static let secondsRange: ClosedRange<Int64> = 1...31_622_400
    package static let usualLimit = 100_000
    package static let limitRange: ClosedRange<Int64> = 1...1_000_000

    package init(
        seconds: Int64 = Self.usualSeconds,
        limit: Int = Self.usualLimit,
        purposes: Set<Event.Purpose> = [.live]
    ) {
        self.seconds = seconds
        self.limit = limit
        self.purposes = purposes
    }

    /// Reads `{sinceSeconds, limit, purposes}`, all of it optional.
    package init(_ object: ObjectField) throws {
        self.init()
        if let field = object["sinceSeconds"] { seconds = try field.int(in: Self.secondsRange) }
        if let field = object["limit"] { limit = Int(try field.int(in: Self.limitRange)) }
        if let field = object["purposes"] {
            purposes = Set(try field.list().map { try $0.choice(Event.Purpose.self) })
            guard !purposes.isEmpty else { throw field.error("name at least one purpose, such as live.") }
        }
    }

    /// As the API takes it.
    package var json: JSONNode {
        .object([
            "sinceSeconds": .int(seconds), "limit": .int(limit),
            "purposes": .array(purposes.map(\.rawValue).sorted().map(JSONNode.string)),
        ])
    }
}
