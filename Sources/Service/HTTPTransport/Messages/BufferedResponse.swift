package import HTTPTypes
package import NIOCore

/// A whole response, sent by Hummingbird or by a connection directly.
package struct BufferedResponse: Sendable {
    package let status: HTTPResponse.Status
    package var headers: HTTPFields { didSet { lines = nil } }
    /// Sent after `headers`.
    package var common: CommonHeaders?
    /// The body; empty for a HEAD, whose `Content-Length` is that of the omitted body.
    package private(set) var body: ByteBuffer
    /// The status line and `headers` as HTTP/1.1 sends them; nil if they are written for each response.
    private(set) var lines: ByteBuffer?

    package init(_ status: HTTPResponse.Status, headers: HTTPFields = HTTPFields(), body: ByteBuffer = ByteBuffer()) {
        self.status = status
        self.headers = headers
        self.headers.append(HTTPField(name: .contentLength, value: String(body.readableBytes)))
        self.body = body
    }

    package init(json: [UInt8]) {
        self.init(
            .ok,
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ByteBuffer(bytes: json)
        )
    }

    /// The response with its head written in advance, for one that is sent often.
    package var prepared: BufferedResponse {
        var answer = self
        answer.lines = HTTP1Head(self).written
        return answer
    }

    /// All header fields, in the order in which they are sent.
    package var allHeaders: HTTPFields {
        var headers = headers
        if let common { headers.append(contentsOf: common.fields) }
        return headers
    }

    package var withoutBody: BufferedResponse {
        var answer = self
        answer.body = ByteBuffer()
        return answer
    }
}
