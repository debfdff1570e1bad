/// A URL split into the decoded parts that intent filters compare. Unlike a web link, it needs no host: `myapp:///x` and
/// `myapp:x` are URLs, too.
///
/// Source: `android.net.Uri`.
struct IntentURL {
    /// The scheme in lower case.
    let scheme: String
    /// The text between the scheme and the fragment.
    let schemeSpecificPart: String
    /// The host in lower case, empty in `myapp:///x`; nil if the URL has no `//`.
    let host: String?
    let port: String?
    /// Nil if no slash follows the scheme, as in `myapp:x`.
    let path: String?
    /// The query, split at `&` or `;`; nil for a URL without a query.
    let pairs: [String]?
    /// Nil for a URL without a `#`.
    let fragment: String?

    /// Nil if the text is no URL: it has no scheme, or a web link has no host.
    init?(_ text: String) {
        guard text.utf8.count <= DeviceURL.maximumLength else { return nil }
        let bytes = Array(text.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), DeviceURL.isScheme(bytes[..<colon]) else {
            return nil
        }
        scheme = String(decoding: bytes[..<colon].map(\.lowercasedASCII), as: UTF8.self)
        let part = bytes[(colon + 1)...].prefix { $0 != UInt8(ascii: "#") }
        schemeSpecificPart = Self.decoded(part)
        fragment = part.endIndex < bytes.endIndex ? Self.decoded(bytes[(part.endIndex + 1)...]) : nil
        var rest = part
        if rest.starts(with: "//".utf8) {
            let authority = rest.dropFirst(2).prefix { !"/?".utf8.contains($0) }
            rest = rest[authority.endIndex...]
            (host, port) = Self.hostAndPort(authority)
            path = Self.decoded(rest.prefix { $0 != UInt8(ascii: "?") })
        } else {
            (host, port) = (nil, nil)
            path = rest.first == UInt8(ascii: "/") ? Self.decoded(rest.prefix { $0 != UInt8(ascii: "?") }) : nil
        }
        pairs = rest.firstIndex(of: UInt8(ascii: "?")).map { mark in
            AndroidURL.pairs(AndroidURL.decoded(rest[(mark + 1)...])).map { String(decoding: $0, as: UTF16.self) }
        }
        guard !isWeb || host?.isEmpty == false else { return nil }
    }

    var isWeb: Bool { AndroidManifest.isWeb(scheme) }

    private static func decoded(_ text: some Collection<UInt8>) -> String {
        String(decoding: AndroidURL.decoded(text), as: UTF16.self)
    }

    private static func hostAndPort(_ authority: ArraySlice<UInt8>) -> (host: String, port: String?) {
        let start = authority.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? authority.startIndex
        let behindBracket = authority[start...].lastIndex(of: UInt8(ascii: "]")).map { $0 + 1 } ?? start
        let colon = authority[behindBracket...].firstIndex(of: UInt8(ascii: ":"))
        var host = authority[start..<(colon ?? authority.endIndex)]
        if host.last == UInt8(ascii: ".") { host = host.dropLast() }
        return (decoded(host).lowercased(), colon.map { decoded(authority[($0 + 1)...]) })
    }
}
