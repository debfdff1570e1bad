package import LinkRouting

/// The type of a JSON value, inferred from the values that a file has.
package indirect enum JSONShape: Sendable, Hashable {
    /// All values are null.
    case null
    case bool, int, double, string
    /// Nil for an empty list.
    case list(JSONShape?)
    /// An object with a fixed set of keys.
    case record([Member])
    /// An object whose keys are data, such as identifiers.
    case map(JSONShape?)
    /// Values of different types.
    case mixed
    /// The value, or null.
    case optional(JSONShape)

    package struct Member: Sendable, Hashable {
        package let key: String
        package let position: JSONNode.Position
        package let shape: JSONShape
        /// Whether an object of the same list lacks the key.
        package let isMissingSomewhere: Bool

        /// Positions do not distinguish types.
        package static func == (left: Member, right: Member) -> Bool {
            left.key.isExactly(right.key) && left.shape == right.shape
                && left.isMissingSomewhere == right.isMissingSomewhere
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(key)
            hasher.combine(shape)
        }
    }

    /// An object with more members is a map: no one writes such a type by hand, and a constructor of the Java virtual
    /// machine has at most 255 parameters.
    package static let maximumMembers = 60

    package init(_ node: JSONNode) {
        switch node.value {
        case .null: self = .null
        case .bool: self = .bool
        case .number(let lexeme): self = Int64(lexeme) == nil ? .double : .int
        case .string: self = .string
        case .array(let elements): self = .list(Self.merged(elements.map(JSONShape.init)))
        case .object(let members):
            let read = members.map {
                Member(key: $0.key, position: $0.keyPosition, shape: JSONShape($0.value), isMissingSomewhere: false)
            }
            self = Self.object(read)
        }
    }

    private static func object(_ members: [Member]) -> JSONShape {
        let hasDataAsKeys = !members.isEmpty && members.allSatisfy { $0.key.utf8.first.map(isDigit) ?? false }
        guard members.count > maximumMembers || hasDataAsKeys else { return .record(members) }
        return .map(merged(members.map(\.shape)))
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func merged(_ shapes: [JSONShape]) -> JSONShape? {
        guard let first = shapes.first else { return nil }
        // Objects are merged together, so that a key costs one lookup for each object.
        let records = shapes.compactMap(\.members)
        if records.count == shapes.count { return merged(records) }
        return shapes.dropFirst().reduce(first) { $0.merged(with: $1) }
    }

    private var members: [Member]? {
        guard case .record(let members) = self else { return nil }
        return members
    }

    private static func merged(_ records: [[Member]]) -> JSONShape {
        var order: [ExactText] = []
        var found: [ExactText: [Member]] = [:]
        for member in records.joined() {
            let key = ExactText(member.key)
            if found[key] == nil { order.append(key) }
            found[key, default: []].append(member)
        }
        return object(
            order.compactMap { key in
                guard let members = found[key], let first = members.first else { return nil }
                return Member(
                    key: first.key,
                    position: first.position,
                    shape: merged(members.map(\.shape)) ?? .null,
                    isMissingSomewhere: members.count < records.count || members.contains { $0.isMissingSomewhere }
                )
            }
        )
    }

    /// The type of values that have either type.
    private func merged(with other: JSONShape) -> JSONShape {
        switch (self, other) {
        case (let left, let right) where left == right: left
        case (.null, .null): .null
        case (.null, .optional(let shape)), (.optional(let shape), .null): .optional(shape)
        case (.null, let shape), (let shape, .null): shape == .mixed ? .mixed : .optional(shape)
        case (.optional(let left), .optional(let right)): Self.optional(of: left.merged(with: right))
        case (.optional(let left), let right), (let left, .optional(let right)):
            Self.optional(of: left.merged(with: right))
        case (.int, .double), (.double, .int): .double
        case (.list(let left), .list(let right)): .list(Self.merged([left, right].compactMap(\.self)))
        case (.record(let left), .record(let right)): Self.merged([left, right])
        case (.map(let left), .map(let right)): .map(Self.merged([left, right].compactMap(\.self)))
        case (.map(let value), .record(let members)), (.record(let members), .map(let value)):
            .map(Self.merged(members.map(\.shape) + [value].compactMap(\.self)))
        default: .mixed
        }
    }

    /// Mixed values include null already.
    private static func optional(of shape: JSONShape) -> JSONShape {
        switch shape {
        case .mixed, .optional: shape
        default: .optional(shape)
        }
    }
}
