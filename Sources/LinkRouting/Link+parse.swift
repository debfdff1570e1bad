extension Link {
    /// Scans a link. Never traps; allocates once for each of bytes, path, segments and query.
    public static func parse(_ text: String) throws(Rejection) -> Link {
        var scanner = LinkScanner(Array(text.utf8))
        return try scanner.link()
    }

    /// As `parse(String)`, for bytes that need not be UTF-8.
    public static func parse(_ bytes: [UInt8]) throws(Rejection) -> Link {
        var scanner = LinkScanner(bytes)
        guard isUTF8(bytes) else { throw scanner.rejection(.invalidUTF8, at: 0) }
        return try scanner.link()
    }
}

/// One walk over the bytes of a link, part by part.
private struct LinkScanner {
    private let bytes: [UInt8]
    /// As far as they have been read; a rejection may be recorded with them.
    private var scheme: String?
    private var host: String?
    private var pathBytes: [UInt8] = []
    private var segments: [Link.Segment] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func rejection(_ code: Link.Rejection.Code, at offset: Int) -> Link.Rejection {
        Link.Rejection(code: code, offset: offset, scheme: scheme, host: host, length: bytes.count)
    }

    mutating func link() throws(Link.Rejection) -> Link {
        guard bytes.count <= Link.maximumLength else {
            throw rejection(.tooLong, at: Link.maximumLength)
        }
        let forbidden = firstForbiddenByte()
        let schemeEnd = scanScheme()
        guard let scheme, let schemeEnd else {
            if let forbidden { throw forbidden }
            throw rejection(.noScheme, at: 0)
        }
        let isWeb = scheme == "http" || scheme == "https"
        let authority = authorityRange(from: schemeEnd)
        var port: UInt16?
        // The host is read first, so that even a link with a forbidden byte in its path is recorded under its tenant.
        if isWeb {
            guard let authority else { throw forbidden ?? rejection(.emptyHost, at: schemeEnd) }
            do {
                (host, port) = try webAuthority(authority, scheme: scheme)
            } catch {
                throw forbidden ?? error
            }
        }
        if let forbidden { throw rejection(forbidden.code, at: forbidden.offset) }

        let pathStart = isWeb ? (authority?.upperBound ?? schemeEnd) : (authority?.lowerBound ?? schemeEnd)
        let fragmentMark = bytes[pathStart...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
        let queryMark = bytes[pathStart..<fragmentMark].firstIndex(of: UInt8(ascii: "?")) ?? fragmentMark
        let customHost = isWeb ? nil : authority.flatMap { $0.isEmpty ? nil : $0 }
        if let customHost { try checkCustomHost(customHost) }
        let hasTrailingSlash = try scanPath(pathStart..<queryMark, startsWithHost: customHost != nil)
        let rawQuery = queryMark < fragmentMark ? (queryMark + 1)..<fragmentMark : nil
        return Link(
            bytes: bytes,
            scheme: scheme,
            host: host,
            port: port,
            pathBytes: pathBytes,
            segments: segments,
            hasTrailingSlash: hasTrailingSlash,
            hasAuthoritySegment: customHost != nil,
            rawPath: pathStart..<queryMark,
            rawQuery: rawQuery,
            rawFragment: fragmentMark < bytes.count ? (fragmentMark + 1)..<bytes.count : nil,
            query: rawQuery.map(queryItems) ?? []
        )
    }

    private func firstForbiddenByte() -> Link.Rejection? {
        for (offset, byte) in bytes.enumerated() {
            switch byte {
            case ..<0x20, 0x7F:
                return rejection(.controlCharacter, at: offset)
            case UInt8(ascii: " "), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "`"),
                UInt8(ascii: "\\"):
                return rejection(.forbiddenCharacter, at: offset)
            default:
                continue
            }
        }
        return nil
    }

