import HTTPTypes

/// Finds the endpoint of a request on the public port.
struct PublicRouter: Sendable {
    let endpoints: [PublicEndpoint]
    private let byPath: [Substring: [PublicEndpoint]]
    private let ofAnyPath: [PublicEndpoint]
    /// First segments of exact paths: no path below them belongs to an endpoint of any path.
    private let ownSegments: Set<Substring>

    enum Match {
        case endpoint(PublicEndpoint)
        /// - Parameter route: The path if it exists but does not take the method.
        case refused(Problem, route: String?)
    }

    init(_ endpoints: [PublicEndpoint]) {
        self.endpoints = endpoints
        ofAnyPath = endpoints.filter { $0.path == PublicEndpoint.anyPath }
        byPath = Dictionary(grouping: endpoints.filter { $0.path != PublicEndpoint.anyPath }) { $0.path[...] }
        ownSegments = Set(byPath.keys.compactMap { $0.split(separator: "/").first })
    }

    /// - Parameter target: A path with an optional query.
    func match(_ method: HTTPRequest.Method, _ target: String) -> Match {
        let path = target.prefix { $0 != "?" }
        if let found = byPath[path] { return Self.choose(method, from: found, isExact: true) }
        // Empty segments are ignored, so that a base URL that ends with a slash works.
        let segments = path.split(separator: "/")
        if path.utf8.last == UInt8(ascii: "/") || path.utf8.count > segments.reduce(0, { $0 + $1.utf8.count + 1 }),
            let found = byPath["/" + segments.joined(separator: "/")]
        {
            return Self.choose(method, from: found, isExact: false)
        }
        guard path.utf8.first == UInt8(ascii: "/"), let first = segments.first, !ownSegments.contains(first),
            let endpoint = ofAnyPath.first(where: { $0.methods.contains(method) })
        else { return .refused(Self.notFound, route: nil) }
        return .endpoint(endpoint)
    }

    private static func choose(_ method: HTTPRequest.Method, from found: [PublicEndpoint], isExact: Bool) -> Match {
        if let endpoint = found.first(where: { $0.methods.contains(method) }) { return .endpoint(endpoint) }
        guard isExact else { return .refused(notFound, route: found.first?.path) }
        let allowed = found.flatMap(\.methods).map(\.rawValue).joined(separator: ", ")
        var problem = Problem(.methodNotAllowed, "This path takes \(allowed).")
        problem.headers[.allow] = allowed
        return .refused(problem, route: found.first?.path)
    }

    private static let notFound = Problem(.notFound, "There is nothing here; docs/api.md lists what there is.")
}
