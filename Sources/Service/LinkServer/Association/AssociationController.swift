import HTTPTransport
import HTTPTypes
import LinkCatalog
import LinkRouting
import NIOCore

/// Serves the association files of the requested host, at their exact paths: 200 or 404, never a redirect.
struct AssociationController: Sendable {
    let live: LiveCatalog
    let files: AssociationFileCache
    let admission: Admission
    let tenants: TenantMetrics

    private static let paths: KeyValuePairs<String, AssociationFile> = [
        "/.well-known/apple-app-site-association": .apple, "/apple-app-site-association": .apple,
        "/.well-known/assetlinks.json": .android,
    ]

    var endpoints: [PublicEndpoint] {
        Self.paths.map { path, kind in
            // Devices and crawlers must find the file at no other path.
            PublicEndpoint(methods: [.get, .head], path: path, isExact: true) { request, _ in
                .response(try answer(request, kind))
            }
        }
    }

    private func answer(_ request: PublicRequest, _ kind: AssociationFile) throws -> BufferedResponse {
        let catalog = live.current
        guard let host = request.head.host(in: catalog)?.name,
            let table = catalog.tableForAssociation(ofHost: host)
        else {
            throw Problem.unknownHost(of: request.head, in: catalog)
        }
        request.scope.logFields.note(table.tenant)
        if let refusal = admission.admit(.tenant(table.tenant)) {
            tenants.count(kind, .rateLimited, of: table.tenant)
            throw Problem(refusal)
        }
        guard let file = files.file(kind, forHost: host, of: table) else {
            tenants.count(kind, .unavailable, of: table.tenant)
            throw Problem.fileNotMade
        }
        tenants.count(kind, .served, of: table.tenant)
        return file.answer(to: request.head)
    }
}

extension Problem {
    /// Occurs for tables whose files take long to generate, after a start or an update, and for a moment while an update
    /// goes live.
    static var fileNotMade: Problem {
        var problem = Problem(.busy, "The file is being generated. Try again in a few seconds.")
        problem.hints = [.retryAfter(seconds: 5)]
        return problem
    }
}

extension HTTPRequest {
    /// Returns the host of the request, in lookup form, and its port; nil if there is none or it is invalid.
    func host(in catalog: Catalog) -> (name: String, port: UInt16?)? {
        guard let authority else { return nil }
        // Most hosts are in lookup form already and need no parsing.
        if catalog.names(host: authority) { return (authority, nil) }
        // One of these bytes would turn the rest of the authority into a path, a query or a fragment.
        let ends = "/?#".utf8
        guard !authority.utf8.contains(where: ends.contains), let root = try? DeepLink.parse("https://\(authority)/")
        else {
            return nil
        }
        return root.host.map { ($0, root.port) }
    }
}
