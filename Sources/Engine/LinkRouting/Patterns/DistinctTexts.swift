/// Texts without repetitions, in the order of their first occurrence: a hash table by bytes.
struct DistinctTexts: Sendable {
    /// The texts, one after the other, their ends and their hashes.
    private var bytes: [UInt8] = []
    private var ends: [Int32] = []
    private var hashes: [UInt64] = []
    /// The index of a text plus one; 0 for a free slot.
    private var slots: [Int32]
    private let letterCase: LetterCase

    init(capacity: Int, bytes byteCount: Int, _ letterCase: LetterCase = .sensitive) {
        var size = 16
        while size < capacity * 2 { size *= 2 }
        slots = Array(repeating: 0, count: size)
        self.letterCase = letterCase
        bytes.reserveCapacity(byteCount)
        ends.reserveCapacity(capacity)
        hashes.reserveCapacity(capacity)
    }

    init(_ texts: [String], _ letterCase: LetterCase = .sensitive) {
        self.init(capacity: texts.count, bytes: texts.reduce(0) { $0 + $1.utf8.count }, letterCase)
        for index in texts.indices { _ = texts[index].withBytes { insert($0) } }
    }

    var count: Int { ends.count }

    /// Inserts a text unless it is there already. Returns its index. There may be at most `capacity` texts.
    @inline(__always) @discardableResult
    mutating func insert(_ text: UnsafeBufferPointer<UInt8>) -> Int {
        let hash = seededHash(text, letterCase)
        let slot = slot(of: text, hash)
        guard slots[slot] == 0 else { return Int(slots[slot]) - 1 }
        bytes.append(contentsOf: text)
        ends.append(Int32(bytes.count))
        hashes.append(hash)
        slots[slot] = Int32(ends.count)
        return ends.count - 1
    }

    /// Returns the index of a text; nil if it is not there.
    func index(of text: UnsafeBufferPointer<UInt8>) -> Int? {
        let index = slots[slot(of: text, seededHash(text, letterCase))]
        return index == 0 ? nil : Int(index) - 1
    }

    func contains(_ text: UnsafeBufferPointer<UInt8>) -> Bool { index(of: text) != nil }
    func contains(_ text: String) -> Bool { text.withBytes(contains) }

    func allSatisfy(_ passes: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        ends.indices.allSatisfy { index in withText(index, passes) }
    }

    /// Whether all texts are in the other list, which distinguishes letter case as well.
    func areAll(in other: DistinctTexts) -> Bool {
        for index in ends.indices where !withText(index, { other.slots[other.slot(of: $0, hashes[index])] != 0 }) {
            return false
        }
        return true
    }

    /// Whether a text is in the other list, which distinguishes letter case as well.
    func contains(oneOf other: DistinctTexts) -> Bool {
        for index in ends.indices where withText(index, { other.slots[other.slot(of: $0, hashes[index])] != 0 }) {
            return true
        }
        return false
    }

    @inline(__always)
    private func withText<Result>(_ index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let range = (index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index])
        return bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[range])) }
    }

    /// Returns the slot of a text, or the free one where it would be. Buffers save the checks of their bounds.
    @inline(__always)
    private func slot(of text: UnsafeBufferPointer<UInt8>, _ hash: UInt64) -> Int {
        slots.withUnsafeBufferPointer { slots in
            hashes.withUnsafeBufferPointer { hashes in
                let mask = slots.count - 1
                var slot = Int(truncatingIfNeeded: hash) & mask
                while slots[slot] != 0 {
                    let index = Int(slots[slot]) - 1
                    if hashes[index] == hash, withText(index, { isEqual($0, text) }) { return slot }
                    slot = (slot + 1) & mask
                }
                return slot
            }
        }
    }

    @inline(__always)
    private func isEqual(_ text: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
        letterCase == .sensitive ? text.hasBytes(of: other) : hasEqualBytes(text, other, .ignored)
    }
}
