import HTTPTransport
import HTTPTypes
import LinkTable
import NIOCore
import Networking

/// A signed table in the form in which it is served. Only the compressed form is kept, because nearly every app asks for
/// it, and it takes a tenth of the memory.
struct CachedAppTable: Sendable {
    /// The tag of the uncompressed bytes, for both forms: an app computes it from the table that it has.
    private let tag: String
    private let gzipped: ByteBuffer

    init(_ bytes: [UInt8]) throws {
        tag = SignedTable.entityTag(of: bytes)
        gzipped = ByteBuffer(bytes: try GzipStream.compressed(bytes, level: 9))
    }

    /// The memory that it takes.
    var byteCount: Int { gzipped.readableBytes }

    /// Whether the response to the request is the whole table, uncompressed, which takes a while to make.
    func mustBeUnpacked(for request: HTTPRequest) -> Bool {
        !isKnown(to: request) && !ContentNegotiation.acceptsGzip(request)
    }

    /// Returns 200 with the table, or 304 if the client has it.
    ///
    /// - Parameter isPrivate: Whether the table is only for clients with a key, so that no shared cache may keep it.
    func response(to request: HTTPRequest, isPrivate: Bool) throws -> BufferedResponse {
        var headers: HTTPFields = [
            .eTag: tag, .cacheControl: isPrivate ? "private, max-age=60" : "public, max-age=60",
            .vary: "Accept-Encoding",
        ]
        guard !isKnown(to: request) else { return BufferedResponse(.notModified, headers: headers) }
        headers[.contentType] = SignedTable.mediaType
        guard ContentNegotiation.acceptsGzip(request) else {
            return BufferedResponse(.ok, headers: headers, body: try unpacked())
        }
        headers[.contentEncoding] = "gzip"
        return BufferedResponse(.ok, headers: headers, body: gzipped)
    }

    private func unpacked() throws -> ByteBuffer {
        var body = ByteBuffer()
        let stream = try GunzipStream()
        try stream.write(Array(buffer: gzipped)) { body.writeBytes($0) }
        return body
    }

    private func isKnown(to request: HTTPRequest) -> Bool {
        request.headerFields.value(of: .ifNoneMatch).map { ContentNegotiation.names(tag, in: $0) } ?? false
    }
}
