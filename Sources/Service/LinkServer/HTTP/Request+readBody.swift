import HTTPTransport
import HTTPTypes
import Hummingbird
import NIOCore

extension Request {
    /// Returns the whole body. Throws a ``Problem`` as soon as the body, or its `Content-Length`, exceeds `limit`
    /// bytes.
    ///
    /// It is not named `collectBody`, because Hummingbird's method of that name, which ignores `Content-Length`, would
    /// hide it.
    mutating func readBody(upTo limit: Int) async throws -> ByteBuffer {
        try headers.checkBody(upTo: limit)
        var whole = ByteBuffer()
        for try await part in body {
            guard part.readableBytes <= limit - whole.readableBytes else {
                throw Problem(bodyOver: limit)
            }
            // Growing the buffer step by step would hold a large body twice. A Content-Length alone does not justify an
            // allocation.
            if whole.readableBytes >= Self.trusted, let length = headers[.contentLength].flatMap({ Int($0) }) {
                whole.reserveCapacity(length)
            }
            whole.writeImmutableBuffer(part)
        }
        return whole
    }

    /// Bytes of a body that must have arrived before its Content-Length is trusted.
    private static let trusted = 1 << 20
}

extension HTTPFields {
    /// Throws if the fields announce a body that is encoded or longer than `limit` bytes.
    func checkBody(upTo limit: Int) throws(Problem) {
        guard value(of: .contentEncoding).map({ $0.lowercased() == "identity" }) ?? true else {
            throw Problem(
                .unsupportedEncoding,
                "Encoded bodies are not supported; send the body without Content-Encoding."
            )
        }
        // A Content-Length consists of digits and may not fit into an integer.
        if let length = value(of: .contentLength), Int(length).map({ $0 > limit }) ?? true {
            throw Problem(bodyOf: length, over: limit)
        }
    }
}

extension Problem {
    /// - Parameter length: The value of `Content-Length`.
    init(bodyOf length: String, over limit: Int) {
        self.init(.bodyTooLarge, "The body has \(length) bytes; at most \(limit) are allowed.")
    }

    init(bodyOver limit: Int) {
        self.init(.bodyTooLarge, "The body has more than \(limit) bytes, which is the maximum.")
    }
}
