import HTTPTransport
import HTTPTypes

/// Finds the endpoint of a request on the public port.
final class PublicRouter: Sendable {
    let endpoints: [PublicEndpoint]
    private let groups: [Group]
    private let ofAnyPath: [PublicEndpoint]
    /// The first segments of the exact paths. No path below one of them belongs to an endpoint of any path.
    private let reservedSegments: Set<[UInt8]>

    /// The endpoints of one exact path.
    private final class Group: Sendable {
        let path: String
        let endpoints: [PublicEndpoint]

        init(path: String, endpoints: [PublicEndpoint]) {
            self.path = path
            self.endpoints = endpoints
        }
    }

    enum Match {
        case endpoint(PublicEndpoint)
        /// - Parameter route: The path if it exists but does not support the method.
        case refused(Problem, route: String?)
    }

    init(_ endpoints: [PublicEndpoint]) {
        self.endpoints = endpoints
        ofAnyPath = endpoints.filter { $0.path == PublicEndpoint.anyPath }
        groups = Dictionary(grouping: endpoints.filter { $0.path != PublicEndpoint.anyPath }, by: \.path)
            .map { Group(path: $0.key, endpoints: $0.value) }
        reservedSegments = Set(groups.map { Array(Self.firstSegment($0.path.utf8[...])) })
    }

    /// - Parameter target: A path with an optional query.
    func match(_ method: HTTPRequest.Method, _ target: String) -> Match {
        // Most targets have no query. Comparing whole strings is one comparison of memory.
        if let group = groups.first(where: { $0.path == target }) {
            return Self.choose(method, from: group, isExact: true, target)
        }
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        if let group = group(of: path) { return Self.choose(method, from: group, isExact: true, target) }
        // Empty segments are ignored, so that a base URL that ends with a slash works.
        if Self.hasEmptySegment(path), let group = group(of: Self.collapsed(path).utf8[...]) {
            return Self.choose(method, from: group, isExact: false, target)
        }
        let first = Self.firstSegment(path)
        guard path.first == Self.slash,
            !reservedSegments.contains(where: { $0.count == first.count && $0.elementsEqual(first) }),
            let endpoint = ofAnyPath.first(where: { $0.methods.contains(method) })
        else { return .refused(.unknownPath(target, at: .public), route: nil) }
        return .endpoint(endpoint)
    }

    private func group(of path: Substring.UTF8View) -> Group? {
        groups.first { $0.path.utf8.count == path.count && $0.path.utf8.elementsEqual(path) }
    }

    private static let slash = UInt8(ascii: "/")

    private static func firstSegment(_ path: Substring.UTF8View) -> Substring.UTF8View {
        path.drop { $0 == slash }.prefix { $0 != slash }
    }

    private static func hasEmptySegment(_ path: Substring.UTF8View) -> Bool {
        var previous: UInt8 = 0
        for byte in path {
            if byte == slash, previous == slash { return true }
            previous = byte
        }
        return previous == slash
    }

    private static func collapsed(_ path: Substring.UTF8View) -> String {
        "/" + path.split(separator: slash).map { String(Substring($0)) }.joined(separator: "/")
    }

    private static func choose(
        _ method: HTTPRequest.Method,
        from group: Group,
        isExact: Bool,
        _ target: String
    ) -> Match {
        if let endpoint = group.endpoints.first(where: { $0.methods.contains(method) }) {
            guard isExact || !endpoint.isExact else {
                return .refused(Problem(.notFound, "The file is at \(group.path)."), route: group.path)
            }
            return .endpoint(endpoint)
        }
        guard isExact else { return .refused(.unknownPath(target, at: .public), route: group.path) }
        let allowed = group.endpoints.flatMap(\.methods).map(\.rawValue).joined(separator: ", ")
        return .refused(.methodNotAllowed(besides: allowed), route: group.path)
    }
}
