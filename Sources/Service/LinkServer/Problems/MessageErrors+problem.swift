package import HTTPTransport
import Hummingbird
package import NIOCore
package import NIOHTTP1
package import NIOHTTP2

// Messages that did not arrive as a whole. Nobody reads the responses to lost and cancelled ones.

extension LateBody: ProblemConvertible {
    package var problem: Problem {
        Problem(.requestTimeout, "The body took longer than \(seconds) seconds to arrive.")
    }
}

extension LostBody: ProblemConvertible {
    package var problem: Problem {
        Problem(.invalidRequest, "The connection was closed before the end of the body.")
    }
}

extension NIOHTTP2Errors.StreamClosed: ProblemConvertible {
    package var problem: Problem { Problem(.invalidRequest, "The client cancelled the request.") }
}

extension HTTPParserError: ProblemConvertible {
    package var problem: Problem { Problem(.invalidRequest, "The chunked encoding of the body is invalid.") }
}

extension NIOTooManyBytesError: ProblemConvertible {
    package var problem: Problem { Problem(.bodyTooLarge, "The body is larger than this endpoint accepts.") }
}

extension Problem {
    /// Returns nil for a status that no client has caused.
    init?(_ error: any HTTPResponseError) {
        switch error.status {
        case .notFound: self.init(.notFound, "Not found. docs/api.md lists all endpoints.")
        case .methodNotAllowed:
            self.init(
                .methodNotAllowed,
                "This path does not support the method. docs/api.md lists the supported methods."
            )
        case .contentTooLarge: self.init(.bodyTooLarge, "The request cannot be read.")
        case let status where status.kind == .clientError: self.init(.invalidRequest, "The request cannot be read.")
        default: return nil
        }
    }
}
