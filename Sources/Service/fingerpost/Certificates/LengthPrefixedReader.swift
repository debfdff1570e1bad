/// Reads fields of a binary format in order: numbers, and fields that begin with their length. No length is trusted: a
/// field that is longer than the rest throws.
struct LengthPrefixedReader {
    private var rest: ArraySlice<UInt8>
    private let order: Order

    enum Order {
        case littleEndian, bigEndian
    }

    struct Malformed: Error {}

    init(_ bytes: ArraySlice<UInt8>, _ order: Order) {
        rest = bytes
        self.order = order
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func bytes(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
        guard (0...rest.count).contains(count) else { throw Malformed() }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(_: Number.Type) throws(Malformed) -> Number {
        let bytes = try bytes(Number.bitWidth / 8)
        return (order == .bigEndian ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | Number($1) }
    }

    /// Reads a field that begins with its length.
    mutating func field<Length: FixedWidthInteger & UnsignedInteger>(
        _ length: Length.Type
    ) throws(Malformed) -> ArraySlice<UInt8> {
        guard let count = Int(exactly: try number(length)) else { throw Malformed() }
        return try bytes(count)
    }

    /// Reads all remaining fields, each of which begins with its length in four bytes.
    mutating func fields(atMost limit: Int) throws(Malformed) -> [ArraySlice<UInt8>] {
        var fields: [ArraySlice<UInt8>] = []
        while !isAtEnd {
            guard fields.count < limit else { throw Malformed() }
            fields.append(try field(UInt32.self))
        }
        return fields
    }
}
