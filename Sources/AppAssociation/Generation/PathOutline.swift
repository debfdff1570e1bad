import LinkRouting

/// What can be told of all paths of a pattern at a glance: how they begin, how they end, and of how many segments they are.
/// Patterns whose outlines do not meet have no path in common, so their automata need not be compared.
///
/// Paths are taken decoded, ASCII letters small, with one slash in front and one behind.
struct PathOutline {
    /// Every path begins with one of these.
    private(set) var heads: [[UInt8]]
    /// Every path ends with this; the slash behind is left away.
    private(set) var tail: [UInt8]
    /// The segments as a URL writes them: nil for one that is not the same in all paths. Nil where their number differs, or
    /// is not known.
    private(set) var segments: [[UInt8]?]?
    /// Whether paths may have more segments than these.
    private(set) var mayHaveMore = false

    /// More beginnings are not listed.
    private static let mostHeads = 32
    /// What is longer is cut: so many bytes tell patterns apart.
    private static let longest = 256

    static let everything = PathOutline(heads: [[]], tail: [])

    func mayMeet(_ other: PathOutline) -> Bool {
        tailsAgree(other) && headsAgree(other) && segmentsAgree(other)
    }

    /// Whether this may take all that the other does.
    func mayTakeAll(of other: PathOutline) -> Bool {
        guard let head = other.heads.first else { return true }
        return heads.contains { head.starts(with: $0) } && other.tail.reversed().starts(with: tail.reversed())
    }

    private func headsAgree(_ other: PathOutline) -> Bool {
        heads.contains { head in other.heads.contains { $0.starts(with: head) || head.starts(with: $0) } }
    }

    private func tailsAgree(_ other: PathOutline) -> Bool {
        tail.reversed().starts(with: other.tail.reversed()) || other.tail.reversed().starts(with: tail.reversed())
    }

    private func segmentsAgree(_ other: PathOutline) -> Bool {
        guard let segments, let others = other.segments else { return true }
        guard segments.count == others.count else {
            return segments.count < others.count ? mayHaveMore : other.mayHaveMore
        }
        return zip(segments, others).allSatisfy { $0 == nil || $1 == nil || $0 == $1 }
    }
}

// MARK: Of rules

extension PathOutline {
    init(_ rule: AssociationRule) {
        let pieces = rule.path.pieces
        heads = Self.heads(pieces).map { Array($0.prefix(Self.longest)) }
        tail = Self.tail(pieces).suffix(Self.longest)
        guard rule.isExcluded else { return }
        // What opens is compared decoded, so that an escaped slash counts as one.
        segments = Self.segments(pieces)
        mayHaveMore = pieces.contains { $0 == .one || $0 == .many }
    }

    /// For paths in which an escaped slash cannot be told from one between segments.
    var withoutSegments: PathOutline { PathOutline(heads: heads, tail: tail) }

    private static func heads(_ pieces: [Glob.Piece]) -> [[UInt8]] {
        var heads: [[UInt8]] = [[]]
        for piece in pieces {
            switch piece {
            // A URL may write it in several ways.
            case .byte(UInt8(ascii: "%")): return heads
            case .byte where heads[0].count >= longest: return heads
            case .byte(let byte): for index in heads.indices { heads[index].append(small(byte)) }
            case .values(let values, _):
                let texts = values.compactMap(plain)
                guard !texts.isEmpty, texts.count == values.count, heads.count * texts.count <= mostHeads else {
                    return heads
                }
                heads = heads.flatMap { head in texts.map { head + $0 } }
            case .one, .many, .character, .never: return heads
            }
        }
        // Where the path ends, iOS adds a slash.
        return heads.map { $0.last == UInt8(ascii: "/") ? $0 : $0 + [UInt8(ascii: "/")] }
    }

