import LinkRouting

/// A path below which a key may write routes: whole segments, all of them literals. `/blog/` permits `/blog/new`;
/// `/blog` permits `/blog`, too. Neither permits `/blogs`.
package struct PathPrefix: Sendable, Hashable, CustomStringConvertible {
    private let text: ExactText

    package var description: String { text.description }

    /// Returns nil if the text is no path, or has a byte that stands for a parameter or a wildcard in a pattern.
    package init?(_ text: String) {
        guard (try? RoutePattern(text)) != nil, !text.utf8.contains(where: { "{}()*".utf8.contains($0) }) else {
            return nil
        }
        self.text = ExactText(text)
    }

    /// The number of segments.
    var depth: Int { description.utf8.split(separator: UInt8(ascii: "/")).count }

    /// Whether every link of the route is below the prefix, or equals a prefix without a final slash. A link may be so in
    /// other letter cases, and be that of a route without its last slash or its rest parameter.
    func confines(_ route: Route) -> Bool {
        guard covers(route.path.description), route.letterCase == .sensitive else { return false }
        guard description.utf8.last == UInt8(ascii: "/"), depth > 0 else { return true }
        guard let next = route.path.segments.dropFirst(depth).first else { return false }
        if case .rest = next { return false }
        return true
    }

    /// Whether the path is below the prefix, or equals a prefix without a final slash. Compares bytes, as link matching
    /// does: `hasPrefix` would treat two encodings of an accent as equal.
    func covers(_ path: String) -> Bool {
        let (path, prefix) = (path.utf8, description.utf8)
        guard path.starts(with: prefix) else { return false }
        return prefix.last == UInt8(ascii: "/") || path.count == prefix.count
            || path.dropFirst(prefix.count).first == UInt8(ascii: "/")
    }
}
