/// A text that is compared by its bytes.
///
/// Swift's `String` treats `é` and `e` with a combining accent as equal; links, tables and names do not. As keys of a
/// dictionary or set, one would hide the other.
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
    /// Whether both texts have the same UTF-8 bytes.
    public func isExactly(_ other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }

    func hashExactly(into hasher: inout Hasher) {
        hasher.combine(utf8.count)
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
