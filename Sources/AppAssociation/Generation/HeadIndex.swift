import LinkRouting

/// Finds the few patterns that may overlap one, among very many: those whose literal beginnings agree.
struct HeadIndex {
    /// Sorted by head.
    private let entries: [(head: [UInt8], value: Int)]

    init(_ heads: [[UInt8]]) {
        entries = heads.enumerated().map { (head: $1, value: $0) }.sorted { $0.head.precedes($1.head) }
    }

    /// The numbers of the patterns whose head begins `head`: only those can take all that it takes.
    func beginning(_ head: [UInt8]) -> [Int] {
        (0...head.count).flatMap { length in
            let prefix = Array(head.prefix(length))
            return entries[lowerBound(prefix)...].prefix { $0.head == prefix }.map(\.value)
        }
    }

    /// The numbers of the patterns whose head begins `head` or is begun by it.
    func meeting(_ head: [UInt8]) -> [Int] {
        beginning(head)
            + entries[lowerBound(head)...].prefix { $0.head.starts(with: head) }.filter { $0.head != head }.map(\.value)
    }

    private func lowerBound(_ head: [UInt8]) -> Int {
        var range = 0..<entries.count
        while let middle = range.isEmpty ? nil : (range.lowerBound + range.upperBound) / 2 {
            range = entries[middle].head.precedes(head) ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}

extension [UInt8] {
    fileprivate func precedes(_ other: [UInt8]) -> Bool { lexicographicallyPrecedes(other) }
}

extension AssociationRule {
    /// The text with which every path begins that the rule takes; ASCII letters small. It ends before the first character
    /// that a URL may write in several ways.
    var head: [UInt8] {
        let head = path.literalPrefix.prefix { $0 != UInt8(ascii: "%") }
            .map { ByteSet.upper.contains($0) ? $0 | 0x20 : $0 }
        // Where the path ends, iOS adds a slash.
        let isWhole = head.count == path.pieces.count && head.last != UInt8(ascii: "/")
        return isWhole ? head + [UInt8(ascii: "/")] : head
    }
}

extension Link {
    /// The path, decoded and with a slash at its end; ASCII letters small.
    var head: [UInt8] {
        let path =
            (0..<segmentCount).flatMap { [UInt8(ascii: "/")] + pathBytes[segmentRange($0)] } + [UInt8(ascii: "/")]
        return path.map { ByteSet.upper.contains($0) ? $0 | 0x20 : $0 }
    }
}

extension Pattern {
    /// The text with which every path begins that the pattern fits; ASCII letters small. It ends before the first character
    /// that a URL may write in several ways.
    var head: [UInt8] {
        var head = [UInt8(ascii: "/")]
        /// Whether all of the literal could be taken.
        func take(_ literal: [UInt8]) -> Bool {
            for byte in literal {
                guard byte != UInt8(ascii: "%"), byte != UInt8(ascii: "/"), (0x21...0x7E).contains(byte) else {
                    return false
                }
                head.append(ByteSet.upper.contains(byte) ? byte | 0x20 : byte)
            }
            return true
        }
        for segment in segments {
            switch segment {
            case .literal(let literal):
                guard take(literal) else { return head }
                head.append(UInt8(ascii: "/"))
            case .mixed(let mixed):
                _ = take(mixed.prefix)
                return head
            case .parameter, .any, .rest:
                return head
            }
        }
        return head
    }
}
