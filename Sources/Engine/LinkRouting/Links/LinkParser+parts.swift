extension LinkParser {
    // MARK: Path

    /// Splits the path at slashes, a run of which counts as one, and decodes each segment. Returns whether slashes at the
    /// end were left out.
    mutating func scanPath() throws(DeepLink.Rejection) -> Bool {
        var slashes = passSlashes()
        // The path is empty here only for the root, and for slashes after the host of a custom scheme.
        guard !isAtEndOfPath else { return slashes > 0 && !segments.isEmpty }
        while true {
            try scanSegment(behind: slashes)
            slashes = passSlashes()
            guard !isAtEndOfPath else { return slashes > 0 }
        }
    }

    /// Advances past a run of slashes, and returns their number.
    private mutating func passSlashes() -> Int {
        let start = index
        while index < bytes.count, bytes[index] == UInt8(ascii: "/") { index += 1 }
        return index - start
    }

    private var isAtEndOfPath: Bool {
        index == bytes.count || bytes[index] == UInt8(ascii: "?") || bytes[index] == UInt8(ascii: "#")
    }

    private mutating func scanSegment(behind slashes: Int) throws(DeepLink.Rejection) {
        let start = index
        var isEncoded = false
        scan: while true {
            index = plainEnd()
            guard index < bytes.count else { break }
            switch bytes[index] {
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"):
                break scan
            case UInt8(ascii: "%"):
                isEncoded = true
                index += 1
            case let byte:
                try pass(byte)
            }
        }
        try appendSegment(start..<index, isEncoded: isEncoded, behind: slashes)
    }

    /// Decodes and appends one segment whose raw bytes have been scanned.
    mutating func appendSegment(
        _ range: Range<Int>,
        isEncoded: Bool,
        behind slashes: Int
    ) throws(DeepLink.Rejection) {
        // The bytes of the link serve as they are up to the first escape.
        if isEncoded, pathBytes.isEmpty {
            pathBytes.reserveCapacity(bytes.count)
            pathBytes += bytes[..<range.lowerBound]
        }
        guard isEncoded || !pathBytes.isEmpty else {
            // Without escapes, a segment contains no slash, and most segments do not start with a dot.
            if bytes[range.lowerBound] == UInt8(ascii: "."), hasDotPiece(bytes[range]) {
                throw rejection(.dotSegment, at: range.lowerBound)
            }
            segments.append(DeepLink.Segment(range, behind: slashes))
            return
        }
        let raw = bytes[range]
        let start = pathBytes.count
        if isEncoded {
            if let failure = escapeFailure(in: raw) { throw rejection(failure.code, at: failure.index) }
            pathBytes.append(decoding: raw, plus: .plus)
        } else {
            pathBytes += raw
        }
        if hasDotPiece(pathBytes[start...]) { throw rejection(.dotSegment, at: range.lowerBound) }
        segments.append(DeepLink.Segment(start..<pathBytes.count, behind: slashes))
    }

    /// Whether a decoded segment is `.` or `..`, or contains one between decoded `/` or `\`.
    private func hasDotPiece(_ segment: ArraySlice<UInt8>) -> Bool {
        var dots = 0
        var hasOthers = false
        for byte in segment {
            switch byte {
            case UInt8(ascii: "/"), UInt8(ascii: "\\"):
                if !hasOthers, dots == 1 || dots == 2 { return true }
                dots = 0
                hasOthers = false
            case UInt8(ascii: "."):
                dots += 1
            default:
                hasOthers = true
            }
        }
        return !hasOthers && (dots == 1 || dots == 2)
    }

    // MARK: Query and fragment

    /// Reads the range after the `?`, and its items. An empty query has no items.
    mutating func scanQuery() throws(DeepLink.Rejection) -> (raw: Range<Int>?, items: [DeepLink.QueryItem]) {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "?") else { return (nil, []) }
        index += 1
        let start = index
        var items: [DeepLink.QueryItem] = []
        var itemStart = start
        var equals: Int?
        var isEncoded = false
        scan: while true {
            index = plainEnd()
            guard index < bytes.count else { break }
            switch bytes[index] {
            case UInt8(ascii: "#"):
                break scan
            case UInt8(ascii: "&"):
                items.append(DeepLink.QueryItem(itemStart..<index, equals: equals, isEncoded: isEncoded, in: bytes))
                index += 1
                itemStart = index
                equals = nil
                isEncoded = false
            case UInt8(ascii: "="):
                if equals == nil { equals = index }
                index += 1
            case UInt8(ascii: "%"), UInt8(ascii: "+"):
                isEncoded = true
                index += 1
            case let byte:
                try pass(byte)
            }
        }
        if index > start {
            items.append(DeepLink.QueryItem(itemStart..<index, equals: equals, isEncoded: isEncoded, in: bytes))
        }
        return (start..<index, items)
    }

    /// Reads the range after the first `#`. A further `#` is an ordinary character.
    mutating func scanFragment() throws(DeepLink.Rejection) -> Range<Int>? {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "#") else { return nil }
        let start = index + 1
        while index < bytes.count { try pass(bytes[index]) }
        return start..<index
    }
}
