/// The items of a long query by name. A link decides how many items there are, and a table how many of its conditions
/// look for one.
final class QueryIndex {
    private let link: DeepLink
    private let plusSign: DeepLink.PlusSign
    private let names: Names
    private var found: [Int32: QueryOccurrences] = [:]

    /// Items by name: a hash table of the first item of each, and lists of the others.
    private struct Names {
        /// The first item of each name plus one, and the upper half of its hash; 0 for a free slot.
        var slots: [UInt64]
        /// The next item of the same name plus one; 0 at the end.
        var next: [Int32]

        init(_ link: DeepLink, _ plusSign: DeepLink.PlusSign) {
            let count = link.query.count
            var size = 16
            while size < count * 2 { size *= 2 }
            slots = Array(repeating: 0, count: size)
            next = Array(repeating: 0, count: count)
            // From the last to the first, so that each goes to the beginning of its list.
            link.bytes.withUnsafeBufferPointer { bytes in
                for index in link.query.indices.reversed() where !link.query[index].hasInvalidName {
                    let range = link.query[index].rawName
                    if link.query[index].hasEncodedName {
                        link.decodedBytes(range, plusSign).withUnsafeBufferPointer { insert(index, $0, link, plusSign) }
                    } else {
                        insert(index, UnsafeBufferPointer(rebasing: bytes[range]), link, plusSign)
                    }
                }
            }
        }

        private mutating func insert(
            _ index: Int,
            _ name: UnsafeBufferPointer<UInt8>,
            _ link: DeepLink,
            _ plusSign: DeepLink.PlusSign
        ) {
            let hash = seededHash(name, .sensitive)
            let slot = slot(of: name, hash, link, plusSign)
            next[index] = Int32(truncatingIfNeeded: slots[slot])
            slots[slot] = hash & ~0xFFFF_FFFF | UInt64(index + 1)
        }

        /// Returns the slot of a name, or the free one where it would be.
        private func slot(
            of name: UnsafeBufferPointer<UInt8>,
            _ hash: UInt64,
            _ link: DeepLink,
            _ plusSign: DeepLink.PlusSign
        ) -> Int {
            let mask = slots.count - 1
            var slot = Int(truncatingIfNeeded: hash) & mask
            while slots[slot] != 0 {
                let first = Int(slots[slot] & 0xFFFF_FFFF) - 1
                if slots[slot] >> 32 == hash >> 32, link.isName(of: link.query[first], name, plusSign) { break }
                slot = (slot + 1) & mask
            }
            return slot
        }

        /// Returns the first item of a name plus one; 0 if there is none.
        func first(_ name: UnsafeBufferPointer<UInt8>, _ link: DeepLink, _ plusSign: DeepLink.PlusSign) -> Int32 {
            Int32(truncatingIfNeeded: slots[slot(of: name, seededHash(name, .sensitive), link, plusSign)])
        }
    }

    init(_ link: DeepLink, _ plusSign: DeepLink.PlusSign) {
        self.link = link
        self.plusSign = plusSign
        names = Names(link, plusSign)
    }

    /// Returns the occurrences of an item; nil if there is none.
    func occurrences(named name: String) -> QueryOccurrences? {
        let first = name.withBytes { names.first($0, link, plusSign) }
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
    /// The decoded values; nil if one has an invalid escape.
    private let values: [ArraySlice<UInt8>]?
    private lazy var text = Text(values ?? [])
    private lazy var integers = Self.extremes(values ?? [], parseInt)
    private lazy var numbers = Self.extremes(values ?? [], parseNumber)
    private lazy var different = Self.different(values ?? [])
    private lazy var areBools = (values ?? []).allSatisfy { ParameterType.bool.accepts($0) }
    private lazy var areUUIDs = (values ?? []).allSatisfy { ParameterType.uuid.accepts($0) }
    private lazy var areDates = (values ?? []).allSatisfy { ParameterType.date.accepts($0) }

    /// The number of different values above which an item has none of the values that a table lists.
    static let mostDifferentValues = 32

    /// The kinds that all values have in common, and their lengths.
    private struct Text {
        var kinds = TextKinds(rawValue: .max)
        var lengths: ClosedRange<Int>

        init(_ values: [ArraySlice<UInt8>]) {
            lengths = (values.map(\.count).min() ?? 0)...(values.map(\.count).max() ?? 0)
            for value in values { kinds.formIntersection(TextKinds(value)) }
        }
    }

    init(_ items: [DeepLink.QueryItem], of link: DeepLink, _ plusSign: DeepLink.PlusSign) {
        first = items[0]
        values =
            items.contains(where: \.hasInvalidValue)
            ? nil : items.map { link.valueBytes(of: $0, plus: plusSign) ?? [] }
    }

    /// Whether all occurrences satisfy a test.
    func satisfy(_ test: QueryCondition.Test) -> Bool {
        switch test {
        case .present: return true
        case .absent: return false
        case .oneOf(let listed): return values != nil && areAll(in: listed)
        case .capture(let parameter, _): return values != nil && areAll(parameter.type)
        }
    }

    private func areAll(in listed: ListedValues) -> Bool { different?.areAll(in: listed) ?? false }

    private func areAll(_ type: ParameterType) -> Bool {
        switch type {
        case .string(let bounds): return isWithin(bounds)
        case .slug(let bounds): return text.kinds.contains(.slug) && isWithin(bounds)
        case .alpha(let bounds): return text.kinds.contains(.alpha) && isWithin(bounds)
        case .alnum(let bounds): return text.kinds.contains(.alnum) && isWithin(bounds)
        case .hex(let bounds): return text.kinds.contains(.hex) && isWithin(bounds)
        case .int(let range):
            return integers.map { range == nil || range?.contains($0.lowerBound) == true && range?.contains($0.upperBound) == true } ?? false
        case .number(let range):
            return numbers.map { range == nil || range?.contains($0.lowerBound) == true && range?.contains($0.upperBound) == true } ?? false
        case .bool: return areBools
        case .uuid: return areUUIDs
        case .date: return areDates
        case .oneOf(let listed): return areAll(in: listed)
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
        var extremes: ClosedRange<Value>?
        for text in values {
            guard let value = read(text) else { return nil }
            let (least, greatest) = (extremes?.lowerBound ?? value, extremes?.upperBound ?? value)
            extremes = min(least, value)...max(greatest, value)
        }
        return extremes
    }

    /// Returns the values without repetitions; nil if there are too many.
    private static func different(_ values: [ArraySlice<UInt8>]) -> ListedValues? {
        var different: Set<ArraySlice<UInt8>> = []
        for value in values {
            guard different.insert(value).inserted else { continue }
            guard different.count <= mostDifferentValues else { return nil }
        }
        return ListedValues(different.map { String(decoding: $0, as: UTF8.self) })
    }
}
