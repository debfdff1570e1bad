import StubMatching

/// Lets pages of every site read the answers of stubs (CORS), by the rules of WireMock 2.35.1 (Jetty's
/// CrossOriginFilter).
struct CrossOriginAccess: Sendable {
    private let origin: String
    private let request: ReceivedRequest

    /// Nil for a request that no page sent.
    init?(for request: ReceivedRequest) {
        guard let origin = request.values(of: "origin").first else { return nil }
        self.origin = origin
        self.request = request
    }

    /// The answer to a browser that asks whether a page may send a request; nil for all other requests.
    var preflight: StubAnswer? {
        guard request.method == "OPTIONS", !request.values(of: "access-control-request-method").isEmpty else {
            return nil
        }
        var answer = allowing(.empty(200))
        answer.headers += [
            HeaderField("Access-Control-Max-Age", "1800"),
            HeaderField("Access-Control-Allow-Methods", "OPTIONS,GET,POST,PUT,PATCH,DELETE"),
            HeaderField(
                "Access-Control-Allow-Headers",
                request.values(of: "access-control-request-headers").joined(separator: ",")
            ),
        ]
        return answer
    }

    /// Adds the headers, unless the stub has its own ones: browsers refuse two.
    func allowing(_ answer: StubAnswer) -> StubAnswer {
        guard answer.header("access-control-allow-origin") == nil else { return answer }
        var answer = answer
        answer.headers += [
            HeaderField("Access-Control-Allow-Origin", origin),
            HeaderField("Access-Control-Allow-Credentials", "true"),
            HeaderField("Vary", "Origin"),
        ]
        return answer
    }
}
