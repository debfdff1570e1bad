package import LinkRouting

/// One value of a mapping with its JSON pointer, and typed accessors that throw `MappingError`.
///
/// Scalars are converted as Jackson converts them for WireMock: a number or boolean is also a text, and a text of digits
/// is also a number. `DocumentField` is not used, because its errors name paths such as `a.b[0]` and it converts nothing.
package struct MappingField: Sendable {
    package let node: JSONNode
    package let pointer: String

    package init(_ node: JSONNode, pointer: String = "") {
        self.node = node
        self.pointer = pointer
    }

    package func error(_ detail: String) -> MappingError {
        MappingError(pointer: pointer.isEmpty ? "/" : pointer, detail: detail, position: node.position)
    }

    /// The value, shortened for messages.
    private var shown: String {
        let text = node.json()
        return text.utf8.count <= 80 ? text : "\(text.prefix(60))…"
    }

    /// The value and its type, for messages about a wrong type.
    private var shownKind: String { node.value == .null ? "the value is null" : "\(shown) is \(node.kind)" }

    package func text() throws(MappingError) -> String {
        switch node.value {
        case .string(let text), .number(let text): return text
        case .bool(let bool): return bool ? "true" : "false"
        default: throw error("\(shownKind); write a string.")
        }
    }

    package func bool() throws(MappingError) -> Bool {
        switch node.value {
        case .bool(let bool): return bool
        case .string("true"): return true
        case .string("false"): return false
        default: throw error("\(shownKind); write true or false.")
        }
    }

    package func int(in range: ClosedRange<Int>) throws(MappingError) -> Int {
        let number: Int? =
            switch node.value {
            case .number(let text), .string(let text): Int(text)
            default: nil
            }
        guard let number, range.contains(number) else {
            throw error("\(shown) is not a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    package func double(in range: ClosedRange<Double>) throws(MappingError) -> Double {
        let number: Double? =
            switch node.value {
            case .number(let text), .string(let text): Double(text)
            default: nil
            }
        guard let number, range.contains(number) else {
            throw error("\(shown) is not a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    package func list() throws(MappingError) -> [MappingField] {
        guard let elements = node.elements else { throw error("\(shownKind); write a list.") }
        return elements.enumerated().map { MappingField($1, pointer: "\(pointer)/\($0)") }
    }

    /// The members of an object, without those that are null.
    package func members() throws(MappingError) -> [(key: String, value: MappingField)] {
        guard let members = node.members else { throw error("\(shownKind); write an object.") }
        return members.compactMap { $0.value.value == .null ? nil : ($0.key, member($0)) }
    }

    /// The members of an object, all of which must have a value.
    package func namedValues() throws(MappingError) -> [(key: String, value: MappingField)] {
        guard let members = node.members else { throw error("\(shownKind); write an object.") }
        return try members.map { entry throws(MappingError) in
            let field = member(entry)
            guard entry.value.value != .null else { throw field.error("null is not a value; leave the name out.") }
            return (entry.key, field)
        }
    }

    /// The value of a member; nil when it is missing or null, and for other types than objects.
    package subscript(key: String) -> MappingField? {
        guard let found = node.members?.last(where: { $0.key.isExactly(key) }), found.value.value != .null else {
            return nil
        }
        return member(found)
    }

    private func member(_ member: JSONNode.Member) -> MappingField {
        MappingField(member.value, pointer: "\(pointer)/\(escapedForPointer(member.key))")
    }

    /// Throws for the first member whose key is neither known nor has a reason why it is not supported.
    ///
    /// - Parameter unsupported: Keys of features that this server does not have, with the feature's name.
    package func requireKeys(_ known: Set<String>, unsupported: [String: String] = [:]) throws(MappingError) {
        guard let members = node.members else { throw error("\(shownKind); write an object.") }
        for member in members where !known.contains(member.key) {
            let field = self.member(member)
            if let feature = unsupported[member.key] {
                throw field.error("\(feature) is not supported; remove '\(member.key)'.")
            }
            let hint = member.key.nearest(among: known.sorted()).map { " Did you mean '\($0)'?" } ?? ""
            throw field.error("'\(member.key)' is not a field here.\(hint)")
        }
    }
}
