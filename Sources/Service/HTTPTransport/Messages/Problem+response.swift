package import HTTPTypes
import NIOCore

extension Problem {
    package func answer(requestID: String) -> BufferedResponse {
        var headers = headers
        headers[.contentType] = "application/problem+json"
        headers[.cacheControl] = "no-store"
        return BufferedResponse(status, headers: headers, body: ByteBuffer(bytes: json(requestID: requestID)))
    }

    /// The status of the response, with its reason phrase.
    package var status: HTTPResponse.Status { Self.statuses[code.status] ?? HTTPResponse.Status(code: code.status) }

    private static let statuses: [Int: HTTPResponse.Status] = Dictionary(
        uniqueKeysWithValues: [
            .badRequest, .unauthorized, .forbidden, .notFound, .methodNotAllowed, .requestTimeout, .conflict, .gone,
            .preconditionFailed, .contentTooLarge, .uriTooLong, .unsupportedMediaType, .unprocessableContent,
            .tooManyRequests, .requestHeaderFieldsTooLarge, .internalServerError, .serviceUnavailable,
        ].map { (status: HTTPResponse.Status) in (status.code, status) }
    )

    /// The header fields of the hints.
    package var headers: HTTPFields {
        var headers = HTTPFields()
        for hint in hints {
            switch hint {
            case .retryAfter(let seconds): headers[.retryAfter] = "\(seconds)"
            case .allowedMethods(let methods): headers[.allow] = methods
            case .needsKey: headers[.wwwAuthenticate] = "Bearer"
            // draft-ietf-httpapi-ratelimit-headers
            case .rateLimit(let scope, let burst, let window, let seconds):
                headers[.retryAfter] = "\(seconds)"
                headers[.rateLimitPolicy] = "\"\(scope)\";q=\(burst);w=\(window)"
                headers[.rateLimit] = "\"\(scope)\";r=0;t=\(seconds)"
            }
        }
        return headers
    }
}

extension HTTPField.Name {
    fileprivate static let rateLimit = HTTPField.Name.constant("RateLimit")
    fileprivate static let rateLimitPolicy = HTTPField.Name.constant("RateLimit-Policy")
}
