import HTTPTransport
import HTTPTypes
import LinkCatalog
import LinkRouting
import Networking

extension Problem {
    /// The response to a path that a port does not have. It names the port that has the path, because a request to the
    /// wrong port is the usual cause.
    ///
    /// - Parameter target: A path with an optional query.
    static func unknownPath(_ target: String, at port: PortRole) -> Problem {
        let paths =
            port == .ops
            ? "The ops port has /livez, /startupz, /readyz and /metrics." : "docs/api.md lists all endpoints."
        return Problem(.notFound, wrongPort(target, at: port) ?? "Not found. \(paths)")
    }

    /// The response to a host that no tenant has. It names the host that arrived, which a proxy may have changed.
    static func unknownHost(of request: HTTPRequest, in catalog: Catalog) -> Problem {
        let hint = request.host(in: catalog).flatMap { advice(on: $0.name, port: $0.port, in: catalog) }
        return Problem(
            .unknownHost,
            wrongPort(request.path ?? "/", at: .public)
                ?? "No tenant of this server has the host '\(shown(request.authority ?? ""))'. "
                + (hint ?? "Add the host to 'domains' in the settings of its tenant.")
        )
    }

    /// Returns advice for a host that is probably not meant; nil for any other.
    private static func advice(on host: String, port: UInt16?, in catalog: Catalog) -> String? {
        if port != nil, catalog.table(forHost: host, port: nil) != nil {
            return "'\(shown(host))' is owned without a port: set 'port' of the domain, or forward Host without it."
        }
        guard host == "localhost" || host.hasPrefix("[") || NetworkAddress(host) != nil else { return nil }
        return "Send a host from the 'domains' of a tenant, such as curl -H 'Host: go.example.com'."
    }

    private static func shown(_ host: String) -> String { host.shortened(toBytes: longestHost).escapedForTerminal }

    /// The most bytes of a host that a response repeats; a host name has at most 253.
    private static let longestHost = 253

    /// Returns the hint that another port has the path; nil if it is this one, or none.
    static func wrongPort(_ target: String, at port: PortRole) -> String? {
        let segments = target.utf8.prefix { $0 != UInt8(ascii: "?") }.split(
            separator: UInt8(ascii: "/"),
            maxSplits: 2
        ).map { Substring($0) }
        let right: PortRole? =
            switch (segments.first ?? "", segments.count) {
            case ("admin", 2...): .admin
            case ("livez", 1), ("readyz", 1), ("startupz", 1), ("metrics", 1): .ops
            case ("resolve", 1), (".well-known", _), ("apple-app-site-association", 1), ("_fp", 2...): .public
            default: nil
            }
        guard let right, right != port else { return nil }
        let (name, standard) =
            switch right {
            case .public: ("Links are answered", 8080)
            case .admin: ("The admin API is", 8081)
            case .ops: ("Health checks and metrics are", 8082)
            }
        return "This is the \(port.rawValue) port of Fingerpost. \(name) on the \(right.rawValue) port, at the "
            + "address in '\(right.rawValue).host' and '\(right.rawValue).port' of the server's configuration (by "
            + "default port \(standard))."
    }
}
