import LinkRouting

/// A summary of all paths of a pattern: their prefixes (heads), their suffix (tail) and their segments. Patterns whose
/// outlines do not overlap have no path in common, so their automata need not be compared.
///
/// Paths are decoded, with ASCII letters in lower case, and with one slash at the beginning and at the end.
struct PathOutline {
    /// The prefixes: every path begins with one of them.
    private(set) var heads: [[UInt8]]
    /// The suffix of every path, without the slash at the end.
    private(set) var tail: [UInt8]
    /// The segments as a URL writes them; nil for a segment that is not the same in all paths. The list is nil if the
    /// number of segments varies or is not known.
    private(set) var segments: [[UInt8]?]?
    /// Whether paths may have further segments.
    private(set) var mayHaveMore = false

    /// The maximum number of heads.
    private static let mostHeads = 32
    /// The maximum length of a head or tail in bytes. Longer ones are cut; this length suffices to distinguish
    /// patterns.
    private static let longest = 256

    static let everything = PathOutline(heads: [[]], tail: [])

    /// Returns whether patterns with the two outlines may have a path in common.
    func mayMeet(_ other: PathOutline) -> Bool {
        tailsAgree(other) && headsAgree(other) && segmentsAgree(other)
    }

    /// Returns whether a pattern with this outline may match all paths of a pattern with the other outline.
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

// MARK: Rules

extension PathOutline {
    init(_ rule: AssociationRule) {
        let pieces = rule.path.pieces
        heads = Self.heads(pieces).map { Array($0.prefix(Self.longest)) }
        tail = Self.tail(pieces).suffix(Self.longest)
        guard rule.isExcluded else { return }
        // Opening rules are compared decoded. An escaped slash then counts as a slash, so their segments are not known.
        segments = Self.segments(pieces)
        mayHaveMore = pieces.contains { $0 == .one || $0 == .many }
    }

    private static func heads(_ pieces: [Glob.Piece]) -> [[UInt8]] {
        var heads: [[UInt8]] = [[]]
        for piece in pieces {
            switch piece {
            // A URL may write this byte in several ways.
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
        // iOS adds a slash at the end of a path.
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
            // An escape includes the two digits after its `%`.
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
        // No path has an empty segment. A star alone may match no segment at all.
        guard !parts.contains(where: { $0.isEmpty || $0.elementsEqual([.many]) }) else { return nil }
        return parts.map { plain(Array($0)) }
    }

    fileprivate static func small(_ byte: UInt8) -> UInt8 { ByteSet.upper.contains(byte) ? byte | 0x20 : byte }
}

// MARK: Routes

extension PathOutline {
    init(_ pattern: RoutePattern) {
        heads = Self.heads(pattern).map { Array($0.prefix(Self.longest)) }
        tail = Self.tail(pattern).suffix(Self.longest)
        guard !pattern.segments.contains(where: { if case .rest = $0 { true } else { false } }) else { return }
        segments = pattern.segments.map { segment in
            guard case .literal(let literal) = segment, literal.allSatisfy(Self.isPlain) else { return nil }
            return literal.map(Self.small)
        }
    }

    private static func heads(_ pattern: RoutePattern) -> [[UInt8]] {
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

    private static func tail(_ pattern: RoutePattern) -> [UInt8] {
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

    /// Returns whether the byte has only one spelling in a URL that does not escape it.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte != UInt8(ascii: "%") && byte != UInt8(ascii: "/") && (0x21...0x7E).contains(byte)
    }
}
