/// Sends the requests of a ``LinkClient``. The default is `URLSession`; tests and other platforms bring their own.
public protocol LinkTransport: Sendable {
    /// Sends one request, and returns the response of the server, also for an error status.
    ///
    /// Redirects are not followed. A transport ends with an error when the body exceeds the request's `maximumBytes`,
    /// without holding more than that in memory.
    func send(_ request: LinkRequest) async throws -> LinkResponse
}

/// A request to the server.
public struct LinkRequest: Sendable, Hashable {
    public var method: Method
    public var url: String
    public var headers: [String: String]
    public var body: [UInt8]
    /// Maximum size of the response's body, after decompression.
    public var maximumBytes: Int
    /// Maximum time until the response is complete.
    public var timeout: Duration

    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    public init(
        method: Method,
        url: String,
        headers: [String: String] = [:],
        body: [UInt8] = [],
        maximumBytes: Int,
        timeout: Duration
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.maximumBytes = maximumBytes
        self.timeout = timeout
    }
}

/// A response of the server.
public struct LinkResponse: Sendable, Hashable {
    public var status: Int
    /// The header fields by lower-case name.
    public var headers: [String: String]
    /// The body after decompression.
    public var body: [UInt8]

    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The seconds of `Retry-After`; nil if it is missing or a date.
    var retryAfter: Int? { headers["retry-after"].flatMap { Int($0) } }
}

/// A transport ends with this error when the response is larger than the request permits.
public struct LinkResponseTooLarge: Error, Sendable, CustomStringConvertible {
    public let maximumBytes: Int
    public var description: String { "The response has more than \(maximumBytes) bytes." }

    public init(maximumBytes: Int) { self.maximumBytes = maximumBytes }
}
