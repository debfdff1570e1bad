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
        return left.withUTF8 { left in right.withUTF8 { left.hasBytes(of: $0) } }
    }

    /// Calls `body` with the UTF-8 bytes, without a copy of the text.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        utf8.withContiguousStorageIfAvailable(body) ?? Array(utf8).withUnsafeBufferPointer(body)
    }

    func hashExactly(into hasher: inout Hasher) {
        hasher.combine(utf8.count)
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Compares eight bytes at a time.
    func hasBytes(of other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count else { return false }
        let (left, right) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
        var offset = 0
        while offset + 8 <= left.count {
            let word = left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard word == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else { return false }
            offset += 8
        }
        while offset < left.count {
            guard left[offset] == right[offset] else { return false }
            offset += 1
        }
        return true
    }
}
