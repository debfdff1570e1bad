import LinkRouting

/// The routes of a signed table. Each is decoded when a link first needs it, and kept.
final class LazyRoutes: RouteSource {
    private let encoded: EncodedRoutes
    private let state: Locked<State>

    private struct State: Sendable {
        /// By position: a list with the decoded route, or an empty list for a route that is not decoded yet.
        var routes: [[Route]]
        /// The errors of the routes that cannot be read.
        var problems: [RouteID: String] = [:]
    }

    init(_ encoded: EncodedRoutes) {
        self.encoded = encoded
        state = Locked(State(routes: Array(repeating: [], count: encoded.count)))
    }

    func route(at position: Int) -> [Route] {
        let known = state.withLock { $0.routes[position] }
        guard known.isEmpty else { return known }
        // Decoding takes no lock. Another thread may decode the same route at the same time, with the same result.
        let decoded = encoded.decoded(at: position)
        let route = [decoded.route]
        state.withLock { state in
            state.routes[position] = route
            if let problem = decoded.problem { state.problems[decoded.route.id] = "\(problem)" }
        }
        return route
    }

    func problem(of route: RouteID) -> String? { state.withLock { $0.problems[route] } }
}
