/// The items of a long query by name. A link decides how many items there are, and a table how many of its conditions
/// look for one.
final class QueryIndex {
    /// The number of items that conditions read; further ones count as absent.
    static let mostItems = 1_200

    private let link: DeepLink
    private let plusSign: DeepLink.PlusSign
    private let names: Names
    private var found: [Int32: QueryOccurrences] = [:]

    /// Items by name: a hash table of the first item of each, and lists of the others.
    private struct Names {
        /// The decoded names of all items, one after the other, and their ends.
        private var texts: [UInt8] = []
        private var ends: [Int32] = []
        /// The first item of each name plus one, and the upper half of its hash; 0 for a free slot.
        private var slots: [UInt64]
        /// The next item of the same name plus one; 0 at the end.
        private(set) var next: [Int32]

        init(_ link: DeepLink, _ plusSign: DeepLink.PlusSign) {
            let count = min(link.query.count, QueryIndex.mostItems)
            var size = 16
            while size < count * 2 { size *= 2 }
            slots = Array(repeating: 0, count: size)
            next = Array(repeating: 0, count: count)
            texts.reserveCapacity(link.rawQuery?.count ?? 0)
            ends.reserveCapacity(count)
            for index in 0..<count {
                let range = link.query[index].rawName
                if link.query[index].hasEncodedName {
                    texts.append(decoding: link.bytes[range], plus: plusSign)
                } else {
                    for byte in range { texts.append(link.bytes[byte]) }
                }
                ends.append(Int32(texts.count))
            }
            // From the last to the first, so that each goes to the beginning of its list.
            for index in (0..<count).reversed() where !link.query[index].hasInvalidName {
                let (slot, hash) = texts.withUnsafeBufferPointer { texts in
                    let name = UnsafeBufferPointer(rebasing: texts[range(of: index)])
                    let hash = seededHash(name, .sensitive)
                    return (self.slot(of: name, hash), hash)
                }
                next[index] = Int32(truncatingIfNeeded: slots[slot])
                slots[slot] = hash & ~0xFFFF_FFFF | UInt64(index + 1)
            }
        }

        private func range(of index: Int) -> Range<Int> { (index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index]) }

        /// Returns the slot of a name, or the free one where it would be.
        private func slot(of name: UnsafeBufferPointer<UInt8>, _ hash: UInt64) -> Int {
            let mask = slots.count - 1
            var slot = Int(truncatingIfNeeded: hash) & mask
            while slots[slot] != 0 {
                let first = Int(slots[slot] & 0xFFFF_FFFF) - 1
                let isSame =
                    slots[slot] >> 32 == hash >> 32
                    && texts.withUnsafeBufferPointer {
                        UnsafeBufferPointer(rebasing: $0[range(of: first)]).hasBytes(of: name)
                    }
                if isSame { break }
                slot = (slot + 1) & mask
            }
            return slot
        }

        /// Returns the first item of a name plus one; 0 if there is none.
        func first(_ name: UnsafeBufferPointer<UInt8>) -> Int32 {
            Int32(truncatingIfNeeded: slots[slot(of: name, seededHash(name, .sensitive))])
        }
    }

    init(_ link: DeepLink, _ plusSign: DeepLink.PlusSign) {
        self.link = link
        self.plusSign = plusSign
        names = Names(link, plusSign)
    }

    /// Returns the occurrences of an item; nil if there is none.
    func occurrences(named name: String) -> QueryOccurrences? {
        let first = name.withBytes { names.first($0) }
        guard first != 0 else { return nil }
        if let known = found[first] { return known }
        var items: [DeepLink.QueryItem] = []
        var item = first
        while item != 0 {
            items.append(link.query[Int(item) - 1])
            item = names.next[Int(item) - 1]
        }
        let occurrences = QueryOccurrences(items, of: link, plusSign)
        found[first] = occurrences
        return occurrences
    }
}

