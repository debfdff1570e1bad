import HTTPTypes
import Hummingbird

@testable import LinkServer

/// A method and path of a port, as its router declares them. Tests read them from the router so that no endpoint is
/// forgotten.
struct PortOperation: Hashable, CustomStringConvertible {
    let method: HTTPRequest.Method
    /// `/admin/v1/tenants/{tenant}/suites/{name}`, with `{path}` for a rest parameter.
    let path: String

    var description: String { "\(method) \(path)" }

    static func all(of router: Hummingbird.Router<ServerRequestContext>) -> Set<PortOperation> {
        Set(
            router.routes.map { route in
                let segments = "\(route.path)".split(separator: "/").map { segment in
                    segment.hasPrefix(":") ? "{\(segment.dropFirst())}" : segment == "**" ? "{path}" : String(segment)
                }
                return PortOperation(method: route.method, path: "/" + segments.joined(separator: "/"))
            }
        )
    }

    static func all(of router: PublicRouter) -> Set<PortOperation> {
        Set(
            router.endpoints.flatMap { endpoint in
                endpoint.methods.map {
                    PortOperation(method: $0, path: endpoint.path == PublicEndpoint.anyPath ? "/{path}" : endpoint.path)
                }
            }
        )
    }

    /// The names in braces.
    var parameters: [String] { path.matches(of: /\{(\w+)\}/).map { String($0.output.1) } }

    func path(filling value: (String) -> String) -> String {
        parameters.reduce(path) { $0.replacing("{\($1)}", with: value($1)) }
    }
}
