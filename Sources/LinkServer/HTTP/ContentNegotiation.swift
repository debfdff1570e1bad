/// Reads the list of entity tags in `If-None-Match`, which names the versions of a file that a client has.
enum ContentNegotiation {
    /// Whether a list of tags contains one, by the weak comparison that `If-None-Match` requires.
    static func names(_ tag: String, in list: String) -> Bool {
        list.split(separator: ",").contains { item in
            let item = item.drop(while: \.isWhitespace)
            let name = item.hasPrefix("W/") ? item.dropFirst(2) : item
            return name.prefix(tag.count) == tag || item.first == "*"
        }
    }
}
