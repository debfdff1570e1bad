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
        guard utf8.count == other.utf8.count else { return false }
        var (left, right) = (self, other)
        return left.withUTF8 { left in right.withUTF8 { Self.haveEqualBytes(left, $0) } }
    }

    /// Compares eight bytes at a time. Both have the same count.
    private static func haveEqualBytes(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool
    {
        let (left, right) = (UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
        var place = 0
        while place + 8 <= left.count {
            let word = left.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            guard word == right.loadUnaligned(fromByteOffset: place, as: UInt64.self) else { return false }
            place += 8
        }
        while place < left.count {
            guard left[place] == right[place] else { return false }
            place += 1
        }
        return true
    }

    func hashExactly(into hasher: inout Hasher) {
        hasher.combine(utf8.count)
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
