import HTTPTypes
import Metrics
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// The answers to requests that reach no endpoint: they break a limit or cannot be read.
struct RefusalAnswers: Sendable {
    let port: PortRole
    let metrics: MetricRegistry
    let makeRequestID: @Sendable () -> String

    /// The parts of an answer after which the connection ends.
    func parts(for problem: Problem) -> [HTTPServerResponsePart] {
        let (id, body) = counted(problem)
        let status = problem.code.status
        let head = HTTPResponseHead(
            version: .http1_1,
            status: HTTPResponseStatus(statusCode: status.code, reasonPhrase: status.reasonPhrase),
            headers: [
                "Content-Type": "application/problem+json", "Cache-Control": "no-store",
                "X-Content-Type-Options": "nosniff", "X-Request-ID": id, "Content-Length": "\(body.readableBytes)",
                "Connection": "close",
            ]
        )
        return [.head(head), .body(.byteBuffer(body)), .end(nil)]
    }

    /// The parts of an answer after which a stream of HTTP/2 ends.
    func streamParts(for problem: Problem) -> [HTTPResponsePart] {
        let (id, body) = counted(problem)
        let head = HTTPResponse(
            status: problem.code.status,
            headerFields: [
                .contentType: "application/problem+json", .cacheControl: "no-store", .contentTypeOptions: "nosniff",
                .requestID: id, .contentLength: "\(body.readableBytes)",
            ]
        )
        return [.head(head), .body(body), .end(nil)]
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
