/// Reads `Accept-Encoding`.
package enum AcceptEncoding {
    /// Whether a list such as `gzip, br;q=0` allows a coding.
    package static func allows(_ coding: String, in list: String) -> Bool {
        list.split(separator: ",").contains { item in
            let parts = item.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
            guard parts.first == coding else { return false }
            return !parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) ?? 0 <= 0 }
        }
    }
}
