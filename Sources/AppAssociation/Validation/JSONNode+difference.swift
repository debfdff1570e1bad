public import LinkRouting

extension JSONNode {
    /// Where one JSON text says something else than another.
    public struct Difference: Sendable, Hashable {
        /// RFC 6901.
        public var pointer: String
        /// In the first text: of the value, or of the object or list in which one is missing.
        public var position: Position
    }

    /// The first place, in the order of this text, where the other one differs; nil when only the spelling or the order of
    /// members does.
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
