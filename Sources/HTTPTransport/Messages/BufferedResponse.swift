import HTTPTypes
import NIOCore

/// A whole response, sent by Hummingbird or by a connection directly.
struct BufferedResponse: Sendable {
    let status: HTTPResponse.Status
    var headers: HTTPFields
    /// The body; empty for a HEAD, whose `Content-Length` is that of the omitted body.
    private(set) var body: ByteBuffer

    init(_ status: HTTPResponse.Status, headers: HTTPFields = HTTPFields(), body: ByteBuffer = ByteBuffer()) {
        self.status = status
        self.headers = headers
        self.headers.append(HTTPField(name: .contentLength, value: String(body.readableBytes)))
        self.body = body
    }

    init(json: [UInt8]) {
        self.init(
            .ok,
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ByteBuffer(bytes: json)
        )
    }

    var withoutBody: BufferedResponse {
        var answer = self
        answer.body = ByteBuffer()
        return answer
    }
}
