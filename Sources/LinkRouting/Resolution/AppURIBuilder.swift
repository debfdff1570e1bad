/// How a web link becomes a URI of the tenant's first scheme.
struct AppURIBuilder: Sendable {
    private let scheme: Scheme
    /// With `://` behind the name.
    private let head: String
    /// Whether every URI of it is a link, one that may be a destination; else each has to be read.
    let isReadable: Bool

    /// Nil where no URI of it could be a destination.
    init?(_ identity: Identity) {
        guard let scheme = identity.schemes.first else { return nil }
        self.scheme = scheme
        head = scheme.name + "://"
        let sample = try? Link.parse(head + "x")
        // A name with a colon in it, or of the web, would make something else of the path.
        guard let sample, sample.scheme.utf8.count == scheme.name.utf8.count, !sample.isWeb else {
            isReadable = false
            return
        }
        guard identity.destinations.allows(sample) else { return nil }
        isReadable = true
    }

    /// Appends scheme, host and path.
    ///
    /// - Parameter path: Of a web link, as it was read: it holds nothing that a path under another scheme may not.
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
