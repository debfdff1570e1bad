import HTTPTypes
import Hummingbird
import LinkRouting

/// `GET /openapi.json`: what the port answers, for programs. Everybody may read it.
struct OpenAPIController {
    let document: OpenAPIDocument

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        let json = Array(document.content.json().utf8)
        router.get("/openapi.json") { _, _ in
            Response(json: json, headers: [.cacheControl: "public, max-age=300"])
        }
    }
}
