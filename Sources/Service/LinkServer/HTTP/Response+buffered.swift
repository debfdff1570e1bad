import HTTPTransport
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    init(_ answer: BufferedResponse) {
        self.init(status: answer.status, headers: answer.allHeaders, body: ResponseBody(byteBuffer: answer.body))
    }

    /// The line break after the JSON separates it from a terminal's prompt.
    init(status: HTTPResponse.Status = .ok, json: [UInt8], headers: HTTPFields = HTTPFields()) {
        var headers = headers
        headers[.contentType] = "application/json"
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
        var body = ByteBufferAllocator().buffer(capacity: json.count + 1)
        body.writeBytes(json)
        body.writeInteger(UInt8(ascii: "\n"))
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
    }
}
