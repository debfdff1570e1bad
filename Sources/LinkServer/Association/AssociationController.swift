import HTTPTypes
import Hummingbird
import LinkRouting
import NIOCore

/// The association files of the host that is asked for: 200 or 404, never a redirect.
struct AssociationController {
    let catalog: LiveCatalog

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        for path in ["/.well-known/apple-app-site-association", "/apple-app-site-association"] {
            router.get(RouterPath(path)) { request, _ in try answer(request, .apple) }
            router.head(RouterPath(path)) { request, _ in try answer(request, .apple) }
        }
        router.get("/.well-known/assetlinks.json") { request, _ in try answer(request, .android) }
        router.head("/.well-known/assetlinks.json") { request, _ in try answer(request, .android) }
    }

    private func answer(_ request: Request, _ kind: AssociationFile) throws -> Response {
        guard let host = request.hostLink?.host, let file = catalog.file(kind, forHost: host) else {
            throw Problem(.unknownHost, "No tenant of this server has this host.")
        }
        var headers = HTTPFields()
        headers[.cacheControl] = "public, max-age=300"
        return Response(json: file, headers: headers)
    }
}

extension Request {
    /// The root of the host that the request names, scanned like any link; nil when there is none or it is no host.
    var hostLink: Link? {
        // What ends a host in a link would make the rest of the authority a path, a query or a fragment.
        let ends = "/?#".utf8
        guard let authority = head.authority, !authority.isEmpty, !authority.utf8.contains(where: ends.contains) else {
            return nil
        }
        return try? Link.parse("https://\(authority)/")
    }
}
