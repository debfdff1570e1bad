/// Reads the lists of header fields with which a client says which form of a file it wants.
enum ContentNegotiation {
    /// Whether a list such as `gzip, br;q=0` allows a coding.
    static func accepts(_ coding: String, in list: String) -> Bool {
        list.split(separator: ",").contains { item in
            let parts = item.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
            guard parts.first == coding else { return false }
            return !parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) ?? 0 <= 0 }
        }
    }

    /// Whether a list of tags contains one, by the weak comparison that `If-None-Match` requires.
    static func names(_ tag: String, in list: String) -> Bool {
        list.split(separator: ",").contains { item in
            let item = item.drop(while: \.isWhitespace)
            let name = item.hasPrefix("W/") ? item.dropFirst(2) : item
            return name.prefix(tag.count) == tag || item.first == "*"
        }
    }
}
