import StubMatching

/// Keeps web pages from the admin API, with which they could read and write what their browser reaches, but not they.
///
/// A page can read answers if the name of its own site leads to the server (DNS rebinding); then `Host` is that name. It can
/// send some requests to any site; then `Origin` is its own site. Its GET requests may have no `Origin`, but they change
/// nothing, and it cannot read their answers.
struct AdminCallers: Sendable {
    /// The hosts of the server, besides the address at which a connection arrived.
    let hosts: [ServerName]

    /// The answer to a request that a page of another site may have sent; nil for every other request. One without `Host` is
    /// not from a browser.
    func refusal(of request: ReceivedRequest) -> StubAnswer? {
        func isForeign(_ authority: String) -> Bool { !isOwn(authority, at: request.localAddress) }
        let advice =
            "Use a host of the server, such as localhost, or name yours with --https-name when the server starts."
        for host in request.values(of: "host") + [request.target].compactMap(Self.authority)
        where isForeign(host) {
            return Self.refusal("the admin API does not answer for the host '\(host.prefix(200))'. \(advice)")
        }
        for origin in request.values(of: "origin") where Self.authority(of: origin).map(isForeign) ?? true {
            return Self.refusal("the admin API does not answer pages of '\(origin.prefix(200))'. \(advice)")
        }
        return nil
    }

    private func isOwn(_ authority: String, at localAddress: String) -> Bool {
        let host = ReceivedRequest.hostAndPort(authority).host
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        guard let name = ServerName(isBracketed ? String(host.dropFirst().dropLast()) : host) else { return false }
        return name == ServerName(localAddress) || hosts.contains { $0.covers(name) }
    }

    /// The part of a URL or an origin between `://` and the path; nil if there is none, as in a path and the origin `null`.
    private static func authority(of url: String) -> String? {
        guard !url.utf8.starts(with: "/".utf8), let scheme = url.firstRange(of: "://") else { return nil }
        return String(url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" })
    }

    private static func refusal(_ title: String) -> StubAnswer {
        .json(MappingError(code: MappingError.invalidValue, title: title, pointer: nil, detail: nil).json, status: 403)
    }
}
