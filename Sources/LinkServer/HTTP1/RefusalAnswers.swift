import HTTPTypes
import Metrics
import NIOCore
import NIOHTTP1

/// The answers to requests that reach no endpoint: they break a limit or cannot be read.
struct RefusalAnswers: Sendable {
    let port: PortRole
    let metrics: MetricRegistry
    let makeRequestID: @Sendable () -> String

    /// The parts of an answer after which the connection ends.
    func parts(for problem: Problem) -> [HTTPServerResponsePart] {
        Counter(
            label: "fingerpost_http_refusals_total",
            dimensions: [("port", port.rawValue), ("code", problem.code.rawValue)],
            factory: metrics
        ).increment()
        let id = makeRequestID()
        let body = problem.json(requestID: id)
        let status = problem.code.status
        let head = HTTPResponseHead(
            version: .http1_1,
            status: HTTPResponseStatus(statusCode: status.code, reasonPhrase: status.reasonPhrase),
            headers: [
                "Content-Type": "application/problem+json", "Cache-Control": "no-store",
                "X-Content-Type-Options": "nosniff", "X-Request-ID": id, "Content-Length": "\(body.count)",
                "Connection": "close",
            ]
        )
        return [.head(head), .body(.byteBuffer(ByteBuffer(bytes: body))), .end(nil)]
    }
}
