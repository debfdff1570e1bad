import HTTPTransport
import HTTPTypes
import Hummingbird

extension Hummingbird.Router<ServerRequestContext> {
    /// Answers 405 with `Allow` if a path is requested with a method that it does not support. Call it after all routes
    /// are added. Paths that only a catch-all takes stay 404.
    func refuseOtherMethods() {
        let query = HTTPRequest.Method(rawValue: "QUERY")
        let known = [.get, .head, .post, .put, .patch, .delete, .options, .trace] + (query.map { [$0] } ?? [])
        for (text, endpoints) in Dictionary(grouping: routes, by: \.path.description) where !text.contains("**") {
            guard let path = endpoints.first?.path else { continue }
            let taken = known.filter { method in endpoints.contains { $0.method == method } }
            let allowed = taken.map(\.rawValue).joined(separator: ", ")
            let hasParameters = text.contains(":") || text.contains("{")
            let hint = text == "/admin/v1/tenants/{tenant}" ? "…/settings and …/table have its contents." : nil
            for method in known where !taken.contains(method) {
                on(path, method: method) { request, _ -> Response in
                    // The router ignores empty segments.
                    guard hasParameters || request.uri.path == text else { throw HTTPError(.notFound) }
                    throw Problem.methodNotAllowed(besides: allowed, hint: method == .get ? hint : nil)
                }
            }
        }
    }
}

extension Problem {
    /// - Parameters:
    ///   - allowed: The methods that the path supports, separated by commas.
    ///   - hint: A sentence about what was probably meant.
    static func methodNotAllowed(besides allowed: String, hint: String? = nil) -> Problem {
        var problem = Problem(
            .methodNotAllowed,
            "This path does not support the method. It supports \(allowed).\(hint.map { " \($0)" } ?? "")"
        )
        problem.hints = [.allowedMethods(allowed)]
        return problem
    }
}
