import Crypto
import HTTPTransport
import HTTPTypes
import Networking

/// Determines which form of a file a response has: compressed or not, or none if the client has the file.
enum ContentNegotiation {
    /// Returns a strong entity tag of a file.
    static func tag(of bytes: [UInt8]) -> String {
        let digest = SHA256.hash(data: bytes).prefix(16)
        return "\"" + digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\""
    }

    static func acceptsGzip(_ request: HTTPRequest) -> Bool {
        request.headerFields.value(of: .acceptEncoding).map { AcceptEncoding.allows("gzip", in: $0) } ?? false
    }

    /// Whether the list of tags in `If-None-Match` contains one, by the weak comparison that `If-None-Match` requires.
    static func names(_ tag: String, in list: String) -> Bool {
        list.split(separator: ",").contains { item in
            let item = item.drop(while: \.isWhitespace)
            let name = item.hasPrefix("W/") ? item.dropFirst(2) : item
            return name.prefix(tag.count) == tag || item.first == "*"
        }
    }
}
