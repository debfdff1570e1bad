/// The rest of a segment's texts after narrower segments have been subtracted.
struct SegmentTexts {
    let form: SegmentForm
    /// All remaining texts, if they can be listed.
    private var listed: [[UInt8]]?
    private var taken: [SegmentForm] = []

    init(_ form: SegmentForm) {
        self.form = form
        listed = form.texts
    }

    /// The number of texts that are checked one by one; 1 if they are not listed.
    var count: Int { listed?.count ?? 1 }

    /// Whether it is proved that no text is left.
    var isEmpty: Bool {
        if let listed { return listed.isEmpty }
        if case .parameter(let parameter) = form.segment, parameter.type.isNever(shortest: 1) { return true }
        return taken.contains { $0.takesAll(of: form) } || isTakenInParts || areValuesTaken
    }

    /// Whether all listed values are taken. Used for case-insensitive values with too many spellings to list.
    private var areValuesTaken: Bool {
        guard case .parameter(let parameter) = form.segment, let values = parameter.type.listedValues else {
            return false
        }
        return values.allSatisfy { value in
            let literal = SegmentForm(segment: .literal(Array(value.utf8)), letterCase: form.letterCase)
            return taken.contains { $0.takesAll(of: literal) }
        }
    }

    /// Samples of the remaining texts, the plainest first.
    var samples: [[UInt8]] {
        if let listed { return listed }
        return (form.samples + justOutside).filter { text in !taken.contains { $0.accepts(text) } }
    }

    /// Returns what the other segment leaves over, and what is in both; nil when it takes nothing.
    ///
    /// The common part may be over-approximated when it cannot be listed.
    func subtracting(_ other: SegmentForm) -> (rest: SegmentTexts?, common: SegmentTexts)? {
        if let listed {
            let common = other.accepted(listed)
            guard !common.isEmpty else { return nil }
            var (rest, both) = (self, self)
            rest.listed = listed.filter { !other.accepts($0) }
            both.listed = common
            return (common.count == listed.count ? nil : rest, both)
        }
        guard !other.takesAll(of: form) else { return (nil, self) }
        var rest = self
        rest.taken.append(other)
        return (rest.isEmpty ? nil : rest, self)
    }

    // MARK: Ranges

    /// Whether the subtracted segments are ranges of numbers or lengths without gaps.
    private var isTakenInParts: Bool {
        guard taken.count > 1, case .parameter(let parameter) = form.segment else {
            guard case .any = form.segment, taken.count > 1 else { return false }
            return Self.covers(Self.lengths(.plain), takenTypes.filter { $0.ofAnyLength == .plain }.map(Self.lengths))
        }
        if case .int(let range) = parameter.type {
            let whole = (range?.lower ?? .min)...(range?.upper ?? .max)
            return Self.covers(whole, takenIntegers)
        }
        let type = parameter.type.ofAnyLength
        let wide = takenTypes.filter { $0.ofAnyLength.takesAll(of: type, shortest: 1) }
        return Self.covers(Self.lengths(parameter.type), wide.map(Self.lengths))
    }

    private var takenTypes: [ParameterType] {
        taken.compactMap { form in
            guard case .parameter(let parameter) = form.segment else { return nil }
            return parameter.type
        }
    }

    private var takenIntegers: [ClosedRange<Int64>] {
        takenTypes.compactMap { type in
            guard case .int(let range) = type else { return nil }
            let (lower, upper) = (range?.lower ?? .min, range?.upper ?? .max)
            return lower <= upper ? lower...upper : nil
        }
    }

    private static func lengths(_ type: ParameterType) -> ClosedRange<Int64> {
        let lengths = type.lengths(shortest: 1)
        return Int64(lengths.lowerBound)...Int64(lengths.upperBound)
    }

    private static func covers(_ whole: ClosedRange<Int64>, _ parts: [ClosedRange<Int64>]) -> Bool {
        var next = whole.lowerBound
        for part in parts.sorted(by: { $0.lowerBound < $1.lowerBound }) where part.upperBound >= next {
            guard part.lowerBound <= next else { return false }
            guard part.upperBound < whole.upperBound else { return true }
            next = part.upperBound + 1
        }
        return false
    }

    /// The numbers adjacent to the subtracted ranges, and texts slightly shorter and longer than the subtracted
    /// lengths.
    private var justOutside: [[UInt8]] {
        let beside = takenIntegers.flatMap { range in
            [range.lowerBound.subtractingReportingOverflow(1), range.upperBound.addingReportingOverflow(1)]
        }
        let numbers = beside.filter { !$0.overflow }.map { Array("\($0.partialValue)".utf8) }
        let ends = takenTypes.filter { $0 != $0.ofAnyLength }.map { $0.lengths(shortest: 1) }
        let counts = ends.flatMap { [$0.lowerBound - 1, $0.upperBound == .max ? 0 : $0.upperBound + 1] }
        let samples = counts.isEmpty ? [] : form.samples.prefix(2)
        let words = counts.filter { (1...DeepLink.maximumLength).contains($0) }.flatMap { count in
            samples.map { word in
                Array(word.prefix(count))
                    + Array(repeating: word.last ?? UInt8(ascii: "x"), count: max(0, count - word.count))
            }
        }
        return (numbers + words).filter(form.accepts)
    }
}