/// The occurrences of one item of a long query. What they have in common is computed once for all conditions of a lookup,
/// and each condition compares only that.
final class QueryOccurrences {
    let first: DeepLink.QueryItem
    private let items: [DeepLink.QueryItem]
    private let link: DeepLink
    private let plusSign: DeepLink.PlusSign
    /// The decoded values; nil if one has an invalid escape.
    private lazy var values =
        items.contains(where: \.hasInvalidValue)
        ? nil : items.map { link.valueBytes(of: $0, plus: plusSign) ?? [] }
    private lazy var text = Text(values ?? [])
    private lazy var integers = Self.extremes(values ?? [], parseInt)
    private lazy var numbers = Self.extremes(values ?? [], parseNumber)
    private lazy var different = Self.different(values ?? [])
    private lazy var areBools = (values ?? []).allSatisfy { ParameterType.bool.accepts($0) }
    private lazy var areUUIDs = (values ?? []).allSatisfy { ParameterType.uuid.accepts($0) }
    private lazy var areDates = (values ?? []).allSatisfy { ParameterType.date.accepts($0) }

    /// The number of different values above which an item has none of the values that a table lists.
    static let mostDifferentValues = 8

    /// The kinds of all values together, and their lengths.
    private struct Text {
        var kinds = TextKinds()
        var lengths = 0...0
        var haveHyphensAtEnds = false

        init(_ values: [ArraySlice<UInt8>]) {
            let hyphen = UInt8(ascii: "-")
            var (least, greatest) = (Int.max, 0)
            for value in values {
                kinds.add(value.withUnsafeBufferPointer { TextKinds($0) })
                (least, greatest) = (min(least, value.count), max(greatest, value.count))
                if value.first == hyphen || value.last == hyphen { haveHyphensAtEnds = true }
            }
            lengths = min(least, greatest)...greatest
        }
    }

    init(_ items: [DeepLink.QueryItem], of link: DeepLink, _ plusSign: DeepLink.PlusSign) {
        (first, self.items, self.link, self.plusSign) = (items[0], items, link, plusSign)
    }

    /// Whether all occurrences satisfy a test.
    func satisfy(_ test: QueryCondition.Test) -> Bool {
        switch test {
        case .present: true
        case .absent: false
        case .oneOf(let listed): values != nil && different?.areAll(in: listed) == true
        case .capture(let parameter, _): values != nil && areAll(parameter.type)
        }
    }

    private func areAll(_ type: ParameterType) -> Bool {
        switch type {
        case .string(let bounds): return isWithin(bounds)
        case .slug(let bounds), .alpha(let bounds), .alnum(let bounds), .hex(let bounds):
            guard let kind = type.kind, text.lengths.lowerBound > 0, text.kinds.isOnly(kind) else { return false }
            return (kind != .slug || !text.haveHyphensAtEnds) && isWithin(bounds)
        case .int(let range):
            guard let integers else { return false }
            return range.map { $0.contains(integers.lowerBound) && $0.contains(integers.upperBound) } ?? true
        case .number(let range):
            guard let numbers else { return false }
            return range.map { $0.contains(numbers.lowerBound) && $0.contains(numbers.upperBound) } ?? true
        case .bool: return areBools
        case .uuid: return areUUIDs
        case .date: return areDates
        case .oneOf(let listed): return different?.areAll(in: listed) == true
        }
    }

    private func isWithin(_ bounds: ParameterType.Bounds<Int>?) -> Bool {
        guard let bounds else { return true }
        return bounds.contains(text.lengths.lowerBound) && bounds.contains(text.lengths.upperBound)
    }

    /// Returns the least and the greatest value; nil if one cannot be read.
    private static func extremes<Value>(
        _ values: [ArraySlice<UInt8>],
        _ read: (ArraySlice<UInt8>) -> Value?
    ) -> ClosedRange<Value>? {
        guard let first = values.first.flatMap(read) else { return nil }
        var (least, greatest) = (first, first)
        for text in values.dropFirst() {
            guard let value = read(text) else { return nil }
            (least, greatest) = (min(least, value), max(greatest, value))
        }
        return least...greatest
    }

    /// Returns the values without repetitions; nil if there are too many.
    private static func different(_ values: [ArraySlice<UInt8>]) -> ListedValues? {
        var different: [ArraySlice<UInt8>] = []
        var hashes: [UInt64] = []
        for value in values {
            let hash = value.withUnsafeBufferPointer { seededHash($0, .sensitive) }
            if let known = hashes.firstIndex(of: hash), different[known] == value { continue }
            guard different.count < mostDifferentValues else { return nil }
            hashes.append(hash)
            different.append(value)
        }
        return ListedValues(different.map { String(decoding: $0, as: UTF8.self) })
    }
}
