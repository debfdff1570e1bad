import Foundation
import LinkRouting

/// Checks a resulting URL against the tenant's allowed destinations, with Foundation's URL parser and our own.
struct DestinationOracle {
    /// Hosts of web pages; only `https` on its default port is allowed.
    var hosts: Set<String>
    var schemes: Set<String>

    static let stores: Set<String> = ["apps.apple.com", "play.google.com"]

    /// Why the URL is not allowed as a page; nil if it is.
    func objection(toPage url: String) -> String? {
        objection(url) { parts, link in
            guard parts.scheme == "https", link.scheme == "https" else { return "is not https" }
            guard let host = parts.host, hosts.contains(host), link.host == host else { return "leads to another host" }
            return nil
        }
    }

    func objection(toStore url: String) -> String? {
        objection(url) { parts, link in
            guard parts.scheme == "https", let host = parts.host, Self.stores.contains(host), link.host == host else {
                return "is not a store's"
            }
            return nil
        }
    }

    func objection(toURI url: String) -> String? {
        objection(url) { parts, link in
            guard let scheme = parts.scheme?.lowercased(), schemes.contains(scheme), link.scheme == scheme else {
                return "has another scheme"
            }
            guard link.host == nil else { return "has a web host" }
            // In a custom scheme the host is the first segment; both parsers must find the same one.
            let host = parts.encodedHost.flatMap { $0.isEmpty ? nil : $0.removingPercentEncoding }
            let segment = link.hasAuthoritySegment ? link.segmentText(0) : nil
            return host == segment ? nil : "has the host \(host ?? "none") or \(segment ?? "none")"
        }
    }

    private func objection(_ url: String, _ judge: (URLComponents, DeepLink) -> String?) -> String? {
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return "\(url) has a control character or space" }
        guard let parts = URLComponents(string: url) else { return "\(url) is no URL to Foundation" }
        guard let link = try? DeepLink.parse(url) else { return "\(url) is no link" }
        guard parts.user == nil, parts.password == nil else { return "\(url) has a user" }
        guard parts.port == nil, link.port == nil else { return "\(url) has a port" }
        return judge(parts, link).map { "\(url) \($0)" }
    }
}
