import Crypto
package import LinkRouting
import Metrics
package import Networking

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sends signed requests to one bucket, with retries.
package struct S3Client: Sendable {
    let location: S3Location
    private let credentials: @Sendable () -> S3Credentials
    private let http: OutboundHTTP
    private let now: @Sendable () -> Timestamp
    private let sleep: @Sendable (Duration) async throws -> Void

    /// The delays before the second, third and fourth attempt. After the last attempt the request fails.
    private static let pauses: [Duration] = [.milliseconds(200), .milliseconds(800), .milliseconds(3_200)]

    /// - Parameters:
    ///   - credentials: Called for every request, so that credentials can be replaced while exports run.
    ///   - http: Must be allowed to reach any address, because the operator configured the endpoint.
    package init(
        location: S3Location,
        credentials: @autoclosure @escaping @Sendable () -> S3Credentials,
        http: OutboundHTTP,
        now: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.location = location
        self.credentials = credentials
        self.http = http
        self.now = now
        self.sleep = sleep
    }

    struct Request {
        var method = OutboundHTTP.Method.get
        /// Nil for the bucket itself.
        var key: String?
        var query: [(name: String, value: String)] = []
        var headers: [(name: String, value: String)] = []
        var body: [UInt8] = []
    }

    struct Response {
        let status: Int
        let body: [UInt8]
        let eTag: String?
        /// Whether an earlier attempt may have succeeded although its response was lost.
        let followsLostAnswer: Bool

        /// The code in an XML error response.
        var code: String? { S3XML(body)["Code"].first }
    }

    /// Returns the response if its status is a success or in `expecting`. Otherwise throws ``S3Failure``.
    func send(_ request: Request, expecting: Set<Int> = []) async throws -> Response {
        var pauses = Self.pauses[...]
        var followsLostAnswer = false
        while true {
            let failure: S3Failure
            do {
                let response = try await attempt(request)
                let answer = Response(
                    status: response.status,
                    body: response.body,
                    eTag: response.header("ETag"),
                    followsLostAnswer: followsLostAnswer
                )
                // Completing a multipart upload may fail despite the status 200.
                let isSuccess = (200..<300).contains(response.status) && (request.method == .get || answer.code == nil)
                if isSuccess || expecting.contains(response.status) { return answer }
                failure = S3Failure(request, answer)
            } catch let error as OutboundHTTP.Failure {
                followsLostAnswer = true
                failure = S3Failure(request, error)
            }
            guard failure.mayPass, let pause = pauses.popFirst() else { throw failure }
            Counter(label: "fingerpost_s3_retries_total").increment()
            try await sleep(pause)
        }
    }

    private func attempt(_ request: Request) async throws -> OutboundHTTP.Response {
        let path = location.requestPath(request.key)
        let signed = S3Signature.Request(
            method: request.method.rawValue,
            path: path,
            query: request.query,
            headers: [("Host", location.hostHeader)] + request.headers,
            bodySHA256: SHA256.hash(data: request.body).hexadecimal
        )
        let signature = S3Signature(credentials: credentials(), region: location.region)
        return try await http.send(
            request.method,
            location.url(path, query: signed.canonicalQuery),
            signature.headers(for: signed, at: now()),
            request.method == .put || request.method == .post ? request.body : nil
        )
    }
}

/// A failed S3 request.
package struct S3Failure: Error, Sendable, CustomStringConvertible {
    package let description: String
    /// Whether the same request may succeed later.
    let mayPass: Bool

    init(_ request: S3Client.Request, _ answer: S3Client.Response) {
        let xml = S3XML(answer.body)
        let code = xml["Code"].first
        let detail = [code, xml["Message"].first].compactMap(\.self).joined(separator: ", ")
        description =
            "S3 responded with \(answer.status) to \(Self.name(request))\(detail.isEmpty ? "" : " (\(detail))")\(Self.advice(code))"
        mayPass = answer.status >= 500 || answer.status == 429 || answer.status == 408
    }

    init(_ request: S3Client.Request, _ failure: OutboundHTTP.Failure) {
        description = "the S3 request \(Self.name(request)) failed: \(failure.reason)"
        mayPass = true
    }

    init(_ message: String) {
        description = message
        mayPass = false
    }

    private static func name(_ request: S3Client.Request) -> String {
        "\(request.method.rawValue) \(request.key ?? "the bucket")"
    }

    private static func advice(_ code: String?) -> String {
        switch code {
        case "InvalidAccessKeyId", "SignatureDoesNotMatch": "; check the credentials and exports.s3.region"
        case "AccessDenied": "; the credentials need s3:PutObject, s3:GetObject, s3:ListBucket and s3:DeleteObject"
        case "NoSuchBucket": "; create the bucket, or correct exports.s3.bucket"
        case "PermanentRedirect", "AuthorizationHeaderMalformed": "; check exports.s3.region and exports.s3.endpoint"
        case "RequestTimeTooSkewed": "; set this machine's clock"
        default: ""
        }
    }
}

/// Extracts text elements from S3's XML responses by name, without building a tree.
struct S3XML {
    private let text: String

    init(_ bytes: [UInt8]) { text = String(decoding: bytes, as: UTF8.self) }

    /// The texts of all elements with that name, in order.
    subscript(name: String) -> [String] {
        var texts: [String] = []
        var rest = text[...]
        while let start = rest.firstRange(of: "<\(name)>"),
            let end = rest[start.upperBound...].firstRange(of: "</\(name)>")
        {
            texts.append(String(rest[start.upperBound..<end.lowerBound]).unescapedFromXML)
            rest = rest[end.upperBound...]
        }
        return texts
    }
}
