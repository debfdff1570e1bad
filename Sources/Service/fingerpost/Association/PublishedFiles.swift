import AppAssociation
package import LinkRouting
import Networking

/// The published association files, generated from a tenant file or fetched from a server.
package enum PublishedFiles {
    case table(String, Router)
    /// The server's public address.
    case server(String)

    /// Returns nil if neither is given.
    package init?(table: String?, server: String?, now: Timestamp) throws {
        if let table {
            self = .table(table, try OfflineTable(table, now: now).router)
        } else if let server {
            self = .server(server)
        } else {
            return nil
        }
    }

    /// Returns the file that `host` should serve; nil if no tenant owns the host.
    package func file(_ platform: AssociationPlatform, of host: String) async throws -> [UInt8]? {
        switch self {
        case .table(_, let router):
            let owner = router.identity.domain(for: host)?.host ?? wildcardFile(host, router)
            return owner.map { platform.generated(for: $0, router) }
        case .server(let server):
            do {
                let response = try await OutboundHTTP().get(
                    "\(server)/.well-known/\(platform.fileName)",
                    headers: [("Host", host)]
                )
                switch response.status {
                case 200: return response.body
                case 404:
                    let problem = try? JSONReader.parse(response.body, limits: JSONReader.Limits(maximumBytes: 1 << 16))
                    guard let detail = problem?["detail"]?.text, detail.hasPrefix("This is the ") else { return nil }
                    throw fail("\(server) is not the public address of a server. \(detail)", .unavailable)
                default: throw fail("\(server) responds with \(response.status) for '\(host)'.", .unavailable)
                }
            } catch let error as OutboundHTTP.Failure {
                throw fail(error.description, .unavailable)
            }
        }
    }

    /// Returns the host if it is the base of a wildcard domain: the file of `*.x` is on `x`.
    private func wildcardFile(_ host: String, _ router: Router) -> String? {
        router.identity.domains.contains { $0.coversSubdomains && $0.host == host } ? host : nil
    }
}
