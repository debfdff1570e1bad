import Crypto
package import LinkRouting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Credentials for an S3 server. The secrets are never printed.
package struct S3Credentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    let accessKeyID: String
    let secretAccessKey: String
    /// The session token of temporary credentials; nil for others.
    let sessionToken: String?

    package init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }

    package var description: String { "S3Credentials(\(accessKeyID))" }
    package var debugDescription: String { description }
}

/// Signs one request with AWS Signature Version 4, in the header `Authorization`.
///
/// See https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html; the tests verify its examples.
package struct S3Signature {
    package let credentials: S3Credentials
    package let region: String

    package init(credentials: S3Credentials, region: String) {
        self.credentials = credentials
        self.region = region
    }

    /// The request to sign. The path is already escaped; query names and values are not.
    package struct Request {
        package var method: String
        package var path: String
        package var query: [(name: String, value: String)]
        /// Must include `Host`, which is sent with this value.
        package var headers: [(name: String, value: String)]
        /// The SHA-256 of the body, in hexadecimal.
        package var bodySHA256: String

        package init(
            method: String,
            path: String,
            query: [(name: String, value: String)] = [],
            headers: [(name: String, value: String)],
            bodySHA256: String
        ) {
            self.method = method
            self.path = path
            self.query = query
            self.headers = headers
            self.bodySHA256 = bodySHA256
        }

        /// The query as `a=1&b=2`, sorted by name. Everything except unreserved characters is escaped.
        package var canonicalQuery: String {
            query.map { (S3Escaping.escape($0.name), S3Escaping.escape($0.value)) }
                .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
                .map { "\($0)=\($1)" }.joined(separator: "&")
        }
    }

    /// Returns the headers to send: those of the request and those of the signature.
    package func headers(for request: Request, at now: Timestamp) -> [(String, String)] {
        let stamp = Self.stamp(now)
        let day = String(stamp.prefix(8))
        var headers = request.headers
        headers.append(("x-amz-content-sha256", request.bodySHA256))
        headers.append(("x-amz-date", stamp))
        if let token = credentials.sessionToken { headers.append(("x-amz-security-token", token)) }
        let signed = headers.map { (name: $0.name.lowercased(), value: $0.value) }.sorted { $0.name < $1.name }
        let names = signed.map(\.name).joined(separator: ";")
        let canonical = [
            request.method, request.path, request.canonicalQuery,
            signed.map { "\($0.name):\($0.value)\n" }.joined(), names, request.bodySHA256,
        ].joined(separator: "\n")
        let scope = "\(day)/\(region)/s3/aws4_request"
        let text = "AWS4-HMAC-SHA256\n\(stamp)\n\(scope)\n\(SHA256.hash(data: Array(canonical.utf8)).hexadecimal)"
        var key = Array("AWS4\(credentials.secretAccessKey)".utf8)
        for part in [day, region, "s3", "aws4_request"] { key = Self.hmac(part, key) }
        let signature = Self.hmac(text, key).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let authorization =
            "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyID)/\(scope),SignedHeaders=\(names),Signature=\(signature)"
        return headers.map { ($0.name, $0.value) } + [("Authorization", authorization)]
    }

    /// Formats a time as `20130524T000000Z`.
    private static func stamp(_ now: Timestamp) -> String {
        now.description.prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
    }

    private static func hmac(_ text: String, _ key: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: key)))
    }
}

/// Percent-encoding for S3 signatures: encodes everything except the unreserved characters of RFC 3986.
enum S3Escaping {
    static func escape(_ text: String) -> String { escape(text, keeping: nil) }

    /// Escapes a key in a path; slashes stay.
    static func escapePath(_ key: String) -> String { escape(key, keeping: UInt8(ascii: "/")) }

    private static func escape(_ text: String, keeping kept: UInt8?) -> String {
        var escaped: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                escaped.append(byte)
            case kept: escaped.append(byte)
            default: escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}