    /// Sets `scheme`; the index behind its colon, or nil when there is none.
    private mutating func scanScheme() -> Int? {
        var name: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"):
                name.append(byte)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                name.append(byte | 0x20)
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                guard index > 0 else { return nil }
                name.append(byte)
            case UInt8(ascii: ":") where index > 0:
                scheme = String(decoding: name, as: UTF8.self)
                return index + 1
            default:
                return nil
            }
        }
        return nil
    }

    /// What stands between `//` and the path; nil without `//`.
    private func authorityRange(from start: Int) -> Range<Int>? {
        guard bytes[start...].starts(with: [UInt8(ascii: "/"), UInt8(ascii: "/")]) else { return nil }
        let end = bytes[(start + 2)...].firstIndex {
            $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
        }
        return (start + 2)..<(end ?? bytes.count)
    }

    private func webAuthority(
        _ range: Range<Int>,
        scheme: String
    ) throws(Link.Rejection) -> (host: String, port: UInt16?) {
        let authority = bytes[range]
        if let at = authority.firstIndex(of: UInt8(ascii: "@")) { throw rejection(.userInfo, at: at) }
        let hostEnd: Int
        let host: String?
        if authority.first == UInt8(ascii: "[") {
            guard let close = authority.firstIndex(of: UInt8(ascii: "]")) else {
                throw rejection(.invalidHost, at: range.lowerBound)
            }
            hostEnd = close + 1
            host = HostName.ipLiteral(authority[(range.lowerBound + 1)..<close])
        } else {
            hostEnd = authority.firstIndex(of: UInt8(ascii: ":")) ?? range.upperBound
            guard hostEnd > range.lowerBound else { throw rejection(.emptyHost, at: range.lowerBound) }
            guard isDecodable(authority[..<hostEnd]) else { throw rejection(.invalidEscape, at: range.lowerBound) }
            host = HostName.lookupForm(authority[..<hostEnd])
        }
        guard let host else { throw rejection(.invalidHost, at: range.lowerBound) }
        guard !host.isEmpty else { throw rejection(.emptyHost, at: range.lowerBound) }
        guard hostEnd < range.upperBound else { return (host, nil) }
        guard authority[hostEnd] == UInt8(ascii: ":") else { throw rejection(.badPort, at: hostEnd) }
        let digits = authority[(hostEnd + 1)...]
        guard !digits.isEmpty else { return (host, nil) }
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            digits.count == 1 || digits.first != UInt8(ascii: "0"),
            let port = UInt16(String(decoding: digits, as: UTF8.self))
        else { throw rejection(.badPort, at: hostEnd + 1) }
        let isDefault = (scheme == "https" && port == 443) || (scheme == "http" && port == 80)
        return (host, isDefault ? nil : port)
    }

    /// A custom scheme's host is a segment, but neither a user nor a port may hide in it.
    private func checkCustomHost(_ range: Range<Int>) throws(Link.Rejection) {
        for byte in PercentDecoding(bytes[range], plus: .plus) {
            if byte == UInt8(ascii: "@") { throw rejection(.userInfo, at: range.lowerBound) }
            if byte == UInt8(ascii: ":") { throw rejection(.badPort, at: range.lowerBound) }
        }
    }

    /// Splits at `/`, then decodes each segment. Whether exactly one trailing slash was left out.
    private mutating func scanPath(_ range: Range<Int>, startsWithHost: Bool) throws(Link.Rejection) -> Bool {
        var start = range.lowerBound
        if !startsWithHost, start < range.upperBound, bytes[start] == UInt8(ascii: "/") { start += 1 }
        guard start < range.upperBound else { return false }
        pathBytes.reserveCapacity(range.upperBound - start)
        while true {
            let end = bytes[start..<range.upperBound].firstIndex(of: UInt8(ascii: "/")) ?? range.upperBound
            try appendSegment(start..<end)
            guard end < range.upperBound else { return false }
            start = end + 1
            if start == range.upperBound { return true }
        }
    }

    private mutating func appendSegment(_ range: Range<Int>) throws(Link.Rejection) {
        let first = pathBytes.count
        var index = range.lowerBound
        var hasHighEscape = false
        while index < range.upperBound {
            var byte = bytes[index]
            if byte == UInt8(ascii: "%") {
                guard range.upperBound - index > 2, let high = hexValue(bytes[index + 1]),
                    let low = hexValue(bytes[index + 2])
                else { throw rejection(.invalidEscape, at: index) }
                byte = high << 4 | low
                guard byte >= 0x20, byte != 0x7F else { throw rejection(.controlCharacter, at: index) }
                if byte >= 0x80 { hasHighEscape = true }
                index += 2
            }
            pathBytes.append(byte)
            index += 1
        }
        let segment = pathBytes[first...]
        if hasHighEscape, !isUTF8(segment) { throw rejection(.invalidEscape, at: range.lowerBound) }
        if hasDotPiece(segment) { throw rejection(.dotSegment, at: range.lowerBound) }
        segments.append(Link.Segment(start: Int32(first), end: Int32(pathBytes.count)))
    }

    /// Whether a decoded segment is `.` or `..`, or holds one between decoded `/` or `\`.
    private func hasDotPiece(_ segment: ArraySlice<UInt8>) -> Bool {
        var dots = 0
        var others = false
        for byte in segment {
            switch byte {
            case UInt8(ascii: "/"), UInt8(ascii: "\\"):
                if !others, dots == 1 || dots == 2 { return true }
                dots = 0
                others = false
            case UInt8(ascii: "."):
                dots += 1
            default:
                others = true
            }
        }
        return !others && (dots == 1 || dots == 2)
    }

    private func queryItems(_ range: Range<Int>) -> [Link.QueryItem] {
        guard !range.isEmpty else { return [] }
        var items: [Link.QueryItem] = []
        var start = range.lowerBound
        while true {
            let end = bytes[start..<range.upperBound].firstIndex(of: UInt8(ascii: "&")) ?? range.upperBound
            items.append(queryItem(start..<end))
            guard end < range.upperBound else { return items }
            start = end + 1
        }
    }

    private func queryItem(_ range: Range<Int>) -> Link.QueryItem {
        let raw = bytes[range]
        let needsDecoding = raw.contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }
        let equals = raw.firstIndex(of: UInt8(ascii: "="))
        let name = range.lowerBound..<(equals ?? range.upperBound)
        let value = equals.map { ($0 + 1)..<range.upperBound }
        return Link.QueryItem(
            rawName: name,
            rawValue: value,
            hasInvalidName: needsDecoding && !isDecodable(bytes[name]),
            hasInvalidValue: needsDecoding && !(value.map { isDecodable(bytes[$0]) } ?? true),
            needsDecoding: needsDecoding
        )
    }
}
