import HTTPTransport
import HTTPTypes

/// Calls of pages and web views of other origins (CORS, https://fetch.spec.whatwg.org/#http-cors-protocol), whose origins
/// the configuration names. No response permits cookies: a page sends its key itself, as an app does.
extension PublicService {
    /// The endpoints for apps.
    private static let sharedPaths: Set = ["/resolve", "/_fp/events", "/_fp/table", "/_fp/installs"]

    /// Returns the endpoint that answers the question of a browser whether a page may call the path; nil for other requests.
    func preflight(_ head: HTTPRequest, at path: String?) -> PublicEndpoint? {
        guard head.method == .options, head.headerFields.value(of: .accessControlRequestMethod) != nil,
            let path, Self.sharedPaths.contains(path), let origin = head.headerFields.value(of: .origin),
            admission.policy.origins.contains(origin)
        else { return nil }
        return PublicEndpoint(methods: [.options], path: path) { _, _ in
            // `share` adds the origin.
            .response(
                BufferedResponse(
                    .ok,
                    headers: [
                        .accessControlAllowMethods: "GET, POST",
                        .accessControlAllowHeaders:
                            "Authorization, Content-Type, If-None-Match, X-Request-ID, traceparent, tracestate",
                        // Two hours: Chromium keeps no answer for longer.
                        .accessControlMaxAge: "7200",
                        .cacheControl: "no-store",
                    ]
                )
            )
        }
    }

    /// Permits the page that sent the request to read the response, also a problem.
    func share(_ response: inout BufferedResponse, with request: PublicRequest) {
        let head = request.head
        let origin = head.headerFields.value(of: .origin)
        // Without an origin, only a response that a cache may keep has to say that it depends on the origin.
        guard origin != nil || head.method != .post else { return }
        // A request that the rate limit refused has no route.
        let path = request.route ?? String((head.path ?? "").prefix { $0 != "?" })
        guard Self.sharedPaths.contains(path) else { return }
        let origins = admission.policy.origins
        guard !origins.isEmpty else { return }
        var headers = response.headers
        headers[.vary] = headers[.vary].map { "\($0), Origin" } ?? "Origin"
        if let origin, origins.contains(origin) {
            headers[.accessControlAllowOrigin] = origin
            headers[.accessControlExposeHeaders] = "ETag, Retry-After, X-Request-ID"
        }
        response.headers = headers
    }
}
