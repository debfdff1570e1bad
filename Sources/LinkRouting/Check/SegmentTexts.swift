/// What is left of one segment after narrower ones have been taken out of it.
struct SegmentTexts {
    let form: SegmentForm
    /// All texts that are left, where they can be listed.
    private var listed: [[UInt8]]?
    private var taken: [SegmentForm] = []

    init(_ form: SegmentForm) {
        self.form = form
        listed = form.texts
    }

    /// How many texts are looked at one by one; 1 where none are.
    var count: Int { listed?.count ?? 1 }

    /// Whether nothing is proved to be left.
    var isEmpty: Bool {
        if let listed { return listed.isEmpty }
        if case .parameter(let parameter) = form.segment, parameter.type.isNever(shortest: 1) { return true }
        return taken.contains { $0.takesAll(of: form) } || isTakenInParts || areValuesTaken
    }

    /// Of listed values in any case, whose spellings are too many to be listed.
    private var areValuesTaken: Bool {
        guard case .parameter(let parameter) = form.segment, let values = parameter.type.listedValues else {
            return false
        }
        return values.allSatisfy { value in
            let literal = SegmentForm(segment: .literal(Array(value.utf8)), letterCase: form.letterCase)
            return taken.contains { $0.takesAll(of: literal) }
        }
    }

    /// Some of the texts that are left, the plainest first.
    var samples: [[UInt8]] {
        if let listed { return listed }
        return (form.samples + justOutside).filter { text in !taken.contains { $0.accepts(text) } }
    }

    /// What is left behind the other segment, and what lies in both; nil where the other takes nothing.
    ///
    /// What lies in both may be given too large where it cannot be listed.
    func subtracting(_ other: SegmentForm) -> (rest: SegmentTexts?, common: SegmentTexts)? {
        if let listed {
            let common = listed.filter(other.accepts)
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

    /// Whether what was taken are ranges of numbers or lengths that leave no gap.
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

    /// The numbers right beside the ranges that were taken, and texts a little shorter and longer than those.
    private var justOutside: [[UInt8]] {
        let beside = takenIntegers.flatMap { range in
            [range.lowerBound.subtractingReportingOverflow(1), range.upperBound.addingReportingOverflow(1)]
        }
        let numbers = beside.filter { !$0.overflow }.map { Array("\($0.partialValue)".utf8) }
        let ends = takenTypes.filter { $0 != $0.ofAnyLength }.map { $0.lengths(shortest: 1) }
        let counts = ends.flatMap { [$0.lowerBound - 1, $0.upperBound == .max ? 0 : $0.upperBound + 1] }
        let words = counts.filter { (1...Link.maximumLength).contains($0) }.flatMap { count in
            form.samples.prefix(2).map { word in
                Array(word.prefix(count))
                    + Array(repeating: word.last ?? UInt8(ascii: "x"), count: max(0, count - word.count))
            }
        }
        return (numbers + words).filter(form.accepts)
    }
}
