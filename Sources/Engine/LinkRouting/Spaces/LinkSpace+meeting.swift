extension LinkSpace {
    private var forms: [SegmentForm] { segments.map(\.form) }

    /// The approximate cost of a comparison.
    var size: Int { segments.reduce(1) { $0 + $1.count } }

    /// Whether some link and caller may be in both spaces. False only if it is proved that there are none.
    func mayMeet(_ other: LinkSpace, _ apps: [RegisteredApp]) -> Bool {
        mayShareShape(with: other) && zip(forms, other.forms).allSatisfy { $0.mayMeet($1) }
            && query.allSatisfy { name, space in other.query[name].map { !space.intersection($0).isEmpty } ?? true }
            && fragmentMayMeet(other.fragment)
            && hosts.contains { host in other.hosts.contains { host.mayMeet($0) } }
            && facts.intersection(other.facts).contradictions(apps).isEmpty
    }

    /// Whether the shapes of the paths are compatible. A rest takes any number of segments. Without a rest, the numbers
    /// of segments are equal and a trailing slash must be allowed by both or by neither.
    private func mayShareShape(with other: LinkSpace) -> Bool {
        switch (hasRest, other.hasRest) {
        case (true, true): true
        case (true, false): other.forms.count >= forms.count
        case (false, true): forms.count >= other.forms.count
        case (false, false): forms.count == other.forms.count && slashes.contains(where: other.slashes.contains)
        }
    }

    private func fragmentMayMeet(_ other: FragmentCondition?) -> Bool {
        switch (fragment, other) {
        case (.equals(let own)?, .equals(let text)?): own.utf8.elementsEqual(text.utf8)
        case (nil, _), (_, nil), (.pattern?, _), (_, .pattern?): true
        }
    }
}

extension SegmentForm {
    /// Whether some text may match both segments. False only if it is proved that none does.
    func mayMeet(_ other: SegmentForm) -> Bool {
        if let texts { return texts.contains(where: other.accepts) }
        if let texts = other.texts { return texts.contains(where: accepts) }
        if let words, let others = other.words {
            let isFolded = letterCase == .ignored || other.letterCase == .ignored
            return words.contains { word in
                others.contains { areEqual($0[...], word, isFolded ? .ignored : .sensitive) }
            }
        }
        switch (segment, other.segment) {
        case (.parameter(let one), .parameter(let two)):
            return one.type.mayMeet(two.type)
        case (.mixed(let one), .mixed(let two)):
            let letterCase: LetterCase =
                letterCase == .ignored || other.letterCase == .ignored ? .ignored : .sensitive
            let length = min(one.prefix.count, two.prefix.count)
            let (end, otherEnd) = (one.pieces.last?.literal ?? [], two.pieces.last?.literal ?? [])
            let shared = min(end.count, otherEnd.count)
            return areEqual(one.prefix.prefix(length), Array(two.prefix.prefix(length)), letterCase)
                && areEqual(end.suffix(shared), Array(otherEnd.suffix(shared)), letterCase)
        case (.literal(let literal), _) where other.ignoresCase: return other.accepts(literal)
        case (_, .literal(let literal)) where ignoresCase: return accepts(literal)
        default: return true
        }
    }

    /// The literal, or the listed values. Their letter case may vary.
    private var words: [[UInt8]]? {
        switch segment {
        case .literal(let literal): [literal]
        case .parameter(let parameter): parameter.type.listedValues?.map { Array($0.utf8) }
        case .mixed, .any, .rest: nil
        }
    }
}

extension ParameterType {
    /// Whether some text may be of both types; not for types with listed values. False only if it is proved that none
    /// is.
    fileprivate func mayMeet(_ other: ParameterType) -> Bool {
        switch (self, other) {
        case (.int(let one), .int(let two)):
            let lower = max(one?.lower ?? .min, two?.lower ?? .min)
            return lower <= min(one?.upper ?? .max, two?.upper ?? .max)
        case (.alpha, .int), (.int, .alpha), (.alpha, .date), (.date, .alpha), (.alpha, .uuid), (.uuid, .alpha),
            (.alpha, .number), (.number, .alpha), (.uuid, .date), (.date, .uuid), (.int, .uuid), (.uuid, .int),
            (.int, .date), (.date, .int):
            return false
        default:
            let (own, others) = (lengths(shortest: 1), other.lengths(shortest: 1))
            return own.overlaps(others)
        }
    }
}

extension HostSpace {
    fileprivate func mayMeet(_ other: HostSpace) -> Bool {
        switch (self, other) {
        case (.scheme, .scheme): return true
        case (.scheme, _), (_, .scheme): return false
        default: break
        }
        guard port == other.port else { return false }
        // Alternative spellings of Unicode names are not distinguished here.
        guard name.utf8.allSatisfy({ $0 < 0x80 }), other.name.utf8.allSatisfy({ $0 < 0x80 }) else { return true }
        switch (self, other) {
        case (.exact(let one, _), .exact(let two, _)): return one == two
        case (.exact(let host, _), .label(_, let suffix, _)), (.label(_, let suffix, _), .exact(let host, _)):
            return suffix.isParent(of: host)
        case (.exact(let host, _), .deeper(let suffix, _)), (.deeper(let suffix, _), .exact(let host, _)):
            return suffix.isParent(of: host)
        case (.label(_, let one, _), .label(_, let two, _)): return one.ascii == two.ascii
        case (.label(_, let one, _), .deeper(let two, _)), (.deeper(let two, _), .label(_, let one, _)):
            return two.isParent(of: one.ascii)
        case (.deeper(let one, _), .deeper(let two, _)):
            return one.ascii == two.ascii || one.isParent(of: two.ascii) || two.isParent(of: one.ascii)
        case (.scheme, _), (_, .scheme): return true
        }
    }

    private var port: UInt16? {
        switch self {
        case .scheme: nil
        case .exact(_, let port), .label(_, _, let port), .deeper(_, let port): port
        }
    }

    private var name: String {
        switch self {
        case .scheme: ""
        case .exact(let host, _): host
        case .label(_, let suffix, _), .deeper(let suffix, _): suffix.ascii
        }
    }
}
