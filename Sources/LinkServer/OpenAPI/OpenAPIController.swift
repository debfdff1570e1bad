import HTTPTypes
import Hummingbird
import LinkRouting
import NIOCore

/// Serves `GET /openapi.json`, the OpenAPI document of the port; needs no key.
struct OpenAPIController {
    let document: OpenAPIDocument

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        // All responses share one buffer, so slow clients hold no copies.
        let json = ByteBuffer(string: document.content.json())
        router.get("/openapi.json") { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: "application/json", .cacheControl: "public, max-age=300"],
                body: ResponseBody(byteBuffer: json)
            )
        }
    }
}
