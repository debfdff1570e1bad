/// The occurrences of a query item in a link that has many items.
///
/// A link decides how often an item occurs, and a table how many routes test it. So what the occurrences have in common is
/// computed once for all conditions of a lookup, and each condition compares only that.
final class QueryOccurrences {
    /// The different occurrences, in the link's order.
    private(set) var items: [DeepLink.QueryItem] = []
    /// The decoded values, computed when first needed; nil if one has an invalid escape.
    private var values: [ArraySlice<UInt8>]??
    /// The same values without repetitions.
    private var distinct: Set<ExactText>?
    /// The extremes of the values by type without bounds; nil if the type does not accept one of the values.
    private var extremes: [ParameterType: Extremes?] = [:]

    /// All values are between these two, in the order of the type's bounds.
    private struct Extremes {
        let least: ArraySlice<UInt8>
        let greatest: ArraySlice<UInt8>
    }

    /// The number of occurrences up to which each is compared.
    static let few = 8

    func append(_ item: DeepLink.QueryItem) { items.append(item) }

    /// Whether the occurrences satisfy a test.
    func satisfy(_ test: QueryCondition.Test, in link: DeepLink, _ plusSign: DeepLink.PlusSign) -> Bool {
        guard !items.isEmpty else { return test.acceptsAbsence }
        guard items.count > Self.few else { return items.allSatisfy { test.accepts($0, of: link, plusSign) } }
        switch test {
        case .present: return true
        case .absent: return false
        case .oneOf, .capture: break
        }
        guard let values = values(in: link, plusSign) else { return false }
        if let listed = test.listedValues {
            return distinct(of: values).isSubset(of: listed.lazy.map { ExactText($0) })
        }
        guard case .capture(let parameter, _) = test, let extremes = extremes(of: values, parameter.type) else {
            return false
        }
        return parameter.type.accepts(extremes.least) && parameter.type.accepts(extremes.greatest)
    }

    private func values(in link: DeepLink, _ plusSign: DeepLink.PlusSign) -> [ArraySlice<UInt8>]? {
        if let values { return values }
        let decoded = items.map { link.valueBytes(of: $0, plus: plusSign) }
        let values = decoded.contains(nil) ? nil : decoded.compactMap(\.self)
        self.values = .some(values)
        return values
    }

    private func distinct(of values: [ArraySlice<UInt8>]) -> Set<ExactText> {
        if let distinct { return distinct }
        let distinct = Set(values.lazy.map { ExactText(String(decoding: $0, as: UTF8.self)) })
        self.distinct = distinct
        return distinct
    }

    private func extremes(of values: [ArraySlice<UInt8>], _ bounded: ParameterType) -> Extremes? {
        let type = bounded.unbounded
        if let extremes = extremes[type] { return extremes }
        var found: Extremes?
        if values.allSatisfy({ type.accepts($0) }), let least = values.min(by: type.ordersByBounds),
            let greatest = values.max(by: type.ordersByBounds)
        {
            found = Extremes(least: least, greatest: greatest)
        }
        extremes[type] = .some(found)
        return found
    }
}

extension ParameterType {
    /// The type without its range or length.
    fileprivate var unbounded: ParameterType {
        switch self {
        case .string: .string(length: nil)
        case .int: .int(nil)
        case .number: .number(nil)
        case .slug: .slug(length: nil)
        case .alpha: .alpha(length: nil)
        case .alnum: .alnum(length: nil)
        case .hex: .hex(length: nil)
        case .bool, .uuid, .date, .oneOf: self
        }
    }

    /// Whether a value is less than another in the order of the type's bounds: as a number, or in length.
    fileprivate func ordersByBounds(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
        switch self {
        case .int:
            guard let left = parseInt(left), let right = parseInt(right) else { return false }
            return left < right
        case .number:
            guard let left = Double(String(decoding: left, as: UTF8.self)),
                let right = Double(String(decoding: right, as: UTF8.self))
            else { return false }
            return left < right
        case .string, .bool, .uuid, .slug, .alpha, .alnum, .hex, .date, .oneOf: return left.count < right.count
        }
    }
}
