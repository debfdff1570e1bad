package import LinkEvents
package import LinkRouting

/// The selection of recorded links for a replay.
package struct ReplayRequest: Sendable {
    /// Length of the period that ends now, in seconds.
    package var seconds: Int64
    /// Maximum number of events; the newest are replayed.
    package var limit: Int
    package var purposes: Set<Event.Purpose>

    /// Default and permitted values of `seconds`.
    package static let defaultSeconds: Int64 = 86_400
    package static let secondsRange: ClosedRange<Int64> = 1...31_622_400
    /// Default and permitted values of `limit`.
    package static let defaultLimit = 100_000
    package static let limitRange: ClosedRange<Int64> = 1...1_000_000

    package init(
        seconds: Int64 = Self.defaultSeconds,
        limit: Int = Self.defaultLimit,
        purposes: Set<Event.Purpose> = [.live]
    ) {
        self.seconds = seconds
        self.limit = limit
        self.purposes = purposes
    }

    /// Reads `{sinceSeconds, limit, purposes}`; all members are optional.
    package init(_ object: ObjectField) throws {
        self.init()
        if let field = object["sinceSeconds"] { seconds = try field.int(in: Self.secondsRange) }
        if let field = object["limit"] { limit = Int(try field.int(in: Self.limitRange)) }
        if let field = object["purposes"] {
            purposes = Set(try field.list().map { try $0.choice(Event.Purpose.self) })
            guard !purposes.isEmpty else { throw field.error("name at least one purpose, such as live.") }
        }
    }

    /// The request in the form that the API takes.
    package var json: JSONNode {
        .object([
            "sinceSeconds": .int(seconds), "limit": .int(limit),
            "purposes": .array(purposes.map(\.rawValue).sorted().map(JSONNode.string)),
        ])
    }
}
