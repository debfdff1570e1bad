package import CoreMetrics
import HTTPTypes
import Metrics
import NIOCore
import NIOHTTPTypes

/// Responses to requests that reach no endpoint, because they break a limit or cannot be parsed.
package struct TransportErrorResponses: Sendable {
    let port: PortRole
    let metrics: any MetricsFactory
    let date: ResponseDate
    let makeRequestID: @Sendable () -> String

    package init(
        port: PortRole,
        metrics: any MetricsFactory,
        date: ResponseDate,
        makeRequestID: @escaping @Sendable () -> String
    ) {
        self.port = port
        self.metrics = metrics
        self.date = date
        self.makeRequestID = makeRequestID
    }

    /// Returns the parts of a response after which the connection ends.
    func lastParts(for problem: Problem) -> [HTTPResponsePart] { parts(for: problem, [.connection: "close"]) }

    /// Returns the parts of a response after which an HTTP/2 stream ends.
    func streamParts(for problem: Problem) -> [HTTPResponsePart] { parts(for: problem, [:]) }

    private func parts(for problem: Problem, _ connection: HTTPFields) -> [HTTPResponsePart] {
        let (id, body) = counted(problem)
        var fields: HTTPFields = [
            .contentType: "application/problem+json", .cacheControl: "no-store", .contentTypeOptions: "nosniff",
            .requestID: id, .contentLength: "\(body.readableBytes)", .date: date.now,
        ]
        fields.append(contentsOf: connection)
        return [.head(HTTPResponse(status: problem.status, headerFields: fields)), .body(body), .end(nil)]
    }

    private func counted(_ problem: Problem) -> (id: String, body: ByteBuffer) {
        Counter(
            label: "fingerpost_http_refusals_total",
            dimensions: [("port", port.rawValue), ("code", problem.code.rawValue)],
            factory: metrics
        ).increment()
        let id = makeRequestID()
        return (id, ByteBuffer(bytes: problem.json(requestID: id)))
    }
}
