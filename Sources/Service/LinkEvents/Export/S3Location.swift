/// The address of a bucket, and the prefix of the exports in it.
package struct S3Location: Sendable {
    /// The way in which a request names the bucket.
    package enum Addressing: String, Sendable, CaseIterable {
        /// `https://host/bucket/key`
        case path
        /// `https://bucket.host/key`
        case virtualHost
    }

    package let region: String
    private let scheme: String
    private let host: String
    private let root: String
    private let prefix: String

    /// An invalid setting, with a one-line message for its key.
    package struct Invalid: Error {
        package let key: String
        package let message: String
    }

    /// - Parameters:
    ///   - endpoint: `https://HOST` or `http://HOST:PORT`, without a path.
    ///   - prefix: Precedes every key; leading and trailing slashes are ignored.
    package init(
        endpoint: String,
        bucket: String,
        region: String,
        prefix: String,
        addressing: Addressing
    ) throws {
        let parts = endpoint.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[1].isEmpty, parts[0] == "https:" || parts[0] == "http:", !parts[2].isEmpty,
            parts.dropFirst(3).allSatisfy(\.isEmpty),
            parts[2].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "@") && $0 != UInt8(ascii: "?") })
        else {
            throw Invalid(key: "endpoint", message: "write https://HOST or http://HOST:PORT, without a path")
        }
        guard (3...63).contains(bucket.utf8.count), bucket.utf8.allSatisfy(Self.isBucketByte) else {
            throw Invalid(key: "bucket", message: "write a name of 3 to 63 characters: a-z, 0-9, '.' and '-'")
        }
        guard !region.isEmpty, region.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }) else {
            throw Invalid(key: "region", message: "write the bucket's region, such as us-east-1")
        }
        let folders = prefix.split(separator: "/")
        guard folders.allSatisfy({ $0 != "." && $0 != ".." }) else {
            throw Invalid(key: "prefix", message: "write a path such as fingerpost/production")
        }
        self.region = region
        scheme = parts[0] == "https:" ? "https" : "http"
        switch addressing {
        case .path:
            host = String(parts[2])
            root = "/\(bucket)"
        case .virtualHost:
            host = "\(bucket).\(parts[2])"
            root = ""
        }
        self.prefix = folders.map { $0 + "/" }.joined()
    }

    private static func isBucketByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// The key of a path in the sink.
    func key(_ path: String) -> String { prefix + path }
    /// The path of a key in the sink; nil for a key that is not below the prefix.
    func path(_ key: String) -> String? {
        guard key.utf8.starts(with: prefix.utf8) else { return nil }
        return String(decoding: key.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }

    /// The value of `Host`. It omits the scheme's default port, as clients do.
    var hostHeader: String {
        let own = scheme == "https" ? ":443" : ":80"
        return host.hasSuffix(own) ? String(host.dropLast(own.count)) : host
    }

    /// The escaped path of a key; of the bucket if `key` is nil.
    func requestPath(_ key: String?) -> String {
        guard let key else { return root.isEmpty ? "/" : root + "/" }
        return root + "/" + S3Escaping.escapePath(key)
    }

    func url(_ requestPath: String, query: String) -> String {
        "\(scheme)://\(hostHeader)\(requestPath)\(query.isEmpty ? "" : "?" + query)"
    }
}
