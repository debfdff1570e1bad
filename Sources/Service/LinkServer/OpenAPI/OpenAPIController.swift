import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkRouting
import NIOCore

/// Serves `GET /openapi.json`, the OpenAPI document of the port; needs no key.
struct OpenAPIController {
    let document: OpenAPIDocument

    /// All responses share one buffer, so slow clients hold no copies.
    private var response: BufferedResponse {
        BufferedResponse(
            .ok,
            headers: [.contentType: "application/json", .cacheControl: "public, max-age=300"],
            body: ByteBuffer(string: document.json + "\n")
        )
    }

    var endpoint: PublicEndpoint {
        PublicEndpoint(methods: [.get], path: "/openapi.json") { [response] _, _ in .response(response) }
    }

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.get("/openapi.json") { [response] _, _ in Response(response) }
    }
}
