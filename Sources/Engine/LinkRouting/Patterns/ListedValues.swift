/// The values that a table lists for a parameter, a query item or a fact, in its order.
///
/// Values are compared by their bytes. Whether a text is among them is one look into a hash table, however many there are.
public struct ListedValues: Sendable, Hashable, RandomAccessCollection, ExpressibleByArrayLiteral {
    private let storage: Storage

    /// Behind one reference, so that a type with a list is as small as one without.
    private final class Storage: Sendable {
        let values: [String]
        /// The lengths that occur, in ascending order.
        let lengths: [Int]
        /// Nil for a few values, which are compared one after the other.
        let exact: DistinctTexts?
        /// The values without regard to the case of ASCII letters; nil if it makes no difference to ``exact``.
        let folded: DistinctTexts?

        init(_ values: [String]) {
            self.values = values
            lengths = Set(values.lazy.map(\.utf8.count)).sorted()
            guard values.count > ListedValues.few else {
                (exact, folded) = (nil, nil)
                return
            }
            exact = DistinctTexts(values)
            let hasLetters = values.contains { $0.utf8.contains(where: isLetter) }
            folded = hasLetters ? DistinctTexts(values, .ignored) : nil
        }
    }

    /// The number of values up to which a comparison with all of them is as fast.
    static let few = 4

    public init(_ values: [String]) { storage = Storage(values) }
    public init(arrayLiteral values: String...) { self.init(values) }

    /// The lengths of the values in bytes, in ascending order.
    var lengths: [Int] { storage.lengths }
    var longest: Int { storage.lengths.last ?? 0 }

    private func hasLength(_ length: Int) -> Bool {
        guard storage.lengths.count > 8 else { return storage.lengths.contains(length) }
        var (lower, upper) = (0, storage.lengths.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if storage.lengths[middle] < length { lower = middle + 1 } else { upper = middle }
        }
        return lower < storage.lengths.count && storage.lengths[lower] == length
    }

    public var texts: [String] { storage.values }
    public var startIndex: Int { 0 }
    public var endIndex: Int { storage.values.count }
    public subscript(index: Int) -> String { storage.values[index] }

    /// Whether a value occurs twice.
    var hasDuplicates: Bool {
        if let exact = storage.exact { return exact.count < count }
        return indices.contains { index in self[..<index].contains { $0.isExactly(self[index]) } }
    }

    /// Whether a text is one of the values.
    func contains(_ text: ArraySlice<UInt8>, _ letterCase: LetterCase = .sensitive) -> Bool {
        text.withUnsafeBufferPointer { contains($0, letterCase) }
    }

    func containsExactly(_ text: String) -> Bool {
        hasLength(text.utf8.count) && text.withBytes { contains($0, .sensitive) }
    }

    /// Whether one of these texts is a value.
    func containsOne(of texts: [String]) -> Bool {
        for index in texts.indices where containsExactly(texts[index]) { return true }
        return false
    }

    func containsOne(of texts: DistinctTexts) -> Bool {
        guard let exact = storage.exact else { return storage.values.contains(where: texts.contains) }
        return texts.contains(oneOf: exact)
    }

    /// Whether all of these texts are values.
    func containsAll(_ texts: DistinctTexts) -> Bool {
        guard texts.count <= count else { return false }
        guard let exact = storage.exact else { return texts.allSatisfy { contains($0, .sensitive) } }
        return texts.areAll(in: exact)
    }

    func contains(_ text: UnsafeBufferPointer<UInt8>, _ letterCase: LetterCase) -> Bool {
        guard hasLength(text.count) else { return false }
        let letterCase = storage.folded == nil && storage.exact != nil ? .sensitive : letterCase
        switch letterCase {
        case .sensitive:
            if let exact = storage.exact { return exact.contains(text) }
        case .ignored:
            if let folded = storage.folded { return folded.contains(text) }
        }
        for index in storage.values.indices where storage.values[index].utf8.count == text.count {
            if storage.values[index].withBytes({ hasEqualBytes($0, text, letterCase) }) { return true }
        }
        return false
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.storage === right.storage
            || left.count == right.count && zip(left, right).allSatisfy { $0.isExactly($1) }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for value in self { value.hashExactly(into: &hasher) }
    }
}

private let hashKeys = (seed: UInt64.random(in: .min ... .max), factor: UInt64.random(in: .min ... .max) | 1)

/// Returns a hash of a text. Each process has its own function, so that nobody can choose texts of equal hashes.
@inline(__always)
func seededHash(_ text: UnsafeBufferPointer<UInt8>, _ letterCase: LetterCase) -> UInt64 {
    let bytes = UnsafeRawBufferPointer(text)
    let (seed, factor) = hashKeys
    func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ (letterCase == .ignored ? folded(word) : word)).multipliedFullWidth(by: factor)
        return (product.high ^ product.low) &+ seed
    }
    var hash = seed &+ UInt64(text.count)
    var offset = 0
    while bytes.count - offset > 8 {
        hash = mixed(hash, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        offset += 8
    }
    return mixed(hash, word(bytes, at: offset)) &* factor
}

/// Returns up to eight bytes from an offset to the end as a number. Fewer than eight are read as two overlapping parts.
@inline(__always)
private func word(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
    func load<Part: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(_ offset: Int, _: Part.Type) -> UInt64 {
        UInt64(truncatingIfNeeded: bytes.loadUnaligned(fromByteOffset: offset, as: Part.self))
    }
    let count = bytes.count - offset
    switch count {
    case 8...: return load(offset, UInt64.self)
    case 4...: return load(offset, UInt32.self) | load(offset + count - 4, UInt32.self) << 32
    case 2...: return load(offset, UInt16.self) | load(offset + count - 2, UInt16.self) << 32
    case 1: return load(offset, UInt8.self)
    default: return 0
    }
}

/// Compares eight bytes at a time, ignoring the case of ASCII letters if requested.
func hasEqualBytes(
    _ left: UnsafeBufferPointer<UInt8>,
    _ right: UnsafeBufferPointer<UInt8>,
    _ letterCase: LetterCase
) -> Bool {
    guard letterCase == .ignored else { return left.hasBytes(of: right) }
    guard left.count == right.count else { return false }
    let (left, right) = (UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
    var offset = 0
    while offset + 8 <= left.count {
        let word = folded(left.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        guard word == folded(right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) else { return false }
        offset += 8
    }
    while offset < left.count {
        guard folded(left[offset]) == folded(right[offset]) else { return false }
        offset += 1
    }
    return true
}

/// Converts ASCII capitals in eight bytes to lower case (SWAR). For each byte, the sum exceeds 0x7F exactly if the byte
/// is at or above the start of a range.
func folded(_ word: UInt64) -> UInt64 {
    let low = word & 0x7F7F_7F7F_7F7F_7F7F
    let fromA = low &+ repeating(0x80 - UInt8(ascii: "A"))
    let behindZ = low &+ repeating(0x7F - UInt8(ascii: "Z"))
    let capitals = (fromA ^ behindZ) & ~word & 0x8080_8080_8080_8080
    return word | capitals >> 2
}

func repeating(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }
