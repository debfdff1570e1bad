/// A path below `/__links`.
enum LinkPath: Equatable {
    /// The page that lists the links of the suites. Its relative addresses begin with `base`.
    case page(query: String, base: String)
    /// A request for a target on a host, for clients that cannot send the host's name: `/__links/HOST/product/1`. The
    /// host may be a tenant's id.
    case host(String, target: String)

    private static let prefix = "/__links"

    init?(_ target: String) {
        guard target.hasPrefix(Self.prefix) else { return nil }
        let rest = target.dropFirst(Self.prefix.count)
        let path = rest.prefix { $0 != "?" }
        let query = String(rest.dropFirst(path.count + 1))
        guard !path.isEmpty, path != "/" else {
            self = .page(query: query, base: path.isEmpty ? "" : "../")
            return
        }
        guard path.first == "/" else { return nil }
        let host = path.dropFirst().prefix { $0 != "/" }
        let inner = rest.dropFirst(1 + host.count)
        self = .host(String(host), target: inner.first == "/" ? String(inner) : "/\(inner)")
    }
}
