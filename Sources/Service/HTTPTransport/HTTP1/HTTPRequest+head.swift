import HTTPTypes
import NIOHTTP1
import NIOHTTPTypesHTTP1

extension HTTPRequest {
    /// Converts an HTTP/1 head. Throws for everything that two parsers could read differently (RFC 9112 §3.2, §6.1).
    init(_ head: HTTPRequestHead, limits: ConnectionLimits) throws(Problem) {
        guard head.uri.utf8.count <= limits.uriBytes else {
            throw Problem(targetOf: head.uri.utf8.count, over: limits)
        }
        // The decoder's limit is for the target and the fields together.
        let headerBytes = head.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard headerBytes <= limits.headerBytes else { throw Problem(headersOver: limits) }
        guard let method = try? Method(head.method) else {
            throw Problem(.invalidRequest, "The request method is not a token.")
        }
        let host = try Self.host(of: head)
        try Self.checkText(target: head.uri, host: host)
        try Self.checkEncoding(of: head)
        let target = try Self.target(of: head, host: host)
        try Self.checkHost(target.authority)
        self.init(
            method: method,
            scheme: "http",
            authority: target.authority ?? host,
            path: target.path,
            headerFields: HTTPFields(head.headers, splitCookie: false)
        )
    }

    private static func host(of head: HTTPRequestHead) throws(Problem) -> String? {
        var host: String?
        for (name, value) in head.headers where name.utf8.count == 4 && name.lowercased() == "host" {
            guard host == nil, !value.utf8.contains(UInt8(ascii: ",")) else {
                throw Problem(.invalidRequest, "The request has more than one Host; send one.")
            }
            host = value
        }
        guard host != nil || head.version != .http1_1 else {
            throw Problem(.invalidRequest, "The request has no Host; send one.")
        }
        return host
    }

    /// Rejects a target with a fragment, which clients do not send, and a host with other characters than ASCII, which
    /// a more lenient component could map to one of our hosts.
    static func checkText(target: String, host: String?) throws(Problem) {
        guard !target.utf8.contains(UInt8(ascii: "#")) else {
            throw Problem(.invalidRequest, "The request target has a fragment; remove '#' and everything after it.")
        }
        try checkHost(host)
    }

    private static func checkHost(_ host: String?) throws(Problem) {
        guard host?.utf8.allSatisfy({ $0 > UInt8(ascii: " ") && $0 < 0x7F }) != false else {
            throw Problem(.invalidRequest, "The host has a space or a non-ASCII character; send it in Punycode.")
        }
    }

    /// Rejects every Transfer-Encoding but `chunked`. The decoder itself refuses a length beside an encoding, and two
    /// lengths.
    private static func checkEncoding(of head: HTTPRequestHead) throws(Problem) {
        guard head.headers.contains(name: "transfer-encoding") else { return }
        let encodings = head.headers[canonicalForm: "transfer-encoding"]
        guard encodings.count == 1, encodings[0].lowercased() == "chunked", head.version == .http1_1 else {
            throw Problem(.invalidRequest, "The only supported Transfer-Encoding is 'chunked', in HTTP/1.1.")
        }
    }

    /// Returns the path and query of a target in origin form or absolute form (RFC 9112 §3.2.2), and the latter's
    /// authority, which must equal the Host.
    private static func target(
        of head: HTTPRequestHead,
        host: String?
    ) throws(Problem) -> (authority: String?, path: String) {
        let target = head.uri
        if target.utf8.first == UInt8(ascii: "/") || (target == "*" && head.method == .OPTIONS) {
            return (nil, target)
        }
        for scheme in ["http://", "https://"] where target.prefix(scheme.count).lowercased() == scheme {
            let rest = target.dropFirst(scheme.count)
            let authority = rest.prefix { !"/?#".contains($0) }
            guard host == nil || host?.lowercased() == authority.lowercased() else {
                throw Problem(.hostMismatch, "The request target and Host name different hosts; send the same in both.")
            }
            let path = rest.dropFirst(authority.count)
            return (String(authority), path.first == "/" ? String(path) : "/" + path)
        }
        throw Problem(.invalidRequest, "The request target is neither a path nor an http or https URL.")
    }
}
