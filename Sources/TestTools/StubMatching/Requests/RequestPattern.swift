import LinkRouting

/// The requests that a stub answers.
package struct RequestPattern: Sendable {
    package let scheme: String?
    package let host: ValueMatcher?
    package let port: Int?
    package let clientAddress: ValueMatcher?
    package let url: URLPattern
    /// `ANY` matches every method.
    package let method: String
    package let headers: [NamedMatcher<ValuesMatcher>]?
    package let pathParameters: [NamedMatcher<ValueMatcher>]?
    package let queryParameters: [NamedMatcher<ValuesMatcher>]?
    package let formParameters: [NamedMatcher<ValuesMatcher>]?
    package let cookies: [NamedMatcher<ValueMatcher>]?
    package let basicAuth: BasicAuth?
    package let bodyPatterns: [ValueMatcher]?
    package let multipartPatterns: [MultipartPattern]?

    package struct BasicAuth: Sendable {
        package let username: String
        package let password: String

        /// The value of `Authorization` for the credentials.
        var headerValue: String { "Basic " + Base64.encode(Array("\(username):\(password)".utf8)) }

        /// The scheme is compared without case, the credentials byte for byte.
        func matches(_ value: String) -> Bool {
            let words = value.split(separator: " ", maxSplits: 1)
            guard words.count == 2, isEqualIgnoringASCIICase(String(words[0]), "basic"),
                let credentials = Base64.decode(words[1].trimmingBlanks)
            else { return false }
            return credentials.elementsEqual("\(username):\(password)".utf8)
        }
    }

    /// A pattern that every request matches.
    package static let anything = RequestPattern()

    private init() {
        (scheme, host, port, clientAddress, url, method) = (nil, nil, nil, nil, .any, "ANY")
        (headers, pathParameters, queryParameters, formParameters, cookies) = (nil, nil, nil, nil, nil)
        (basicAuth, bodyPatterns, multipartPatterns) = (nil, nil, nil)
    }

    package init(_ field: MappingField) throws(MappingError) {
        try field.requireKeys(Self.keys, unsupported: Self.unsupported)
        scheme = try field["scheme"]?.text()
        host = try field["host"].map { host throws(MappingError) in try ValueMatcher(host) }
        port = try field["port"]?.int(in: 0...65_535)
        clientAddress = try field["clientIp"].map { address throws(MappingError) in try ValueMatcher(address) }
        url = try URLPattern(of: field)
        method = try Self.method(field["method"])
        headers = try Self.named(field["headers"]) { value throws(MappingError) in try ValuesMatcher(value) }
        pathParameters = try Self.named(field["pathParameters"]) { value throws(MappingError) in try ValueMatcher(value)
        }
        queryParameters = try Self.named(field["queryParameters"]) { value throws(MappingError) in
            try ValuesMatcher(value)
        }
        formParameters = try Self.named(field["formParameters"]) { value throws(MappingError) in
            try ValuesMatcher(value)
        }
        cookies = try Self.named(field["cookies"]) { value throws(MappingError) in try ValueMatcher(value) }
        basicAuth = try (field["basicAuthCredentials"] ?? field["basicAuth"]).map { auth throws(MappingError) in
            try auth.requireKeys(["username", "password"])
            guard let username = try auth["username"]?.text(), let password = try auth["password"]?.text() else {
                throw auth.error("basicAuth needs a username and a password.")
            }
            return BasicAuth(username: username, password: password)
        }
        bodyPatterns = try field["bodyPatterns"].map { list throws(MappingError) in
            try list.list().map { entry throws(MappingError) in try ValueMatcher(entry) }
        }
        multipartPatterns = try field["multipartPatterns"].map { list throws(MappingError) in
            try list.list().map { entry throws(MappingError) in try MultipartPattern(entry) }
        }
    }

    private static let keys: Set<String> = [
        "scheme", "host", "port", "clientIp", "url", "urlPattern", "urlPath", "urlPathPattern", "urlPathTemplate",
        "method", "headers", "pathParameters", "queryParameters", "formParameters", "cookies", "basicAuth",
        "basicAuthCredentials", "bodyPatterns", "multipartPatterns",
    ]

    private static let unsupported = ["customMatcher": "the custom extension 'custom matcher'"]

    private static func method(_ field: MappingField?) throws(MappingError) -> String {
        guard let field else { return "ANY" }
        guard let text = field.node.text, !text.isEmpty else {
            throw field.error("the method must be a string such as GET.")
        }
        return text
    }

    private static func named<Matcher>(
        _ field: MappingField?,
        _ decode: (MappingField) throws(MappingError) -> Matcher
    ) throws(MappingError) -> [NamedMatcher<Matcher>]? {
        guard let field else { return nil }
        return try field.namedValues().map { entry throws(MappingError) in
            NamedMatcher(name: entry.key, matcher: try decode(entry.value))
        }
    }

    // MARK: Matching

    /// Whether the request matches in every respect. The cheap comparisons come first.
    package func matches(_ request: StubRequest, body: MatchedText? = nil) throws -> Bool {
        guard method == "ANY" || method.isExactly(request.method), try url.matches(request),
            scheme.map({ $0 == request.scheme }) ?? true, port.map({ $0 == request.port }) ?? true
        else { return false }
        let now = request.receivedAt
        guard try host?.matches(MatchedText(request.host), at: now) ?? true,
            try clientAddress?.matches(MatchedText(request.clientAddress), at: now) ?? true,
            try headers?.allSatisfy({ try $0.matcher.matches(request.headerValues($0.name), at: now) }) ?? true,
            basicAuth.map({ request.headerValues("authorization").contains(where: $0.matches) }) ?? true,
            try queryParameters?.allSatisfy({ try $0.matcher.matches(request.query.values(of: $0.name) ?? [], at: now) }
            )
                ?? true,
            try cookies?.allSatisfy({ try matches(cookie: $0, request) }) ?? true,
            try matchesPathParameters(request)
        else { return false }
        return try matchesBody(request, body ?? request.matchedBody)
    }

    private func matches(cookie: NamedMatcher<ValueMatcher>, _ request: StubRequest) throws -> Bool {
        let values = request.cookies.values(of: cookie.name) ?? []
        // WireMock matches no pattern but `absent` when there is no cookie.
        guard !values.isEmpty || cookie.matcher.acceptsMissingCookie else { return false }
        return try cookie.matcher.matchesAny(of: values, at: request.receivedAt)
    }

    private func matchesPathParameters(_ request: StubRequest) throws -> Bool {
        guard let pathParameters, !pathParameters.isEmpty, case .urlPathTemplate(let template) = url.kind else {
            return true
        }
        let values = template.values(in: request.path) ?? []
        return try pathParameters.allSatisfy { parameter in
            try parameter.matcher.matchesAny(of: values.values(of: parameter.name) ?? [], at: request.receivedAt)
        }
    }

    private func matchesBody(_ request: StubRequest, _ body: MatchedText?) throws -> Bool {
        let now = request.receivedAt
        if let formParameters, !formParameters.isEmpty {
            let fields = request.formFields
            guard try formParameters.allSatisfy({ try $0.matcher.matches(fields.values(of: $0.name) ?? [], at: now) })
            else {
                return false
            }
        }
        guard try bodyPatterns?.allSatisfy({ try $0.matches(body, at: now) }) ?? true else { return false }
        guard let multipartPatterns, !multipartPatterns.isEmpty else { return true }
        guard let parts = MultipartBody(contentType: request.header("content-type"), body: request.body)?.parts else {
            return false
        }
        return try multipartPatterns.allSatisfy { try $0.matches(parts, at: now) }
    }

    /// The distance as WireMock computes it: the weighted mean of the parts' distances.
    package func distance(_ request: StubRequest) throws -> Double {
        let now = request.receivedAt
        let body = request.matchedBody
        var weighted: [(weight: Double, distance: Double)] = [
            (3, scheme.map { $0 == request.scheme ? 0 : 1 } ?? 0),
            (10, try host?.distance(MatchedText(request.host), at: now) ?? 0),
            (10, port.map { $0 == request.port ? 0 : 1 } ?? 0),
            (10, try url.distance(request)),
            (3, method == "ANY" || method.isExactly(request.method) ? 0 : 1),
            (1, try headerDistance(request)),
            (
                1,
                mean(
                    try queryParameters?.map {
                        try $0.matcher.distance(request.query.values(of: $0.name) ?? [], at: now)
                    } ?? []
                )
            ),
            (1, mean(try cookies?.map { try distance(cookie: $0, request) } ?? [])),
            (1, mean(try bodyPatterns?.map { try $0.distance(body, at: now) } ?? [])),
            (1, try multipartDistance(request)),
        ]
        // Criteria that 2.35.1 lacks count only where a pattern has them, so that other distances do not change.
        if let clientAddress {
            weighted.append((1, try clientAddress.distance(MatchedText(request.clientAddress), at: now)))
        }
        if pathParameters?.isEmpty == false { weighted.append((1, try matchesPathParameters(request) ? 0 : 1)) }
        if let formParameters, !formParameters.isEmpty {
            let fields = request.formFields
            weighted.append(
                (1, mean(try formParameters.map { try $0.matcher.distance(fields.values(of: $0.name) ?? [], at: now) }))
            )
        }
        return weighted.reduce(0) { $0 + $1.weight * $1.distance } / weighted.reduce(0) { $0 + $1.weight }
    }

    /// The part of the distance from method and URL.
    func distanceOfTarget(_ request: StubRequest) throws -> Double {
        10 * (try url.distance(request)) + (method == "ANY" || method.isExactly(request.method) ? 0 : 3)
    }

    private func headerDistance(_ request: StubRequest) throws -> Double {
        var distances =
            try headers?.map {
                try $0.matcher.distance(request.headerValues($0.name), at: request.receivedAt)
            } ?? []
        if let basicAuth {
            let values = request.headerValues("authorization")
            let isMatch = values.contains(where: basicAuth.matches)
            distances.append(isMatch ? 0 : values.map { TextDistance.between(basicAuth.headerValue, $0) }.min() ?? 1)
        }
        return mean(distances)
    }

    private func distance(cookie: NamedMatcher<ValueMatcher>, _ request: StubRequest) throws -> Double {
        let values = request.cookies.values(of: cookie.name) ?? []
        guard !values.isEmpty else { return try matches(cookie: cookie, request) ? 0 : 1 }
        return try cookie.matcher.distanceToBest(of: values, at: request.receivedAt)
    }

    private func multipartDistance(_ request: StubRequest) throws -> Double {
        guard let multipartPatterns, !multipartPatterns.isEmpty else { return 0 }
        guard let parts = MultipartBody(contentType: request.header("content-type"), body: request.body)?.parts else {
            return 1
        }
        return mean(try multipartPatterns.map { try $0.matches(parts, at: request.receivedAt) ? 0 : 1 })
    }
}

extension StubRequest {
    /// The body as body patterns see it: an empty body is absent.
    package var matchedBody: MatchedText? { body.isEmpty ? nil : MatchedText(bodyText, bytes: body) }
}

extension ValueMatcher {
    /// Whether the matcher applies to a missing cookie: `absent`, and matchers that 2.35.1 lacks.
    var acceptsMissingCookie: Bool {
        switch kind {
        case .absent, .not: true
        case .or(let matchers): matchers.contains(where: \.acceptsMissingCookie)
        case .and(let matchers): matchers.contains(where: \.acceptsMissingCookie)
        default: false
        }
    }
}
