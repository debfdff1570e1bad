public import LinkRouting

extension JSONNode {
    /// A place at which one JSON text differs from another.
    public struct Difference: Sendable, Hashable {
        /// The JSON pointer of the place (RFC 6901).
        public var pointer: String
        /// The position in the first text: of the value, or of the object or list that lacks one.
        public var position: Position
    }

    /// Returns the first difference, in the order of this text; nil if the texts differ only in spelling or in the
    /// order of members.
    public func difference(to other: JSONNode) -> Difference? { difference(to: other, at: "") }

    private func difference(to other: JSONNode, at pointer: String) -> Difference? {
        guard self != other else { return nil }
        switch (value, other.value) {
        case (.object(let members), .object(let others)):
            for member in members {
                let place = "\(pointer)/\(Self.pointerToken(member.key))"
                guard let counterpart = other[member.key] else {
                    return Difference(pointer: place, position: member.value.position)
                }
                if let found = member.value.difference(to: counterpart, at: place) { return found }
            }
            return others.first { self[$0.key] == nil }.map { missing in
                Difference(pointer: "\(pointer)/\(Self.pointerToken(missing.key))", position: position)
            }
        case (.array(let elements), .array(let others)):
            for (index, (left, right)) in zip(elements, others).enumerated() {
                if let found = left.difference(to: right, at: "\(pointer)/\(index)") { return found }
            }
            guard elements.count != others.count else { return nil }
            let index = min(elements.count, others.count)
            return Difference(
                pointer: "\(pointer)/\(index)",
                position: index < elements.count ? elements[index].position : position
            )
        default: return Difference(pointer: pointer, position: position)
        }
    }
}
