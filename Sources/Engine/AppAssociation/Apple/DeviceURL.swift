import LinkRouting

/// A URL split into components as a device does it: leniently, and without changing the text that patterns match.
struct DeviceURL {
    /// The scheme in lower case.
    let scheme: String
    /// The host as written, without user and port.
    let host: String
    /// The path, percent-encoded ASCII, with its leading `/`; empty if the URL ends after its host.
    let path: [UInt8]
    /// The query without the `?`; empty if the URL has none.
    let query: [UInt8]
    /// The fragment without the `#`; empty if the URL has none.
    let fragment: [UInt8]
    let oddities: [Oddity]

    /// The maximum length in bytes. It is a limit of this program, not of a device: no association file needs longer
    /// links.
    static let maximumLength = 16_384

    enum Problem: Error {
        case noScheme, noHost, tooLong
    }

    /// A feature of a URL whose handling Apple does not document.
    enum Oddity: CaseIterable {
        case user, port, trailingDot, encodedCharacters, delimiters, invalidEscape, dotSegment, emptySegment, parameters
    }

    init(_ text: String) throws(Problem) {
        guard text.utf8.count <= Self.maximumLength else { throw .tooLong }
        let bytes = Array(text.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(bytes[..<colon]) else {
            throw .noScheme
        }
        scheme = String(decoding: bytes[..<colon].map(\.lowercasedASCII), as: UTF8.self)
        let slashes = bytes[(colon + 1)...].prefix(2)
        guard slashes.elementsEqual("//".utf8) else { throw .noHost }
        var rest = bytes[slashes.endIndex...]
        let authority = Self.authority(rest.prefix { !"/?#".utf8.contains($0) })
        guard !authority.host.isEmpty else { throw .noHost }
        var oddities = authority.oddities
        rest = rest.drop { !"/?#".utf8.contains($0) }
        let path = rest.prefix { !"?#".utf8.contains($0) }
        let query = rest[path.endIndex...].prefix { $0 != UInt8(ascii: "#") }
        let fragment = rest[query.endIndex...].dropFirst()
        host = String(decoding: authority.host, as: UTF8.self)
        self.path = Self.encoded(path, &oddities)
        self.query = Self.encoded(query.dropFirst(), &oddities)
        self.fragment = Self.encoded(fragment, &oddities)
        oddities.formUnion(Self.oddities(ofPath: self.path))
        self.oddities = Oddity.allCases.filter(oddities.contains)
    }

    static func isScheme(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first, ByteSet.letters.contains(first) else { return false }
        return text.allSatisfy(ByteSet.letters.union(.digits).union(ByteSet("+-.")).contains)
    }

    private static func authority(_ text: ArraySlice<UInt8>) -> (host: ArraySlice<UInt8>, oddities: Set<Oddity>) {
        var host = text
        var oddities: Set<Oddity> = []
        if let at = host.lastIndex(of: UInt8(ascii: "@")) {
            host = host[(at + 1)...]
            oddities.insert(.user)
        }
        let behindBracket = host.lastIndex(of: UInt8(ascii: "]")).map { $0 + 1 } ?? host.startIndex
        if let colon = host[behindBracket...].firstIndex(of: UInt8(ascii: ":")) {
            if colon + 1 < host.endIndex { oddities.insert(.port) }
            host = host[..<colon]
        }
        if host.last == UInt8(ascii: ".") {
            host = host.dropLast()
            oddities.insert(.trailingDot)
        }
        return (host, oddities)
    }

    /// Percent-encodes the characters that a URL must not contain, as Foundation does since iOS 17.
    private static func encoded(_ text: ArraySlice<UInt8>, _ oddities: inout Set<Oddity>) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.count)
        for (index, byte) in zip(text.indices, text) {
            switch byte {
            case 0...0x20, 0x7F...0xFF, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "`"),
                UInt8(ascii: "\\"):
                oddities.insert(.encodedCharacters)
                encoded += [UInt8(ascii: "%"), hexDigit(byte >> 4), hexDigit(byte & 15)]
                continue
            case UInt8(ascii: "^"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
                oddities.insert(.delimiters)
            case UInt8(ascii: "%") where !text[(index + 1)...].prefix(2).isEscape:
                oddities.insert(.invalidEscape)
            default: break
            }
            encoded.append(byte)
        }
        return encoded
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private static func oddities(ofPath path: [UInt8]) -> Set<Oddity> {
        var oddities: Set<Oddity> = []
        if path.contains(UInt8(ascii: ";")) { oddities.insert(.parameters) }
        let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        if segments.contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }) {
            oddities.insert(.dotSegment)
        }
        // Recorded runs cover slashes at the end, but not empty segments before another segment.
        if let last = segments.lastIndex(where: { !$0.isEmpty }), segments[..<last].contains(where: \.isEmpty) {
            oddities.insert(.emptySegment)
        }
        return oddities
    }
}

extension Collection<UInt8> {
    /// Whether these are the two hexadecimal digits of an escape.
    fileprivate var isEscape: Bool { count == 2 && allSatisfy(ByteSet.hexDigits.contains) }

    /// The bytes percent-decoded once. A `%` without two digits is unchanged. Nil if the result is not UTF-8.
    var percentDecoded: [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(count)
        var rest = self[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.isEscape {
                decoded.append(digits.reduce(0) { $0 << 4 | Self.value(ofHexDigit: $1) })
                rest = rest[digits.endIndex...]
            } else {
                decoded.append(byte)
            }
        }
        return String(validUTF8: decoded) == nil ? nil : decoded
    }

    private static func value(ofHexDigit digit: UInt8) -> UInt8 { digit & 15 + (digit >> 6) * 9 }
}
