import Hummingbird
import LinkRouting

/// The query parameters that each operation of the admin port takes. They are read from its OpenAPI document, so that the
/// document and the port agree.
struct QueryNames: Sendable {
    /// By operation, such as `PUT /admin/v1/tenants/{tenant}/draft`.
    private let known: [String: [String]]

    static let adminPort = QueryNames(.adminPort)

    private init(_ document: OpenAPIDocument) {
        let content = document.content
        func names(_ parameters: JSONNode?) -> [String] {
            (parameters?.elements ?? []).compactMap { parameter in
                let name = parameter["$ref"]?.text?.split(separator: "/").last.map(String.init)
                let whole = name.flatMap { content["components"]?["parameters"]?[$0] } ?? parameter
                return whole["in"]?.text == "query" ? whole["name"]?.text : nil
            }
        }
        var known: [String: [String]] = [:]
        for path in content["paths"]?.members ?? [] {
            let shared = names(path.value["parameters"])
            for operation in path.value.members ?? [] where operation.key != "parameters" {
                known["\(operation.key.uppercased()) \(path.key)"] = shared + names(operation.value["parameters"])
            }
        }
        self.known = known
    }

    /// Refuses a name that the operation does not know, which would go unnoticed, and one that comes twice.
    func check(_ request: Request, _ context: ServerRequestContext) throws {
        guard request.uri.query != nil else { return }
        // The router takes any rest there, of which the controller reads three names.
        let path = (context.endpointPath ?? "").replacing("**", with: "{day}/{hour}/{file}")
        let known = known["\(request.method) \(path)"] ?? []
        var seen: Set<String> = []
        for (key, _) in request.uri.queryParameters where !key.isEmpty {
            let name = String(key)
            guard known.contains(name) else {
                let hint =
                    name.nearest(among: known).map { "did you mean '\($0)'?" }
                    ?? (known.isEmpty ? "it takes none." : "it takes \(known.sorted().joined(separator: ", ")).")
                throw Problem(.invalidRequest, "'\(name)' is not a query parameter of this operation; \(hint)")
            }
            guard seen.insert(name).inserted else {
                throw Problem(.invalidRequest, "The query parameter '\(name)' comes twice; leave one out.")
            }
        }
    }
}