    private static func plain(_ value: [Glob.Piece]) -> [UInt8]? {
        var text: [UInt8] = []
        for piece in value {
            guard case .byte(let byte) = piece, byte != UInt8(ascii: "%") else { return nil }
            text.append(small(byte))
        }
        return text
    }

    private static func tail(_ pieces: [Glob.Piece]) -> [UInt8] {
        var tail: [UInt8] = []
        for piece in pieces.reversed() {
            guard case .byte(let byte) = piece else { break }
            // An escape has two digits behind its sign.
            if byte == UInt8(ascii: "%") { return Array(tail.dropLast(2).reversed()) }
            if byte == UInt8(ascii: "/"), tail.isEmpty { continue }
            tail.append(small(byte))
            if byte == UInt8(ascii: "/") { break }
        }
        return tail.reversed()
    }

    private static func segments(_ pieces: [Glob.Piece]) -> [[UInt8]?]? {
        var parts = pieces.split(separator: .byte(UInt8(ascii: "/")), omittingEmptySubsequences: false)[...]
        if parts.first?.isEmpty == true { parts = parts.dropFirst() }
        if parts.last?.isEmpty == true { parts = parts.dropLast() }
        // An empty one is nobody's, and what a lone star stands for may be none.
        guard !parts.contains(where: { $0.isEmpty || $0.elementsEqual([.many]) }) else { return nil }
        return parts.map { plain(Array($0)) }
    }

    fileprivate static func small(_ byte: UInt8) -> UInt8 { ByteSet.upper.contains(byte) ? byte | 0x20 : byte }
}

// MARK: Of routes

extension PathOutline {
    init(_ pattern: Pattern) {
        heads = Self.heads(pattern).map { Array($0.prefix(Self.longest)) }
        tail = Self.tail(pattern).suffix(Self.longest)
        guard !pattern.segments.contains(where: { if case .rest = $0 { true } else { false } }) else { return }
        segments = pattern.segments.map { segment in
            guard case .literal(let literal) = segment, literal.allSatisfy(Self.isPlain) else { return nil }
            return literal.map(Self.small)
        }
    }

    private static func heads(_ pattern: Pattern) -> [[UInt8]] {
        var heads = [[UInt8(ascii: "/")]]
        for segment in pattern.segments where heads[0].count < longest {
            var texts: [[UInt8]]
            switch segment {
            case .literal(let literal): texts = [literal]
            case .parameter(let parameter):
                guard case .oneOf(let values) = parameter.type else { return heads }
                texts = values.map { Array($0.utf8) }
            case .mixed(let mixed):
                let prefix = mixed.prefix.prefix(while: isPlain).map(small)
                return heads.map { $0 + prefix }
            case .any, .rest: return heads
            }
            guard texts.count == 1 || texts.allSatisfy({ $0.allSatisfy(isPlain) }),
                !texts.isEmpty, heads.count * texts.count <= mostHeads
            else { return heads }
            guard texts.allSatisfy({ $0.allSatisfy(isPlain) }) else {
                let beginning = texts[0].prefix(while: isPlain).map(small)
                return heads.map { $0 + beginning }
            }
            texts = texts.map { $0.map(small) + [UInt8(ascii: "/")] }
            heads = heads.flatMap { head in texts.map { head + $0 } }
        }
        return heads
    }

    private static func tail(_ pattern: Pattern) -> [UInt8] {
        guard let last = pattern.segments.last else { return [] }
        switch last {
        case .literal(let literal):
            let tail = literal.reversed().prefix(while: isPlain).reversed().map(small)
            return tail.count == literal.count ? [UInt8(ascii: "/")] + tail : tail
        case .mixed(let mixed):
            return (mixed.pieces.last?.literal ?? []).reversed().prefix(while: isPlain).reversed().map(small)
        case .parameter, .any, .rest: return []
        }
    }

    /// Whether a URL that does not escape it can write it in one way only.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte != UInt8(ascii: "%") && byte != UInt8(ascii: "/") && (0x21...0x7E).contains(byte)
    }
}
