import Crypto
import HTTPTransport
import HTTPTypes
import NIOCore
import Networking

/// An association file in the form in which it is served: made once for each revision, in both encodings.
final class CachedAssociationFile: Sendable {
    private let plain: Form
    /// The compressed form; nil if it would not be smaller.
    private let gzipped: Form?

    private final class Form: Sendable {
        /// A strong ETag, which differs between the forms of a file.
        let tag: String
        let whole: BufferedResponse
        let notModified: BufferedResponse

        init(_ bytes: [UInt8], encoding: String?) {
            tag = ContentNegotiation.tag(of: bytes)
            var headers: HTTPFields = [
                .eTag: tag, .cacheControl: "public, max-age=300", .vary: "Accept-Encoding",
            ]
            notModified = BufferedResponse(.notModified, headers: headers).prepared
            headers[.contentType] = "application/json"
            if let encoding { headers[.contentEncoding] = encoding }
            whole = BufferedResponse(.ok, headers: headers, body: ByteBuffer(bytes: bytes)).prepared
        }
    }

    /// The uncompressed file.
    var bytes: [UInt8] { Array(buffer: plain.whole.body) }

    init(_ bytes: [UInt8]) throws {
        plain = Form(bytes, encoding: nil)
        let compressed = try GzipStream.compressed(bytes, level: 9)
        gzipped = compressed.count < bytes.count ? Form(compressed, encoding: "gzip") : nil
    }

    /// Returns 200 with the file, or 304 if the client has it. The file is compressed only for clients that accept
    /// gzip: Apple's limit applies to the uncompressed bytes.
    func answer(to request: HTTPRequest) -> BufferedResponse {
        let form = ContentNegotiation.acceptsGzip(request) ? gzipped ?? plain : plain
        if let known = request.headerFields.value(of: .ifNoneMatch), ContentNegotiation.names(form.tag, in: known) {
            return form.notModified
        }
        return request.method == .head ? form.whole.withoutBody : form.whole
    }
}
