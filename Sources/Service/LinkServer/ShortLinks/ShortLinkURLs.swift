package import LinkCatalog

/// Where the live table follows short links: `https://go.acme.com/s/{code}`, or `{code...}` for codes that may have `/`.
package struct ShortLinkURLs: Sendable {
    private struct Pattern: Sendable {
        /// Host and path before the code.
        let prefix: String
        /// The path after the code, without the last `/`.
        let suffix: String
        let isRest: Bool

        func code(in url: String) -> ShortCode? {
            guard url.utf8.count > prefix.utf8.count + suffix.utf8.count, url.hasPrefix(prefix), url.hasSuffix(suffix)
            else { return nil }
            let text = url.dropFirst(prefix.count).dropLast(suffix.count)
            return isRest || !text.contains("/") ? ShortCode(text) : nil
        }
    }

    /// The most specific comes first, as in a table.
    private let patterns: [Pattern]
    private let urls: [String]

    /// - Parameter urls: The member `urls` of the list of short links.
    package init(_ urls: [String]) {
        let patterns = urls.compactMap { text -> Pattern? in
            let url = text.withoutScheme
            guard let start = url.firstIndex(of: "{"), let end = url.lastIndex(of: "}") else { return nil }
            let suffix = url[end...].dropFirst()
            return Pattern(
                prefix: String(url[..<start]),
                suffix: String(suffix.hasSuffix("/") ? suffix.dropLast() : suffix),
                isRest: url[start...end] == "{code...}"
            )
        }
        self.urls = urls
        self.patterns = patterns.sorted {
            $0.prefix.utf8.count + $0.suffix.utf8.count > $1.prefix.utf8.count + $1.suffix.utf8.count
        }
    }

    /// Returns the code that the live table reads in an address, or a code that it can read somewhere; nil if it leads
    /// there to no short link.
    package func code(at address: ShortAddress) -> ShortCode? {
        guard let host = address.host else {
            let isRead = patterns.contains { $0.isRest || !address.path.contains("/") }
            return isRead ? ShortCode(address.path) : nil
        }
        let url = "\(host)/\(address.path)"
        return patterns.lazy.compactMap { $0.code(in: url) }.first
    }

    /// Returns the first address that leads to a code; nil if none does.
    package func url(of code: String) -> String? {
        urls.lazy.filter { !code.contains("/") || $0.contains("{code...}") }.compactMap { url in
            guard let start = url.firstIndex(of: "{"), let end = url.lastIndex(of: "}") else { return nil }
            return "\(url[..<start])\(code)\(url[end...].dropFirst())"
        }.first
    }

    package func areOn(_ host: String) -> Bool { patterns.contains { $0.prefix.hasPrefix("\(host)/") } }
}

/// A code, or a short link that was printed: `spring`, `https://go.acme.com/s/spring`, `bit.ly/3xYz`.
package struct ShortAddress: Sendable {
    package let text: String
    /// Nil for a code.
    package let host: String?
    /// The path below the host, or the code, without `/` around it.
    package let path: String

    package init(_ text: String) {
        let rest = text.withoutScheme
        var path = rest.prefix { $0 != "?" && $0 != "#" }
        let first = path.prefix { $0 != "/" }
        // No code has a point.
        let isPrinted = rest.startIndex != text.startIndex || first.contains(".")
        if isPrinted { path = path[first.endIndex...] }
        while path.hasPrefix("/") { path.removeFirst() }
        while path.hasSuffix("/") { path.removeLast() }
        self.text = text
        host = isPrinted ? first.lowercased() : nil
        self.path = String(path)
    }
}

extension String {
    fileprivate var withoutScheme: Substring { firstRange(of: "://").map { self[$0.upperBound...] } ?? self[...] }
}
