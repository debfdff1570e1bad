/// The literal children of all nodes of a ``RouteIndex``, keyed by parent and text: a hash table with open addressing
/// in one flat array.
///
/// A slot holds up to sixteen bytes of its literal, so that a lookup usually reads a single slot, however
/// many literals there are. Longer literals continue in `tails`. At most three quarters of the slots are taken, so that
/// every probe sequence ends.
struct LiteralTable: Sendable {
    private var slots: [Slot] = []
    private var tails: [UInt8] = []
    private var count = 0
    /// The length of the longest text.
    private var longest = 0

    private struct Slot: Sendable {
        var parent = Parent.none
        var child = RouteIndex.none
        var head = Head()
        /// Offset in `tails` of the bytes that follow `head`.
        var tail: Int32 = 0

        var tailRange: Range<Int> { Int(tail)..<(Int(tail) + max(0, Int(head.length) - Head.length)) }
    }

    /// A node and the letter case of its literals, packed into one number.
    private struct Parent: Sendable, Equatable {
        static let none = Parent(number: .max)
        let number: UInt32

        private init(number: UInt32) { self.number = number }

        init(_ node: Int32, _ letterCase: LetterCase) {
            number = UInt32(node) << 1 | (letterCase == .ignored ? 1 : 0)
        }

        var node: Int32 { Int32(number >> 1) }
        var letterCase: LetterCase { number & 1 == 1 ? .ignored : .sensitive }
    }

    /// The length of a text and its first sixteen bytes, zero-padded.
    private struct Head: Sendable, Equatable {
        static let length = 16
        private(set) var first: UInt64 = 0
        private(set) var second: UInt64 = 0
        private(set) var length: Int32 = 0

        init() {}

        @inline(__always)
        init(_ text: Swift.Span<UInt8>, _ letterCase: LetterCase) {
            let bytes = text.bytes
            length = Int32(bytes.byteCount)
            first = Self.word(bytes, at: 0)
            if bytes.byteCount > 8 { second = Self.word(bytes, at: 8) }
            guard letterCase == .ignored else { return }
            first = folded(first)
            second = folded(second)
        }

        /// Returns up to eight bytes at an offset as a little-endian word, zero-padded.
        ///
        /// Fewer than eight bytes are read as two overlapping parts; a loop over the bytes would take four times as
        /// long.
        @inline(__always)
        private static func word(_ bytes: RawSpan, at offset: Int) -> UInt64 {
            func load<Part: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(_ offset: Int, _: Part.Type)
                -> UInt64
            {
                UInt64(
                    truncatingIfNeeded: Part(
                        littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Part.self)
                    )
                )
            }
            let count = bytes.byteCount - offset
            switch count {
            case 8...: return load(offset, UInt64.self)
            case 4...: return load(offset, UInt32.self) | load(offset + count - 4, UInt32.self) << ((count - 4) * 8)
            case 2...: return load(offset, UInt16.self) | load(offset + count - 2, UInt16.self) << ((count - 2) * 8)
            case 1: return load(offset, UInt8.self)
            default: return 0
            }
        }

