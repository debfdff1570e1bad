import LinkRouting
import StubMatching
import Synchronization

/// The stubs, scenarios, journal and settings of one session. The server itself is a session without an id.
final class StubSession: Sendable {
    /// Nil for the server itself.
    let id: String?
    let name: String?
    /// The endpoints that answer requests besides the stubs; nil for none.
    let endpoints: (any SessionEndpoints)?
    private let state: Mutex<State>

    /// The state that determines an answer. It is copied for each request, so it contains nothing that each request
    /// changes.
    struct Rules: Sendable {
        var stubs: StubStore
        var scenarios = Scenarios()
        var settings = StubSettings()
        var unmatched: StubConfiguration.UnmatchedRequests
    }

    struct State: Sendable {
        var rules: Rules
        var journal: Journal
        var recording = RecordingState()
        /// The number of requests that each stub answered, including those that the journal has dropped.
        var uses: [String: Int] = [:]
        /// Requests that no stub answered, as the report lists them.
        var failures: [Failure] = []
        var unmatchedCount = 0
        /// The links that endpoints answered.
        var links = LinkUses()

        /// Whether a request or a link had no answer.
        var hasFailure: Bool { unmatchedCount > 0 || links.failureCount > 0 }

        mutating func stubsChanged() { rules.scenarios.update(for: rules.stubs.entries) }
    }

    /// A request that no stub answered.
    struct Failure: Sendable {
        let method: String
        /// The first characters of the target.
        let target: String
        let receivedAt: Timestamp
        let nearestStub: String?
        let firstDifference: String?
    }

    /// The maximum number of unmatched requests in a report.
    static let maximumFailures = 1_000

    init(
        id: String?,
        name: String?,
        stubs: StubStore,
        journal: Journal,
        unmatched: StubConfiguration.UnmatchedRequests,
        endpoints: (any SessionEndpoints)? = nil
    ) {
        self.id = id
        self.name = name
        self.endpoints = endpoints
        var state = State(rules: Rules(stubs: stubs, unmatched: unmatched), journal: journal)
        state.stubsChanged()
        self.state = Mutex(state)
    }

    deinit { state.withLock { $0.journal.removeAll() } }

    func withState<Result>(_ body: (inout sending State) throws -> sending Result) rethrows -> sending Result {
        try state.withLock(body)
    }

    /// A copy of the present rules. Requests are compared with it outside the lock.
    var rules: Rules { state.withLock { $0.rules } }

    /// Finds the stub that answers a request and moves its scenario to the next state, both in one step as seen by
    /// other requests.
    ///
    /// - Parameter isForEndpoint: Whether an endpoint would answer the request. Then only stubs that name a URL come
    ///   before it, so that a proxy for everything does not hide the endpoints.
    /// - Throws: When a pattern takes too many steps.
    func take(_ request: StubRequest, isForEndpoint: Bool) throws -> (stub: StubMapping?, rules: Rules) {
        while true {
            let rules = self.rules
            let body = request.matchedBody
            let stub = try rules.stubs.first(path: request.path) { stub in
                if isForEndpoint, stub.request.url.source == nil { return false }
                guard let scenario = stub.scenario, let required = stub.requiredState else {
                    return try stub.request.matches(request, body: body)
                }
                guard rules.scenarios.state(of: scenario) == required else { return false }
                return try stub.request.matches(request, body: body)
            }
            guard let stub else { return (nil, rules) }
            guard let scenario = stub.scenario, stub.requiredState != nil || stub.newState != nil else {
                return (stub, rules)
            }
            let isTaken = state.withLock { state in
                // Another request may have moved the scenario in the meantime; then the choice is made again.
                guard state.rules.scenarios.state(of: scenario) == rules.scenarios.state(of: scenario) else {
                    return false
                }
                if let newState = stub.newState { state.rules.scenarios.set(scenario, to: newState) }
                return true
            }
            if isTaken { return (stub, rules) }
        }
    }

    func log(_ event: ServeEvent) {
        state.withLock { state in
            state.journal.append(event)
            if let stub = event.stub { state.uses[stub.id, default: 0] += 1 }
        }
    }

    func log(_ link: LinkRecord, at instant: Timestamp) { state.withLock { $0.links.append(link, at: instant) } }

    func logUnmatched(_ failure: Failure) {
        state.withLock { state in
            state.unmatchedCount += 1
            guard state.failures.count < Self.maximumFailures else { return }
            state.failures.append(failure)
        }
    }
}

/// The recording of a session, which `/__admin/recordings` starts and stops.
struct RecordingState: Sendable {
    enum Status: String, Sendable {
        case neverStarted = "NeverStarted"
        case recording = "Recording"
        case stopped = "Stopped"
    }

    var status = Status.neverStarted
    /// The number of events that the journal had received when the recording started. Later events belong to the
    /// recording.
    var firstEvent: Int?
    var specification: RecordingSpecification?
    /// The stub that proxies to the target while recording.
    var proxyStub: String?
}
