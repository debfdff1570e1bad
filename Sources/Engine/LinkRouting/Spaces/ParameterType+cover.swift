extension ParameterType {
    /// Whether every text of the other type is proved to be of this type. Types with listed values are compared
    /// elsewhere. `shortest` is the minimum length of a text: 1 in a path, 0 in a query.
    func takesAll(of other: ParameterType, shortest: Int) -> Bool {
        guard !isNever(shortest: shortest) else { return false }
        let (own, others) = (lengths(shortest: shortest), other.lengths(shortest: shortest))
        let isLongEnough = own.lowerBound <= others.lowerBound && own.upperBound >= others.upperBound
        switch (self, other) {
        case (.string, _): return isLongEnough
        case (.int(let range), .int(let part)): return takes(range, part)
        case (.number(let range), .number(let part)): return takes(range, part)
        case (.number(let range), .int(let part)):
            // A number has at most 15 digits.
            let most: Int64 = 999_999_999_999_999
            guard let lower = part?.lower, let upper = part?.upper, -most <= lower, upper <= most else { return false }
            return range.map { $0.contains(Double(lower)) && $0.contains(Double(upper)) } ?? true
        case (.alpha, .alpha), (.alnum, .alnum), (.alnum, .alpha), (.alnum, .hex), (.hex, .hex), (.slug, .slug),
            (.slug, .date):
            return isLongEnough
        case (.alnum, .int(let part)), (.hex, .int(let part)), (.slug, .int(let part)):
            return isLongEnough && part?.lower.map { $0 >= 0 } == true
        case (.bool, .bool), (.uuid, .uuid), (.date, .date): return true
        default: return false
        }
    }

    private func takes<Value>(_ range: Bounds<Value>?, _ part: Bounds<Value>?) -> Bool {
        let isLowEnough = range?.lower.map { lower in part?.lower.map { lower <= $0 } ?? false } ?? true
        let isHighEnough = range?.upper.map { upper in part?.upper.map { upper >= $0 } ?? false } ?? true
        return isLowEnough && isHighEnough
    }

    /// Returns the range of lengths of the type's texts, in bytes; it may be too wide. Meaningless when no text has the
    /// type, see ``isNever(shortest:)``.
    func lengths(shortest: Int) -> ClosedRange<Int> {
        func lengths(_ bounds: Bounds<Int>?, _ shortest: Int) -> ClosedRange<Int> {
            let lower = max(bounds?.lower ?? 0, shortest)
            return lower...max(lower, bounds?.upper ?? .max)
        }
        switch self {
        case .string(let length): return lengths(length, shortest)
        case .slug(let length), .alpha(let length), .alnum(let length), .hex(let length): return lengths(length, 1)
        case .int(let range):
            let ends = [range?.lower ?? .min, range?.upper ?? .max].map { "\($0)".utf8.count }
            return 1...(ends.max() ?? 20)
        case .oneOf(let values):
            let counts = values.map(\.utf8.count)
            return (counts.min() ?? 0)...(counts.max() ?? 0)
        case .number: return 1...(maximumLength ?? .max)
        case .bool: return 4...5
        case .uuid: return 36...36
        case .date: return 10...10
        }
    }

    /// Whether no text can have the type, as for `alpha(..0)`.
    func isNever(shortest: Int) -> Bool {
        switch self {
        case .string(let length): length?.upper.map { $0 < shortest } ?? false
        case .slug(let length), .alpha(let length), .alnum(let length), .hex(let length):
            length?.upper.map { $0 < 1 } ?? false
        case .oneOf(let values): values.isEmpty
        case .int, .number, .bool, .uuid, .date: false
        }
    }

    /// The type without its length bounds.
    var ofAnyLength: ParameterType {
        switch self {
        case .string: .plain
        case .slug: .slug(length: nil)
        case .alpha: .alpha(length: nil)
        case .alnum: .alnum(length: nil)
        case .hex: .hex(length: nil)
        case .int, .number, .bool, .uuid, .date, .oneOf: self
        }
    }

    var listedValues: ListedValues? {
        guard case .oneOf(let values) = self else { return nil }
        return values
    }

    /// Whether the letter case of a text never changes whether it is accepted.
    func ignoresCase(_ letterCase: LetterCase) -> Bool {
        switch self {
        case .string, .alpha, .alnum, .hex, .uuid, .int, .number, .date: true
        case .oneOf: letterCase == .ignored
        case .bool, .slug: false
        }
    }
}
