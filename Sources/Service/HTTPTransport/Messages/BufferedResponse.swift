package import HTTPTypes
package import NIOCore

/// A whole response, sent by Hummingbird or by a connection directly.
package struct BufferedResponse: Sendable {
    package let status: HTTPResponse.Status
    /// Sent after `headers`.
    package var common: CommonHeaders?
    /// The value of `Content-Length`, which a response to HEAD has as well.
    let contentLength: Int
    private(set) var fields: Fields
    private(set) var content: Content

    /// The header fields of the response itself, without `Content-Length`.
    enum Fields {
        case list(HTTPFields)
        /// With the status line and the fields as HTTP/1.1 sends them.
        case prepared(HTTPFields, lines: ByteBuffer)
        /// Those of a JSON response, which most responses have. It holds no reference, because all event loops would share its
        /// count.
        case json
    }

    enum Content {
        case buffer(ByteBuffer)
        /// Encoded bytes. HTTP/1 copies them behind the head, so that they need no buffer of their own.
        case bytes([UInt8])

        var count: Int {
            switch self {
            case .buffer(let buffer): buffer.readableBytes
            case .bytes(let bytes): bytes.count
            }
        }
    }

    package init(_ status: HTTPResponse.Status, headers: HTTPFields = HTTPFields(), body: ByteBuffer = ByteBuffer()) {
        self.status = status
        fields = .list(headers)
        contentLength = body.readableBytes
        content = .buffer(body)
    }

    /// The line break after the JSON separates it from a terminal's prompt.
    package init(json: consuming [UInt8]) {
        json.append(UInt8(ascii: "\n"))
        status = .ok
        fields = .json
        contentLength = json.count
        content = .bytes(json)
    }

    /// The response with its head written in advance, for one that is sent often.
    package var prepared: BufferedResponse {
        var answer = self
        answer.fields = .prepared(headers, lines: HTTP1Head(status, headers).written)
        return answer
    }

    /// The header fields of the response itself, without `Content-Length`.
    package var headers: HTTPFields {
        get {
            switch fields {
            case .list(let list), .prepared(let list, _): list
            case .json: [.contentType: "application/json", .cacheControl: "no-store"]
            }
        }
        set { fields = .list(newValue) }
    }

    /// All header fields, in the order in which they are sent.
    package var allHeaders: HTTPFields {
        var headers = headers
        headers.append(HTTPField(name: .contentLength, value: String(contentLength)))
        if let common { headers.append(contentsOf: common.fields) }
        return headers
    }

    /// The body; empty for a HEAD, whose `Content-Length` is that of the omitted body.
    package var body: ByteBuffer {
        switch content {
        case .buffer(let buffer): buffer
        case .bytes(let bytes): ByteBuffer(bytes: bytes)
        }
    }

    package var withoutBody: BufferedResponse {
        var answer = self
        answer.content = .buffer(ByteBuffer())
        return answer
    }
}
