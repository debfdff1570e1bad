import HTTPTransport
import Hummingbird
import LinkRouting

/// The query parameters of each operation of the admin port. They are read from its OpenAPI document, so that document
/// and port agree.
struct QueryNames: Sendable {
    /// Parameters by operation, such as `PUT /admin/v1/tenants/{tenant}/draft`.
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

    /// Throws for a parameter that the operation does not know, which would otherwise be ignored, and for a duplicate.
    func check(_ request: Request, _ context: ServerRequestContext) throws {
        guard request.uri.query != nil else { return }
        // The router has a catch-all here, where the document names three parameters.
        let endpoint = context.endpointPath ?? ""
        let path = endpoint.hasSuffix("**") ? endpoint.dropLast(2) + "{day}/{hour}/{file}" : endpoint
        let known = known["\(request.method) \(path)"] ?? []
        var seen: Set<String> = []
        for (key, _) in request.uri.queryParameters where !key.isEmpty {
            let name = String(key)
            guard known.contains(name) else {
                guard name != "environment" || !path.contains("{tenant}") else {
                    throw Problem(
                        .invalidRequest,
                        "Remove 'environment': this operation is for the whole tenant, in all of its environments."
                    )
                }
                let hint =
                    name.nearest(among: known).map { "did you mean '\($0)'?" }
                    ?? (known.isEmpty ? "it has none." : "it has \(known.sorted().joined(separator: ", ")).")
                throw Problem(.invalidRequest, "'\(name)' is not a query parameter of this operation; \(hint)")
            }
            guard seen.insert(name).inserted else {
                throw Problem(.invalidRequest, "The query parameter '\(name)' occurs twice; remove one.")
            }
        }
    }
}
