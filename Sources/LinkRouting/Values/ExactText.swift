/// A text that equals only what is written with the same bytes.
///
/// Swift's `String` takes `é` and `e` with a combining accent for one text. Links, tables and names do not: as a key of a
/// dictionary or set one would hide the other.
public struct ExactText: Sendable, Hashable, Comparable, CustomStringConvertible, ExpressibleByStringLiteral {
    public let description: String

    public init(_ text: String) { description = text }
    public init(stringLiteral text: String) { description = text }

    public static func == (left: Self, right: Self) -> Bool { left.description.isExactly(right.description) }

    public static func < (left: Self, right: Self) -> Bool {
        left.description.utf8.lexicographicallyPrecedes(right.description.utf8)
    }

    public func hash(into hasher: inout Hasher) { description.hashExactly(into: &hasher) }
}

extension String {
    /// Whether the other text has the same bytes.
    public func isExactly(_ other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }

    func hashExactly(into hasher: inout Hasher) {
        hasher.combine(utf8.count)
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
