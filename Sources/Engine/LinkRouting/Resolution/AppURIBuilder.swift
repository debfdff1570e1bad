/// Converts web links to URIs of the tenant's first scheme.
struct AppURIBuilder: Sendable {
    private let scheme: Scheme
    /// The scheme followed by `://`.
    private let head: String
    /// Whether every resulting URI is a valid link and an allowed destination. Otherwise each one must be parsed.
    let isReadable: Bool

    /// Nil when no resulting URI could be an allowed destination.
    init?(_ identity: Identity) {
        guard let scheme = identity.schemes.first else { return nil }
        self.scheme = scheme
        head = scheme.name + "://"
        let sample = try? DeepLink.parse(head + "x")
        // A scheme name that contains a colon, or that is a web scheme, would change how the path is parsed.
        guard let sample, sample.scheme.utf8.count == scheme.name.utf8.count, !sample.isWeb else {
            isReadable = false
            return
        }
        guard identity.destinations.allows(sample) else { return nil }
        isReadable = true
    }

    /// Appends scheme, host and path.
    ///
    /// - Parameter path: The raw path of a parsed web link. All of its characters are valid in a path of another
    ///   scheme.
    func append(to uri: inout [UInt8], path: ArraySlice<UInt8>) {
        let path = path.first == UInt8(ascii: "/") ? path.dropFirst() : path
        var end = path.startIndex
        while end < path.endIndex, isPlain(path[end]) { end += 1 }
        let isPlainSegment = end == path.endIndex || path[end] == UInt8(ascii: "/")
        let canBeHost = isPlainSegment && (path.isEmpty || end > path.startIndex)
        uri.append(utf8Of: head)
        if !canBeHost || scheme.ignores(host: path[..<end]) { uri.append(UInt8(ascii: "/")) }
        uri.append(contentsOf: path)
    }
}
