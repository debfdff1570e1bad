import LinkRouting

/// A website or an app, as the source or the target of a statement.
public enum StatementAsset: Sendable, Hashable {
    case web(WebSite)
    case androidApp(PackageName, CertificateFingerprint)
}

/// A site of a statement: scheme, host and port only. An explicit default port equals no port.
public struct WebSite: Sendable, Hashable {
    public let scheme: Scheme
    /// The host in lower-case ASCII, without a trailing dot.
    public let host: String
    public let port: UInt16

    public enum Scheme: String, Sendable {
        case http, https

        var defaultPort: UInt16 { self == .https ? 443 : 80 }
    }

    /// Why a text is not a site.
    public enum Problem: Error, Sendable, Hashable {
        case notAURL, scheme, credentials, host, port, path, query, fragment

        public var message: String {
            switch self {
            case .notAURL: "Url is not well formatted; write https:// and a host."
            case .scheme: "only http and https sites can be named."
            case .credentials: "it cannot contain a user or a password."
            case .host: "the host is missing or is not a host name."
            case .port: "the port must be a number from 1 to 65535."
            case .path: "it cannot contain a path, not even '/'."
            case .query: "it cannot contain query parameters."
            case .fragment: "it cannot contain fragment identifiers."
            }
        }
    }

    /// Parses `https://host` or `https://host:port`; the scheme may also be `http`. Case is ignored.
    /// - Throws: ``Problem`` if the text is not a URL of this form.
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

    /// Parses the site of any http or https URL.
    init(ofURL text: String) throws(Problem) { (self, _) = try Self.parse(text) }

    private init(scheme: Scheme, host: String, port: UInt16) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// Returns the site of a URL, and the text after it.
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

    /// The URL of the site's statements.
    public var statementListURL: String { "\(origin(host))/.well-known/assetlinks.json" }

    private func origin(_ host: String) -> String {
        "\(scheme.rawValue)://\(host)\(port == scheme.defaultPort ? "" : ":\(port)")"
    }
}

extension WebSite: CustomStringConvertible {
    /// The site as Google's API writes it, with the root dot at the end of the host: `https://links.example.com.`
    public var description: String { origin("\(host).") }
}

/// The application ID of an Android app: ASCII Java identifiers, separated by dots, of at most 255 bytes.
public struct PackageName: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    /// Nil unless `text` is a valid application ID.
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

/// The SHA-256 of a signing certificate: 32 pairs of upper-case hexadecimal digits, separated by colons.
public struct CertificateFingerprint: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    private static let length = 32

    /// Nil unless `text` has exactly this form. Google's verifier accepts no lower-case digits and no missing colons.
    public init?(_ text: String) {
        let pairs = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        let digits = ByteSet.digits.union(ByteSet("ABCDEF"))
        guard pairs.count == Self.length, pairs.allSatisfy({ $0.count == 2 && $0.allSatisfy(digits.contains) }) else {
            return nil
        }
        description = text
    }

    /// Normalises `text`: ignores case, and accepts colons, hyphens, whitespace or nothing between the digits. Nil
    /// unless `text` has 64 hexadecimal digits.
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

extension CertificateFingerprint {
    /// The fingerprint in Google's own examples.
    private static let documentationExample =
        "14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5"

    /// Whether it is the one of Google's examples, or made up by hand, so that no certificate has it: runs and counts
    /// (`AA:BB:CC:DD:EE:FF`), repeated groups, or too many pairs that earlier ones predict. The chance that a hash of a
    /// certificate looks so is below one in 100,000.
    var isPlaceholder: Bool {
        let pairs = description.split(separator: ":").map { UInt8($0, radix: 16) ?? 0 }
        let steps = zip(pairs, pairs.dropFirst()).map { $1 &- $0 }
        return description == Self.documentationExample || Self.repeats(pairs, 6) || Self.repeats(steps, 4, in: 1)
            || Self.predictedCount(pairs, steps) >= pairs.count / 2
    }

    /// Whether `count` values in a row are those of `distance` places before, at any distance up to `longest`.
    private static func repeats(_ values: [UInt8], _ count: Int, in longest: Int = 24) -> Bool {
        (1...longest).contains { distance in
            var run = 0
            return zip(values, values.dropFirst(distance)).contains { before, value in
                run = before == value ? run + 1 : 0
                return run >= count
            }
        }
    }

    /// The number of pairs that occur before, or that follow the pair before with a step that occurs before.
    private static func predictedCount(_ pairs: [UInt8], _ steps: [UInt8]) -> Int {
        var (seen, seenSteps) = (Set(pairs.prefix(1)), Set<UInt8>())
        return zip(pairs.dropFirst(), steps).count { pair, step in
            let isNew = seen.insert(pair).inserted
            return !seenSteps.insert(step).inserted || !isNew
        }
    }
}
