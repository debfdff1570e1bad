/// How a web link becomes a URI of the tenant's first scheme.
struct OwnURI: Sendable {
    private let scheme: Scheme
    /// Whether every URI of it is a link, one that may be a destination; else each has to be read.
    let isReadable: Bool

    /// Nil where no URI of it could be a destination.
    init?(_ identity: Identity) {
        guard let scheme = identity.schemes.first else { return nil }
        self.scheme = scheme
        let sample = try? Link.parse(scheme.name + "://x")
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
        let first = path.prefix { $0 != UInt8(ascii: "/") }
        let canBeHost = first.allSatisfy(isPlain) && (path.isEmpty || !first.isEmpty)
        uri.append(utf8Of: scheme.name)
        uri.append(utf8Of: canBeHost && !scheme.ignores(host: first) ? "://" : ":///")
        uri.append(contentsOf: path)
    }
}
