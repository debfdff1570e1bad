import Hummingbird
import NIOCore

extension Request {
    /// The whole body; one that is larger, or says that it will be, is refused before more of it is read.
    ///
    /// Not named `collectBody`: Hummingbird's method of that name, which ignores `Content-Length`, would hide it.
    ///
    /// - Parameter reserve: Called with the bytes of each part before it is buffered; what it throws refuses the body.
    mutating func readBody(
        upTo limit: Int,
        reserving reserve: (Int) throws -> Void = { _ in }
    ) async throws -> ByteBuffer {
        guard headers[.contentEncoding].map({ $0.lowercased() == "identity" }) ?? true else {
            throw Problem(.unsupportedEncoding, "Bodies are read as they are; send it without Content-Encoding.")
        }
        // A length is digits, and may have more of them than fit into an integer.
        if let length = headers[.contentLength], Int(length).map({ $0 > limit }) ?? true {
            throw Problem(.bodyTooLarge, "The body has \(length) bytes; at most \(limit) are allowed.")
        }
        var whole = ByteBuffer()
        for try await part in body {
            guard part.readableBytes <= limit - whole.readableBytes else {
                throw Problem(.bodyTooLarge, "The body has more than \(limit) bytes, which is all that is allowed.")
            }
            try reserve(part.readableBytes)
            // Growing by halves would hold a large body twice; a length alone is no reason to take memory.
            if whole.readableBytes >= Self.trusted, let length = headers[.contentLength].flatMap({ Int($0) }) {
                whole.reserveCapacity(length)
            }
            whole.writeImmutableBuffer(part)
        }
        return whole
    }

    /// How much of a body must have come before its length is believed.
    private static let trusted = 1 << 20
}
