import HTTPTypes
import Hummingbird
import OutboundHTTP

/// Gives every request its id, its trace and its arrival, and its answer what every answer has.
struct ArrivalMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    let uptime: @Sendable () -> ContinuousClock.Instant
    let traces: TraceSource
    let log: RequestLog
    let makeRequestID: @Sendable () -> String

    func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        let arrival = uptime()
        context.arrival = arrival
        context.requestID = request.headers[.requestID].flatMap { $0.isRequestID ? $0 : nil } ?? makeRequestID()
        let parent = request.headers[.traceParent]
        let trace = traces.work(for: parent, state: request.headers[.traceState])
        return try await TraceContext.$current.withValue(trace) { [context] in
            var response = try await next(request, context)
            response.headers[.requestID] = context.requestID
            response.headers[.contentTypeOptions] = "nosniff"
            // Who takes no part in tracing has no use for it.
            if parent != nil { response.headers[.traceResponse] = trace.parent }
            log.note(request, response, context, at: uptime(), since: arrival)
            return response
        }
    }
}

extension HTTPField.Name {
    // The names are constants of this program, and proper ones.
    static let requestID = HTTPField.Name("X-Request-ID") ?? .contentType
    static let contentTypeOptions = HTTPField.Name("X-Content-Type-Options") ?? .contentType
    static let traceParent = HTTPField.Name("traceparent") ?? .contentType
    static let traceState = HTTPField.Name("tracestate") ?? .contentType
    static let traceResponse = HTTPField.Name("traceresponse") ?? .contentType
}

extension String {
    /// `[A-Za-z0-9._-]{1,64}`
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
