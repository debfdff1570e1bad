import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkEvents
import Networking

/// The instrumentation of every request of a port, both of the public port and of the ports that Hummingbird serves:
/// its id, trace and arrival, the headers that all responses share, the access log line and the metrics.
final class RequestInstrumentation: Sendable {
    let port: PortRole
    let metrics: RequestMetrics
    let log: RequestLog
    let errors: ErrorMapper
    let traces: TraceSource
    let uptime: @Sendable () -> ContinuousClock.Instant
    let makeRequestID: @Sendable () -> RecordedID

    init(
        port: PortRole,
        metrics: RequestMetrics,
        log: RequestLog,
        errors: ErrorMapper,
        traces: TraceSource,
        uptime: @escaping @Sendable () -> ContinuousClock.Instant,
        makeRequestID: @escaping @Sendable () -> RecordedID
    ) {
        self.port = port
        self.metrics = metrics
        self.log = log
        self.errors = errors
        self.traces = traces
        self.uptime = uptime
        self.makeRequestID = makeRequestID
    }

    /// Begins a request. ``end(_:_:route:_:)`` must be called once for each.
    func begin(_ head: HTTPRequest, _ scope: inout RequestScope) {
        metrics.began()
        scope.arrival = uptime()
        let sent = head.headerFields.value(of: .requestID).flatMap { $0.isRequestID ? RecordedID($0) : nil }
        scope.requestID = sent ?? makeRequestID()
        let parent = head.headerFields.value(of: .traceParent)
        scope.trace = traces.work(for: parent, state: head.headerFields.value(of: .traceState))
        scope.isTraced = parent != nil
    }

    /// Ends a request: writes the access log line and updates the metrics.
    ///
    /// - Parameters:
    ///   - head: The request's head.
    ///   - route: The endpoint's pattern; nil where there is none.
    func end(_ head: HTTPRequest, _ scope: RequestScope, route: String?, _ status: HTTPResponse.Status) {
        let now = uptime()
        log.note(head.method, status, scope, route: route, at: now)
        if status.code >= 500 { metrics.failed(scope.logFields.found.tenant) }
        metrics.ended(head.method, status, route: route, after: scope.arrival.map { now - $0 } ?? .zero)
    }
}

/// Instruments the requests that Hummingbird's router answers.
struct InstrumentationMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    let instrumentation: RequestInstrumentation

    func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        instrumentation.begin(request.head, &context.scope)
        return await TraceContext.$current.withValue(context.scope.trace) { [context] in
            var response: Response
            do {
                response = try await next(request, context)
            } catch let error as any HTTPResponseError where error.status == .notFound {
                let problem = Problem.unknownPath(request.uri.path, at: instrumentation.port)
                response = Response(instrumentation.errors.answer(to: problem, context.scope))
            } catch {
                response = Response(instrumentation.errors.answer(to: error, context.scope))
            }
            instrumentation.end(request.head, context.scope, route: context.endpointPath, response.status)
            response.headers.append(contentsOf: context.scope.headers(date: nil).fields)
            return response
        }
    }
}

extension RequestScope {
    /// - Parameter date: The value of `Date`; nil if the sender adds it.
    func headers(date: String?) -> CommonHeaders {
        CommonHeaders(requestID: requestID.description, trace: isTraced ? trace?.parent : nil, date: date)
    }
}

extension String {
    /// Whether the text matches `[A-Za-z0-9._-]{1,64}`.
    fileprivate var isRequestID: Bool {
        (1...64).contains(utf8.count)
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
