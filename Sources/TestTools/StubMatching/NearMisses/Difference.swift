import LinkRouting

/// A part of a request that a stub does not match.
package struct Difference: Sendable, CustomStringConvertible {
    /// The compared part, such as `URL` or `header Accept`.
    let part: String
    let expected: String
    let actual: String?

    /// Long bodies would hide the other differences.
    private static let maximumCharacters = 1_000

    /// One line.
    package var description: String {
        "\(part): expected \(Self.line(expected)), got \(actual.map(Self.line) ?? "nothing")"
    }

    private static func line(_ text: String) -> String {
        let start = text.prefix(maximumCharacters).split(whereSeparator: \.isNewline).joined(separator: " ")
        return text.count > maximumCharacters ? start + "…" : start
    }
}

extension StubMapping {
    /// The parts of a request that the stub does not match.
    ///
    /// - Parameter state: The scenario's present state.
    /// - Throws: When a pattern takes too many steps.
    package func differences(from request: StubRequest, scenarioState state: String?) throws -> [Difference] {
        let pattern = self.request
        var found = Differences(now: request.receivedAt)
        try pattern.compareTarget(request, &found)
        try pattern.compareFields(request, &found)
        for matcher in pattern.bodyPatterns ?? [] { try found.compare(body: request.matchedBody, with: matcher) }
        try pattern.compareParts(request, &found)
        if let scenario, let requiredState {
            let isMatch = state?.isExactly(requiredState) ?? (requiredState == "Started")
            found.add("scenario \(scenario)", requiredState, state ?? "Started", unless: isMatch)
        }
        return found.all
    }
}

private struct Differences {
    let now: Timestamp
    private(set) var all: [Difference] = []

    init(now: Timestamp) { self.now = now }

    mutating func add(_ part: String, _ expected: String, _ actual: String?, unless isMatch: Bool) {
        if !isMatch { all.append(Difference(part: part, expected: expected, actual: actual)) }
    }

    mutating func compare(_ part: String, _ values: [String], with matcher: ValuesMatcher) throws {
        add(part, matcher.text, values.joinedOrNil, unless: try matcher.matches(values, at: now))
    }

    mutating func compare(_ part: String, _ values: [String], with matcher: ValueMatcher) throws {
        add(part, matcher.text, values.joinedOrNil, unless: try matcher.matchesAny(of: values, at: now))
    }

    mutating func compare(body: MatchedText?, with matcher: ValueMatcher) throws {
        var (expected, actual) = (matcher.text, body?.text)
        switch matcher.kind {
        case .binaryEqualTo: actual = body?.bytes.map(Base64.encode)
        case .matchesJsonPath(let path, let expression, let inner?):
            expected = "\(expression) \(inner.text)"
            actual = try body?.json.flatMap { try path.result(in: $0).texts.joinedOrNil } ?? actual
        default: break
        }
        add("body", expected, actual, unless: try matcher.matches(body, at: now))
    }
}

extension RequestPattern {
    fileprivate func compareTarget(_ request: StubRequest, _ found: inout Differences) throws {
        if let host { try found.compare("host", [request.host], with: host) }
        if let port { found.add("port", "\(port)", "\(request.port)", unless: port == request.port) }
        if let scheme { found.add("scheme", scheme, request.scheme, unless: scheme == request.scheme) }
        found.add("method", method, request.method, unless: method == "ANY" || method.isExactly(request.method))
        found.add("URL", url.expectation, request.target + url.advice, unless: try url.matches(request))
    }

    fileprivate func compareFields(_ request: StubRequest, _ found: inout Differences) throws {
        for header in headers ?? [] {
            try found.compare("header \(header.name)", request.headerValues(header.name), with: header.matcher)
        }
        if let basicAuth {
            let values = request.headerValues("authorization")
            let isMatch = values.contains(where: basicAuth.matches)
            found.add("header Authorization", basicAuth.headerValue, values.joinedOrNil, unless: isMatch)
        }
        for parameter in queryParameters ?? [] {
            let values = request.query.values(of: parameter.name) ?? []
            try found.compare("query \(parameter.name)", values, with: parameter.matcher)
        }
        for cookie in cookies ?? [] {
            let values = request.cookies.values(of: cookie.name) ?? []
            try found.compare("cookie \(cookie.name)", values, with: cookie.matcher)
        }
        if let pathParameters, case .urlPathTemplate(let template) = url.kind {
            let values = template.values(in: request.path) ?? []
            for parameter in pathParameters {
                let texts = values.values(of: parameter.name) ?? []
                try found.compare("path parameter \(parameter.name)", texts, with: parameter.matcher)
            }
        }
        if let formParameters {
            let fields = request.formFields
            for parameter in formParameters {
                let values = fields.values(of: parameter.name) ?? []
                try found.compare("form field \(parameter.name)", values, with: parameter.matcher)
            }
        }
        if let clientAddress { try found.compare("client address", [request.clientAddress], with: clientAddress) }
    }

    fileprivate func compareParts(_ request: StubRequest, _ found: inout Differences) throws {
        guard let multipartPatterns, !multipartPatterns.isEmpty else { return }
        let parts = MultipartBody(contentType: request.header("content-type"), body: request.body)?.parts
        let names = parts?.prefix(100).map { "'\($0.name ?? "")'" }
        for pattern in multipartPatterns {
            found.add(
                pattern.name.map { "multipart \($0)" } ?? "multipart",
                "a part that matches",
                names.map { "the parts \($0.joined(separator: ", "))" },
                unless: try parts.map { try pattern.matches($0, at: found.now) } ?? false
            )
        }
    }
}

extension ValueMatcher {
    fileprivate var text: String { isEquation ? expectation : isAbsence ? "nothing" : "\(name) \(expectation)" }

    private var isAbsence: Bool { if case .absent = kind { true } else { false } }
}

extension ValuesMatcher {
    fileprivate var text: String {
        switch kind {
        case .any(let matcher): matcher.text
        case .includes: "includes \(expectation)"
        case .hasExactly: "hasExactly \(expectation)"
        }
    }
}

extension [String] {
    fileprivate var joinedOrNil: String? { isEmpty ? nil : joined(separator: ", ") }
}
