/// The items of a long query by name. A link decides how many items there are, and a table how many of its conditions
/// look for one.
final class QueryIndex {
    private let link: DeepLink
    private let plusSign: DeepLink.PlusSign
    private let names: DistinctTexts
    /// The first item of each name.
    private let firstItems: [Int32]
    /// The next item of the same name; 0 at the end.
    private let nextItems: [Int32]
    /// What has been computed for each name.
    private var occurrences: [QueryOccurrences?]

    init(_ link: DeepLink, _ plusSign: DeepLink.PlusSign) {
        let count = link.query.count
        var names = DistinctTexts(capacity: count, bytes: link.rawQuery?.count ?? 0)
        var firstItems: [Int32] = []
        var lastItems: [Int32] = []
        firstItems.reserveCapacity(count)
        lastItems.reserveCapacity(count)
        var nextItems = [Int32](repeating: 0, count: count)
        var decoded: [UInt8] = []
        let items = link.query
        link.bytes.withUnsafeBufferPointer { bytes in
            for index in 0..<count where !items[index].hasInvalidName {
                let range = items[index].rawName
                let name: Int
                if items[index].hasEncodedName {
                    decoded.removeAll(keepingCapacity: true)
                    decoded.append(decoding: link.bytes[range], plus: plusSign)
                    name = decoded.withUnsafeBufferPointer { names.insert($0) }
                } else {
                    name = names.insert(UnsafeBufferPointer(rebasing: bytes[range]))
                }
                if name == firstItems.count {
                    firstItems.append(Int32(index))
                    lastItems.append(Int32(index))
                } else {
                    nextItems[Int(lastItems[name])] = Int32(index)
                    lastItems[name] = Int32(index)
                }
            }
        }
        (self.link, self.plusSign, self.names) = (link, plusSign, names)
        (self.firstItems, self.nextItems) = (firstItems, nextItems)
        occurrences = Array(repeating: nil, count: firstItems.count)
    }

    /// Returns the occurrences of an item; nil if there is none.
    func occurrences(named name: String) -> QueryOccurrences? {
        guard let index = name.withBytes({ names.index(of: $0) }) else { return nil }
        if let known = occurrences[index] { return known }
        var items: [DeepLink.QueryItem] = []
        var item = firstItems[index]
        repeat {
            items.append(link.query[Int(item)])
            item = nextItems[Int(item)]
        } while item != 0
        let found = QueryOccurrences(items, of: link, plusSign)
        occurrences[index] = found
        return found
    }
}

/// The occurrences of one item of a long query. What they have in common is computed once for all conditions of a lookup,
/// and each condition compares only that.
final class QueryOccurrences {
    /// The first whose value can be decoded; nil if there is none.
    let first: DeepLink.QueryItem?
    /// Whether a value cannot be decoded.
    private let areInvalid: Bool
    /// The values that can be decoded, one after the other, and their ends.
    private let bytes: [UInt8]
    private let ends: [Int32]
    private lazy var text = commonText()
    private lazy var integers = extremes(parseInt)
    private lazy var numbers = extremes(parseNumber)
    private lazy var distinct = distinctValues()
    private lazy var areBools = all { ParameterType.bool.accepts($0, .sensitive) }
    private lazy var areUUIDs = all { ParameterType.uuid.accepts($0, .sensitive) }
    private lazy var areDates = all { ParameterType.date.accepts($0, .sensitive) }

    /// The kinds of all values together, and their lengths.
    private struct Text {
        var kinds = TextKinds()
        var (shortest, longest) = (Int.max, 0)
        var haveHyphensAtEnds = false
    }

    init(_ items: [DeepLink.QueryItem], of link: DeepLink, _ plusSign: DeepLink.PlusSign) {
        first = items.first { !$0.hasInvalidValue }
        areInvalid = items.contains(where: \.hasInvalidValue)
        var bytes: [UInt8] = []
        var ends: [Int32] = []
        bytes.reserveCapacity(link.rawQuery?.count ?? 0)
        ends.reserveCapacity(items.count)
        link.bytes.withUnsafeBufferPointer { text in
            for item in items where !item.hasInvalidValue {
                if let range = item.rawValue {
                    if item.isEncoded {
                        bytes.append(decoding: link.bytes[range], plus: plusSign)
                    } else {
                        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[range]))
                    }
                }
                ends.append(Int32(bytes.count))
            }
        }
        (self.bytes, self.ends) = (bytes, ends)
    }

    /// Whether all occurrences satisfy a test.
    func satisfy(_ test: QueryCondition.Test) -> Bool {
        switch test {
        case .present: true
        case .absent: false
        case .oneOf(let listed): !areInvalid && listed.containsAll(distinct)
        case .capture(let parameter, _):
            (!areInvalid || test.acceptsAbsence) && (ends.isEmpty || areAll(parameter.type))
        }
    }

    private func areAll(_ type: ParameterType) -> Bool {
        switch type {
        case .string(let bounds): return isWithin(bounds)
        case .slug(let bounds), .alpha(let bounds), .alnum(let bounds), .hex(let bounds):
            guard let kind = type.kind, text.shortest > 0, text.kinds.isOnly(kind) else { return false }
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
        case .oneOf(let listed): return listed.containsAll(distinct)
        }
    }

    private func isWithin(_ bounds: ParameterType.Bounds<Int>?) -> Bool {
        guard let bounds else { return true }
        return bounds.contains(text.shortest) && bounds.contains(text.longest)
    }

    /// Whether all values pass.
    private func all(_ passes: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            var start = 0
            return ends.allSatisfy { end in
                defer { start = Int(end) }
                return passes(UnsafeBufferPointer(rebasing: bytes[start..<Int(end)]))
            }
        }
    }

    private func commonText() -> Text {
        var text = Text()
        let hyphen = UInt8(ascii: "-")
        _ = all { value in
            text.kinds.add(TextKinds(value))
            text.shortest = min(text.shortest, value.count)
            text.longest = max(text.longest, value.count)
            if value.first == hyphen || value.last == hyphen { text.haveHyphensAtEnds = true }
            return true
        }
        return text
    }

    /// Returns the least and the greatest value; nil if one cannot be read.
    private func extremes<Value: Comparable>(_ read: (UnsafeBufferPointer<UInt8>) -> Value?) -> ClosedRange<Value>? {
        var found: ClosedRange<Value>?
        let areRead = all { text in
            guard let value = read(text) else { return false }
            found = found.map { min($0.lowerBound, value)...max($0.upperBound, value) } ?? value...value
            return true
        }
        return areRead ? found : nil
    }

    private func distinctValues() -> DistinctTexts {
        var distinct = DistinctTexts(capacity: ends.count, bytes: bytes.count)
        _ = all { value in
            distinct.insert(value)
            return true
        }
        return distinct
    }
}
