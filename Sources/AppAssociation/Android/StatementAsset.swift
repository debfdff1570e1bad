import LinkRouting

/// A website or an app, as the source or the target of a statement.
public enum StatementAsset: Sendable, Hashable {
    case web(WebSite)
    case androidApp(PackageName, CertificateFingerprint)
}

/// A site of a statement: scheme, host and port, nothing else. The default port is the same as none.
public struct WebSite: Sendable, Hashable {
    public let scheme: Scheme
    /// Lower-case ASCII without a trailing dot.
    public let host: String
    public let port: UInt16

    public enum Scheme: String, Sendable {
        case http, https

        var defaultPort: UInt16 { self == .https ? 443 : 80 }
    }

    /// Why a text is no site.
    public enum Problem: Error, Sendable, Hashable {
        case notAURL, scheme, credentials, host, port, path, query, fragment

        public var message: String {
            switch self {
            case .notAURL: "Url is not well formatted; write https:// and a host."
            case .scheme: "only http and https sites can be named."
            case .credentials: "it cannot contain a user or a password."
            case .host: "the host is missing or is no host name."
            case .port: "the port must be a number from 1 to 65535."
            case .path: "it cannot contain a path, not even '/'."
            case .query: "it cannot contain query parameters."
            case .fragment: "it cannot contain fragment identifiers."
            }
        }
    }

    /// Reads `https://host` or `https://host:port`, whatever the case.
    public init(_ text: String) throws(Problem) {
        let rest: Substring
        (self, rest) = try Self.parse(text)
        switch rest.utf8.first {
        case UInt8(ascii: "?"): throw .query
        case UInt8(ascii: "#"): throw .fragment
        case nil: return
        default: throw .path
        }
    }

    /// The site of any http or https URL.
    init(ofURL text: String) throws(Problem) { (self, _) = try Self.parse(text) }

    private init(scheme: Scheme, host: String, port: UInt16) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// The site, and what stands behind it.
    private static func parse(_ text: String) throws(Problem) -> (WebSite, rest: Substring) {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), colon > text.startIndex,
            text[..<colon].utf8.allSatisfy({ ByteSet.letters.union(.digits).union(ByteSet("+-.")).contains($0) })
        else { throw .notAURL }
        let name = String(decoding: text[..<colon].utf8.map(\.lowercasedASCII), as: UTF8.self)
        guard let scheme = Scheme(rawValue: name) else { throw .scheme }
        let slashes = text[colon...].utf8.dropFirst()
        guard slashes.starts(with: "//".utf8) else { throw .notAURL }
        let start = slashes.index(slashes.startIndex, offsetBy: 2)
        let end = text[start...].utf8.firstIndex { "/?#\\".utf8.contains($0) } ?? text.endIndex
        let authority = text[start..<end].utf8
        guard !authority.contains(UInt8(ascii: "@")) else { throw .credentials }
        let hostEnd = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        guard let host = try? HostName(text[start..<hostEnd]) else { throw .host }
        let port = try port(authority[hostEnd...].dropFirst()) ?? scheme.defaultPort
        return (WebSite(scheme: scheme, host: host.ascii, port: port), text[end...])
    }

    private static func port(_ digits: Substring.UTF8View) throws(Problem) -> UInt16? {
        guard !digits.isEmpty else { return nil }
        guard digits.allSatisfy(ByteSet.digits.contains), let port = UInt16(Substring(digits)), port > 0 else {
            throw .port
        }
        return port
    }

    /// Where the site's statements stand.
    public var statementListURL: String { "\(origin(host))/.well-known/assetlinks.json" }

    private func origin(_ host: String) -> String {
        "\(scheme.rawValue)://\(host)\(port == scheme.defaultPort ? "" : ":\(port)")"
    }
}

extension WebSite: CustomStringConvertible {
    /// As the API of Google writes it, with the dot of the root at the end of the host: `https://links.example.com.`
    public var description: String { origin("\(host).") }
}

/// The application ID of an Android app: Java identifiers of ASCII, with dots between them.
public struct PackageName: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    public init?(_ text: String) {
        let identifiers = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let letters = ByteSet.letters.union(ByteSet("_"))
        guard text.utf8.count <= 255,
            identifiers.allSatisfy({ identifier in
                identifier.first.map(letters.contains) ?? false
                    && identifier.allSatisfy(letters.union(.digits).contains)
            })
        else { return nil }
        description = text
    }
}

/// The SHA-256 of a signing certificate: 32 pairs of upper-case hexadecimal digits with colons between them.
public struct CertificateFingerprint: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    private static let length = 32

    /// Nil unless `text` is written exactly so: Google's verifier takes no lower case and no missing colon.
    public init?(_ text: String) {
        let pairs = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        let digits = ByteSet.digits.union(ByteSet("ABCDEF"))
        guard pairs.count == Self.length, pairs.allSatisfy({ $0.count == 2 && $0.allSatisfy(digits.contains) }) else {
            return nil
        }
        description = text
    }

    /// What `text` must have meant: whatever its case, with colons, spaces or nothing between the digits. Nil where it has not
    /// 64 hexadecimal digits.
    public init?(normalising text: String) {
        let digits = text.utf8.filter { !": -\t\n".utf8.contains($0) }
        guard digits.count == Self.length * 2, digits.allSatisfy(ByteSet.hexDigits.contains) else { return nil }
        var normalised: [UInt8] = []
        for (index, digit) in digits.enumerated() {
            if index > 0, index.isMultiple(of: 2) { normalised.append(UInt8(ascii: ":")) }
            normalised.append((UInt8(ascii: "a")...UInt8(ascii: "f")).contains(digit) ? digit & ~0x20 : digit)
        }
        description = String(decoding: normalised, as: UTF8.self)
    }
}
