import Crypto
import HTTPTypes
import Hummingbird
import LinkRouting

/// A response that dashboards request repeatedly: it has a strong ETag, and is 304 for a client that has it.
struct AnalyticsResponse {
    private let bytes: [UInt8]
    private let isSettled: Bool

    /// Seconds for which the response about a past range may be cached without revalidation.
    private static let settledAge = 300

    /// - Parameter until: End of the counted range.
    init(_ writer: JSONWriter, until: Timestamp, now: Timestamp) {
        bytes = writer.finish()
        // An event recorded just before midnight may be committed just after it.
        isSettled = until.milliseconds + 60_000 <= now.milliseconds && until <= now.day.start
    }

    func response(to request: Request) -> Response {
        let tag = ContentNegotiation.tag(of: bytes)
        let headers: HTTPFields = [
            .eTag: tag,
            .cacheControl: isSettled ? "private, max-age=\(Self.settledAge)" : "private, no-cache",
            .vary: "Authorization",
        ]
        let known = request.headers[values: .ifNoneMatch]
        guard !known.contains(where: { ContentNegotiation.names(tag, in: $0) }) else {
            return Response(status: .notModified, headers: headers)
        }
        return Response(json: bytes, headers: headers)
    }
}