        /// Returns a hash that spreads over the whole range; its highest bits are the best.
        @inline(__always)
        func hash(_ parent: Parent) -> UInt64 {
            var hash = (first &+ UInt64(parent.number) &* 0x9E37_79B9_7F4A_7C15) &* 0xBF58_476D_1CE4_E5B9
            hash = (hash ^ hash >> 32 ^ second) &* 0x94D0_49BB_1331_11EB
            return (hash ^ hash >> 29 ^ UInt64(length)) &* 0xBF58_476D_1CE4_E5B9
        }
    }

    func child(of node: Int32, _ text: Swift.Span<UInt8>, _ letterCase: LetterCase) -> Int32? {
        guard text.count <= longest else { return nil }
        let child = slots[slot(for: text, Head(text, letterCase), Parent(node, letterCase))].child
        return child == RouteIndex.none ? nil : child
    }

    /// Returns the existing child, or inserts `newChild` and returns it.
    mutating func child(
        of node: Int32,
        _ text: Swift.Span<UInt8>,
        _ letterCase: LetterCase,
        orInsert newChild: Int32
    ) -> Int32 {
        if count * 4 >= slots.count * 3 { resize(to: max(8, slots.count * 2)) }
        let head = Head(text, letterCase)
        let parent = Parent(node, letterCase)
        let slot = slot(for: text, head, parent)
        guard slots[slot].child == RouteIndex.none else { return slots[slot].child }
        slots[slot] = Slot(parent: parent, child: newChild, head: head, tail: Int32(tails.count))
        for index in text.indices.dropFirst(Head.length) {
            tails.append(letterCase == .ignored ? folded(text[index]) : text[index])
        }
        count += 1
        longest = max(longest, text.count)
        return newChild
    }

    /// Releases the capacity left over from growth.
    mutating func compact() { resize(to: count + count / 3 + 1) }

    /// The steps of looking up the slowest text: for its bytes, and for each slot that it may have to read.
    var steps: Int {
        // A run of slots without a free one goes round the end. Texts with the same beginning are compared to their ends.
        var (longestRun, run, tails, mostTails) = (0, 0, 0, 0)
        for slot in slots + slots.prefix(while: { $0.child != RouteIndex.none }) {
            let isTaken = slot.child != RouteIndex.none
            run = isTaken ? run + 1 : 0
            tails = isTaken ? tails + slot.tailRange.count : 0
            longestRun = max(longestRun, run)
            mostTails = max(mostTails, tails)
        }
        return 1 + longestRun / 10 + max(0, longest - Head.length) / 12 + mostTails / 16
    }

    /// Each child with its parent and letter case.
    var children: some Sequence<(child: Int32, parent: Int32, letterCase: LetterCase)> {
        slots.lazy.filter { $0.child != RouteIndex.none }.map { ($0.child, $0.parent.node, $0.parent.letterCase) }
    }

    private mutating func resize(to size: Int) {
        let old = slots
        slots = Array(repeating: Slot(), count: size)
        for entry in old where entry.child != RouteIndex.none {
            let tail = tails[entry.tailRange]
            var slot = firstSlot(entry.head, entry.parent, tail.span)
            while slots[slot].child != RouteIndex.none { slot = slot + 1 == size ? 0 : slot + 1 }
            slots[slot] = entry
        }
    }

    /// Returns the slot of a text, or the free slot where it would be inserted.
    @inline(__always)
    private func slot(for text: Swift.Span<UInt8>, _ head: Head, _ parent: Parent) -> Int {
        guard text.count <= Head.length else { return slot(forLong: text, head, parent) }
        var slot = homeSlot(of: head.hash(parent))
        while true {
            let entry = slots[slot]
            if entry.parent == parent, entry.head == head { return slot }
            guard entry.child != RouteIndex.none else { return slot }
            slot += 1
            if slot == slots.count { slot = 0 }
        }
    }

    /// Kept out of `slot(for:)`, so that the loops over the tail do not slow down short texts.
    @inline(never)
    private func slot(forLong text: Swift.Span<UInt8>, _ head: Head, _ parent: Parent) -> Int {
        let tail = text.extracting(droppingFirst: Head.length)
        var slot = firstSlot(head, parent, tail)
        while slots[slot].child != RouteIndex.none {
            if slots[slot].parent == parent, slots[slot].head == head, isTail(tail, of: slots[slot]) { return slot }
            slot += 1
            if slot == slots.count { slot = 0 }
        }
        return slot
    }

    private func firstSlot(_ head: Head, _ parent: Parent, _ tail: Swift.Span<UInt8>) -> Int {
        var hash = head.hash(parent)
        for index in tail.indices {
            let byte = parent.letterCase == .ignored ? folded(tail[index]) : tail[index]
            hash = (hash ^ hash >> 32 ^ UInt64(byte)) &* 0x94D0_49BB_1331_11EB
        }
        return homeSlot(of: hash)
    }

    @inline(__always)
    private func homeSlot(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(slots.count)).high)
    }

    private func isTail(_ tail: Swift.Span<UInt8>, of slot: Slot) -> Bool {
        let start = Int(slot.tail)
        for index in tail.indices {
            let byte = slot.parent.letterCase == .ignored ? folded(tail[index]) : tail[index]
            guard tails[start + index] == byte else { return false }
        }
        return true
    }
}
