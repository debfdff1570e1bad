/// A single-pass parser: scheme, host, path, query, fragment. It reports the leftmost fault, so that a rejected link
/// is recorded with everything that precedes the fault.
struct LinkParser {
    let bytes: [UInt8]
    /// Index of the next unread byte.
    var index = 0
    var scheme: String?
    var host: String?
    private var port: UInt16?
    /// The decoded segments; empty while no byte of the path is written as an escape.
    var pathBytes: [UInt8] = []
    var segments: [DeepLink.Segment] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func rejection(_ code: DeepLink.Rejection.Code, at offset: Int) -> DeepLink.Rejection {
        DeepLink.Rejection(code: code, offset: offset, scheme: scheme, host: host, port: port, length: bytes.count)
    }

    mutating func link() throws(DeepLink.Rejection) -> DeepLink {
        guard bytes.count <= DeepLink.maximumLength else {
            // The scheme and host are only read for the record. Other faults in the head do not matter, because the
            // link is too long.
            _ = try? scanHead()
            throw rejection(.tooLong, at: DeepLink.maximumLength)
        }
        let customHost = try scanHead()
        let pathStart = customHost?.lowerBound ?? index
        segments.reserveCapacity(Self.typicalSegmentCount)
        if let customHost {
            try appendSegment(customHost, isEncoded: bytes[customHost].contains(UInt8(ascii: "%")), behind: 0)
        }
        let hasTrailingSlash = try scanPath()
        let rawPath = pathStart..<index
        let (rawQuery, query) = try scanQuery()
        let rawFragment = try scanFragment()
        guard let scheme else { preconditionFailure("scanHead throws unless it has read a scheme") }
        return DeepLink(
            bytes: bytes,
            scheme: scheme,
            host: host,
            port: port,
            pathBytes: pathBytes.isEmpty ? bytes : pathBytes,
            segments: segments,
            hasTrailingSlash: hasTrailingSlash,
            hasAuthoritySegment: customHost != nil,
            rawPath: rawPath,
            rawQuery: rawQuery,
            rawFragment: rawFragment,
            query: query
        )
    }

    /// Returns the end of the run of plain bytes at `index`. This is the fast path, for nearly all bytes.
    @inline(__always)
    func plainEnd() -> Int {
        var end = index
        while end < bytes.count, isPlain(bytes[end]) { end += 1 }
        return end
    }

    /// Advances past one raw character; throws if a link may not contain it.
    @inline(__always)
    mutating func pass(_ byte: UInt8) throws(DeepLink.Rejection) {
        switch byte {
        case ..<0x20, 0x7F:
            throw rejection(.controlCharacter, at: index)
        case UInt8(ascii: " "), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "`"),
            UInt8(ascii: "\\"):
            throw rejection(.forbiddenCharacter, at: index)
        case 0x80...:
            guard let length = utf8Length(at: index, in: bytes) else { throw rejection(.invalidUTF8, at: index) }
            index += length
        default:
            index += 1
        }
    }

    // MARK: Scheme and host

    /// Reads everything before the path. Returns the host of a custom scheme, which becomes a segment; nil if there is
    /// none.
    private mutating func scanHead() throws(DeepLink.Rejection) -> Range<Int>? {
        let scheme = try scanScheme()
        let isWeb = scheme == "http" || scheme == "https"
        guard bytes.count - index >= 2, bytes[index] == UInt8(ascii: "/"), bytes[index + 1] == UInt8(ascii: "/") else {
            if isWeb { throw rejection(.emptyHost, at: index) }
            return nil
        }
        index += 2
        let authority = try scanAuthority()
        guard isWeb else { return try customHost(authority) }
        try readWebAuthority(authority, scheme: scheme)
        return nil
    }

    private static let typicalSegmentCount = 8

    /// In bytes; the same limit as for schemes that a tenant can own. A longer scheme is treated as missing, so that it
    /// is not recorded.
    private static let maximumSchemeLength = 64

    private mutating func scanScheme() throws(DeepLink.Rejection) -> String {
        scan: while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                index += 1
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                guard index > 0 else { break scan }
                index += 1
            case UInt8(ascii: ":") where (1...Self.maximumSchemeLength).contains(index):
                let scheme = asciiLowercased(bytes[..<index])
                self.scheme = scheme
                index += 1
                return scheme
            case let byte:
                try pass(byte)
                break scan
            }
        }
        throw rejection(.noScheme, at: 0)
    }

    /// Reads the authority: everything between `//` and the path, query or fragment.
    private mutating func scanAuthority() throws(DeepLink.Rejection) -> Range<Int> {
        let start = index
        while true {
            index = plainEnd()
            guard index < bytes.count else { return start..<index }
            switch bytes[index] {
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): return start..<index
            case UInt8(ascii: "@"): throw rejection(.userInfo, at: index)
            case let byte: try pass(byte)
            }
        }
    }

    /// Checks the host of a custom scheme, which becomes a segment. It must not contain user information or a port,
    /// escaped or not.
    private func customHost(_ range: Range<Int>) throws(DeepLink.Rejection) -> Range<Int>? {
        var host: [UInt8] = []
        host.append(decoding: bytes[range], plus: .plus)
        for byte in host {
            if byte == UInt8(ascii: "@") { throw rejection(.userInfo, at: range.lowerBound) }
            if byte == UInt8(ascii: ":") { throw rejection(.badPort, at: range.lowerBound) }
        }
        return range.isEmpty ? nil : range
    }

    private mutating func readWebAuthority(_ range: Range<Int>, scheme: String) throws(DeepLink.Rejection) {
        let authority = bytes[range]
        let hostEnd: Int
        let host: String?
        if authority.first == UInt8(ascii: "[") {
            guard let close = authority.firstIndex(of: UInt8(ascii: "]")) else {
                throw rejection(.invalidHost, at: range.lowerBound)
            }
            hostEnd = close + 1
            host = HostName.ipv6Literal(authority[(range.lowerBound + 1)..<close])
        } else {
            hostEnd = authority.firstIndex(of: UInt8(ascii: ":")) ?? range.upperBound
            if authority.contains(UInt8(ascii: "%")), let failure = escapeFailure(in: authority[..<hostEnd]) {
                throw rejection(failure.code, at: failure.index)
            }
            host = HostName.lookupForm(authority[..<hostEnd])
        }
        guard let host else { throw rejection(.invalidHost, at: range.lowerBound) }
        guard !host.isEmpty else { throw rejection(.emptyHost, at: range.lowerBound) }
        self.host = host
        guard hostEnd < range.upperBound else { return }
        guard authority[hostEnd] == UInt8(ascii: ":") else { throw rejection(.invalidHost, at: hostEnd) }
        port = try port(authority[(hostEnd + 1)...], scheme: scheme)
    }

    private func port(_ digits: ArraySlice<UInt8>, scheme: String) throws(DeepLink.Rejection) -> UInt16? {
        guard !digits.isEmpty else { return nil }
        guard digits.allSatisfy(isDigit), digits.count == 1 || digits.first != UInt8(ascii: "0"),
            let port = UInt16(String(decoding: digits, as: UTF8.self))
        else { throw rejection(.badPort, at: digits.startIndex) }
        switch (scheme, port) {
        case ("https", 443), ("http", 80): return nil
        default: return port
        }
    }
}
