import HTTPTypes
import Hummingbird
import LinkRouting
import NIOCore

/// `GET /openapi.json`: what the port answers, for programs. Everybody may read it.
struct OpenAPIController {
    let document: OpenAPIDocument

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        // One buffer for all: clients that do not take their answer hold no copy of it.
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
