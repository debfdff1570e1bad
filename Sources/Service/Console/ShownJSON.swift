import LinkRouting
import Mustache

/// A JSON object as a template reads it.
struct ShownJSON: MustacheParent, Sendable {
    let object: JSONNode

    func child(named name: String) -> Any? { object[name]?.shown }
}

extension JSONNode {
    /// The value as a template shows it; nil for null and an empty text, which are as missing ones.
    var shown: (any Sendable)? {
        switch value {
        case .null: nil
        case .bool(let bool): bool
        case .number(let text), .string(let text): text.isEmpty ? nil : text
        case .array(let elements): elements.map { $0.shown ?? "" } as [any Sendable]
        case .object: ShownJSON(object: self)
        }
    }
}
