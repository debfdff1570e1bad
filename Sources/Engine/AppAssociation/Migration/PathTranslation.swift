import LinkRouting

/// A rule's path in the grammar of routes: patterns that together match the same paths, or the closest approximation.
struct PathTranslation {
    /// The patterns, at most three, the simplest first; empty if no pattern approximates the path.
    private(set) var paths: [MigratedPath] = []
    /// Why the patterns may not match the same paths; nil if they are expected to. The comparison of automata verifies
    /// it.
    private(set) var inexactness: Inexactness?

    private let reading: Glob.Reading

    init(_ glob: Glob, _ reading: Glob.Reading) {
        self.reading = reading
        guard !glob.isOneCharacter else {
            if glob.pieces == [.one] || glob.pieces == [.slash] { paths = [MigratedPath()] }
            return
        }
        let pieces = glob.normalisedPath.pieces
        let wildcards = pieces.prefix { $0 == .many || $0 == .one }
        // Every path has at least one character.
        if wildcards.count == pieces.count, wildcards.count(where: { $0 == .one }) <= 1 {
            paths = [MigratedPath(hasRest: true)]
        } else if pieces.first == .slash {
            add(pieces.dropFirst())
        } else {
            inexactness = .star
            let behind = pieces.dropFirst(wildcards.count)
            if !wildcards.contains(.one) { add(behind.drop { $0 == .slash }) }
            add([.one, .many] + behind)
        }
        for index in paths.indices { paths[index] = readable(paths[index]) }
    }

    /// Returns the path with plain parameters where a pattern may have only one that several ends are tried for.
    private mutating func readable(_ path: MigratedPath) -> MigratedPath {
        var path = path
        for index in path.segments.indices {
            var names = ParameterNames()
            let text = MigratedPath(segments: [path.segments[index]]).text(&names)
            guard (try? RoutePattern(text)) == nil else { continue }
            path.segments[index] = path.segments[index].map { part in
                if case .literal = part { part } else { .plain }
            }
            inexactness = inexactness ?? .severalEnds
        }
        return path
    }

    /// Adds the patterns for a path without its leading slash.
    private mutating func add(_ pieces: ArraySlice<Glob.Piece>) {
        var segments = pieces.split(separator: .slash, omittingEmptySubsequences: false).map(Array.init)
        let isClosed = segments.last?.isEmpty == true
        if isClosed { segments.removeLast() }
        guard let last = segments.popLast() else {
            paths.append(MigratedPath())
            return
        }
        var beginning = MigratedPath()
        for segment in segments { beginning.segments.append(translated(segment)) }
        guard last.last == .many || last.suffix(2) == [.many, .one] else {
            beginning.segments.append(translated(last))
            paths.append(beginning)
            return
        }
        addEnd(last, isClosed, beginning)
    }

    /// Adds the patterns for a path whose last segment ends with a star, which also matches slashes.
    private mutating func addEnd(_ last: [Glob.Piece], _ isClosed: Bool, _ beginning: MigratedPath) {
        let wildcards = last.reversed().prefix { $0 == .many || $0 == .one }
        let ones = wildcards.count { $0 == .one }
        let base = last.dropLast(wildcards.count)
        var path = beginning
        path.hasRest = true
        if base.isEmpty {
            // With a `?`, or with a slash after the star, the wildcards match at least one character.
            if ones > 0 || isClosed { path.segments.append([MigratedPart.plain]) }
            if ones > 1 {
                path.segments[path.segments.count - 1] = [.parameter(name: nil, type: ":string(\(ones)..)")]
                inexactness = inexactness ?? .one
            }
            paths.append(path)
            return
        }
        let prefix = translated(Array(base))
        if ones < 2 {
            path.segments.append(prefix)
            paths.append(path)
        }
        guard case .literal? = prefix.last else {
            inexactness = inexactness ?? .mixture
            return
        }
        if ones > 0 && isClosed || ones > 1 { inexactness = inexactness ?? .one }
        path.segments = beginning.segments + [prefix + [.plain]]
        paths.append(path)
    }

    private mutating func translated(_ segment: [Glob.Piece]) -> [MigratedPart] {
        let translation = SegmentTranslation(segment, reading)
        inexactness = inexactness ?? translation.inexactness
        return translation.parts
    }
}

/// A path pattern of a new route.
struct MigratedPath: Hashable {
    var segments: [[MigratedPart]] = []
    var hasRest = false

    /// Returns the pattern's text. Parameters keep the names that they have in the file. `names` has the names in use.
    func text(_ names: inout ParameterNames) -> String {
        var text = ""
        for segment in segments {
            text += "/"
            if case .literal(let bytes)? = segment.first, segment.count == 1, let meant = Self.meant(bytes) {
                text += meant
                continue
            }
            for part in segment {
                switch part {
                case .literal(let bytes): text += SegmentTranslation.literal(bytes)
                case .parameter(let name, let type): text += "{\(names.new(name ?? "part"))\(type)}"
                case .set(let name, let values):
                    let values = values.map(SegmentTranslation.setValue).joined(separator: ",")
                    text += "{\(names.new(name ?? "part"))(\(values))}"
                }
            }
        }
        if hasRest { text += "/{\(names.new(segments.isEmpty ? "path" : "rest"))...}" }
        return text.isEmpty ? "/" : text
    }

    /// Returns a segment that looks like a parameter of a router with escapes, which say that the text is meant; nil for
    /// other texts.
    private static func meant(_ bytes: [UInt8]) -> String? {
        guard ForeignSegment(String(decoding: bytes, as: UTF8.self)) != nil else { return nil }
        let plain = ByteSet.letters.union(.digits).union(ByteSet("-._~")).union(ByteSet(0x80...0xFF))
        let digits = Array("0123456789ABCDEF".utf8)
        return String(
            decoding: bytes.flatMap { byte -> [UInt8] in
                plain.contains(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            },
            as: UTF8.self
        )
    }

    /// The literal texts, for readable names.
    var words: [String] {
        segments.flatMap { segment in
            segment.compactMap { part in
                if case .literal(let bytes) = part { String(decoding: bytes, as: UTF8.self) } else { nil }
            }
        }
    }
}

/// The names of one route's parameters. Each name is unique.
struct ParameterNames {
    private(set) var all: [String] = []

    /// Returns `wanted` without the characters that a name cannot have, and with a number if the name is taken.
    mutating func new(_ wanted: String) -> String {
        let allowed = ByteSet.letters.union(.digits).union(ByteSet("_"))
        var bytes = Array(wanted.utf8.filter(allowed.contains).prefix(40))
        if bytes.first.map(ByteSet.letters.contains) != true { bytes = Array("value".utf8) + bytes }
        let plain = String(decoding: bytes, as: UTF8.self)
        var name = plain
        var number = 2
        while all.contains(name) {
            name = "\(plain)\(number)"
            number += 1
        }
        all.append(name)
        return name
    }
}

extension Glob.Piece {
    static let slash = Glob.Piece.byte(UInt8(ascii: "/"))
}
