package import LinkRouting

extension RequestPattern {
    /// The pattern as WireMock writes it back: `basicAuth` becomes `basicAuthCredentials`, and the method is stated.
    package var json: JSONNode {
        .object([
            "scheme": scheme.map(JSONNode.string),
            "host": host?.json,
            "port": port.map { .int($0) },
            "clientIp": clientAddress?.json,
            "url": urlText("url"),
            "urlPattern": urlText("urlPattern"),
            "urlPath": urlText("urlPath"),
            "urlPathPattern": urlText("urlPathPattern"),
            "urlPathTemplate": urlText("urlPathTemplate"),
            "method": .string(method),
            "pathParameters": pathParameters.map { .object($0.map { JSONNode.Member($0.name, $0.matcher.json) }) },
            "headers": named(headers),
            "queryParameters": named(queryParameters),
            "formParameters": named(formParameters),
            "cookies": cookies.map { .object($0.map { JSONNode.Member($0.name, $0.matcher.json) }) },
            "basicAuthCredentials": basicAuth.map {
                .object(["username": .string($0.username), "password": .string($0.password)])
            },
            "bodyPatterns": bodyPatterns.map { .array($0.map(\.json)) },
            "multipartPatterns": multipartPatterns.map { .array($0.map(\.json)) },
        ])
    }

    private func urlText(_ key: String) -> JSONNode? {
        url.source.flatMap { $0.key == key ? .string($0.text) : nil }
    }

    private func named(_ matchers: [NamedMatcher<ValuesMatcher>]?) -> JSONNode? {
        matchers.map { .object($0.map { JSONNode.Member($0.name, $0.matcher.json) }) }
    }
}
