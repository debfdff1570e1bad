import HTTPTransport
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    init(_ answer: BufferedResponse) {
        self.init(status: answer.status, headers: answer.allHeaders, body: ResponseBody(byteBuffer: answer.body))
    }

    init(status: HTTPResponse.Status = .ok, json: [UInt8], headers: HTTPFields = HTTPFields()) {
        var headers = headers
        headers[.contentType] = "application/json"
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: json)))
    }
}
