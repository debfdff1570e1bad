import LinkRouting

/// One row of a comparison between a stub and a request.
package struct DiffLine: Sendable {
    /// The name of the compared part, such as `URL` or `Header`; empty for a row that only separates.
    package let attribute: String
    package let expected: String
    package let actual: String
    package let isMatch: Bool
    /// The text that WireMock prints after the row.
    package let message: String?

    static let spacer = DiffLine(label: "", "")

    /// A row that compares something.
    init(_ attribute: String, expected: String, actual: String?, isMatch: Bool, advice: String = "") {
        self.attribute = attribute
        self.expected = expected
        self.actual = actual ?? ""
        self.isMatch = isMatch
        let problem =
            (actual ?? "").isEmpty ? "\(attribute) is not present" : isMatch ? nil : "\(attribute) does not match"
        message = problem.map { isMatch ? $0 : $0 + advice }
    }

    /// A row that separates.
    init(label expected: String, _ actual: String) {
        attribute = ""
        self.expected = expected
        self.actual = actual
        isMatch = true
        message = nil
    }
}

extension StubMapping {
    /// Compares the stub with a request, row by row.
    ///
    /// - Parameter state: The scenario's present state.
    /// - Throws: When a pattern takes too many steps.
    package func differences(from request: StubRequest, scenarioState state: String?) throws -> [DiffLine] {
        let pattern = self.request
        var lines = try pattern.targetLines(request)
        lines.append(.spacer)
        lines += try pattern.headerLines(request)
        lines += try pattern.queryLines(request)
        lines += try pattern.cookieLines(request)
        lines += try pattern.laterLines(request)
        lines +=
            try pattern.bodyPatterns?.map {
                try bodyLine($0, request.matchedBody, at: request.receivedAt)
            } ?? []
        lines += try pattern.multipartLines(request)
        if let scenario, let requiredState {
            lines.append(
                DiffLine(
                    "Scenario",
                    expected: "[Scenario '\(scenario)' state: \(requiredState)]",
                    actual: "[Scenario '\(scenario)' state: \(state ?? "Started")]",
                    isMatch: state?.isExactly(requiredState) ?? (requiredState == "Started")
                )
            )
        }
        return lines
    }
}

extension RequestPattern {
    fileprivate func targetLines(_ request: StubRequest) throws -> [DiffLine] {
        let now = request.receivedAt
        var lines: [DiffLine] = []
        if let host {
            lines.append(
                DiffLine(
                    "Host",
                    expected: (host.isEquation ? "" : " [\(host.name)] ") + host.expectation,
                    actual: request.host,
                    isMatch: try host.matches(MatchedText(request.host), at: now)
                )
            )
        }
        if let port {
            lines.append(
                DiffLine("Port", expected: "\(port)", actual: "\(request.port)", isMatch: port == request.port)
            )
        }
        if let scheme {
            lines.append(
                DiffLine("Scheme", expected: scheme, actual: request.scheme, isMatch: scheme == request.scheme)
            )
        }
        let isMethod = method == "ANY" || method.isExactly(request.method)
        lines.append(DiffLine("HTTP method", expected: method, actual: request.method, isMatch: isMethod))
        lines.append(
            DiffLine(
                "URL",
                expected: url.expectation,
                actual: request.target,
                isMatch: try url.matches(request),
                advice: url.advice
            )
        )
        return lines
    }

    fileprivate func headerLines(_ request: StubRequest) throws -> [DiffLine] {
        var lines: [DiffLine] =
            try headers?.map {
                try headerLine($0.name, $0.matcher, request.headerValues($0.name), request.receivedAt)
            } ?? []
        if let basicAuth {
            let values = request.headerValues("authorization")
            lines.append(
                DiffLine(
                    "Header",
                    expected: "Authorization: \(basicAuth.headerValue)",
                    actual: printed("Authorization", values),
                    isMatch: values.contains(where: basicAuth.matches)
                )
            )
        }
        return lines.isEmpty ? [] : lines + [.spacer]
    }

    fileprivate func queryLines(_ request: StubRequest) throws -> [DiffLine] {
        let lines: [DiffLine] =
            try queryParameters?.map { parameter in
                let values = request.query.values(of: parameter.name) ?? []
                let comparison = parameter.matcher.operatorName.map { " [\($0)] " } ?? " = "
                let expectation = parameter.matcher.isAbsence ? "null" : parameter.matcher.expectation
                return DiffLine(
                    "Query",
                    expected: "Query: \(parameter.name)\(comparison)\(expectation)",
                    actual: printed(parameter.name, values),
                    isMatch: try parameter.matcher.matches(values, at: request.receivedAt)
                )
            } ?? []
        return lines.isEmpty ? [] : lines + [.spacer]
    }

    fileprivate func cookieLines(_ request: StubRequest) throws -> [DiffLine] {
        let lines: [DiffLine] =
            try cookies?.map { cookie in
                let values = request.cookies.values(of: cookie.name) ?? []
                let isAbsence = if case .absent = cookie.matcher.kind { true } else { false }
                let comparison = cookie.matcher.isEquation ? "=" : " [\(cookie.matcher.name)] "
                return DiffLine(
                    "Cookie",
                    expected: "Cookie: \(cookie.name)\(comparison)\(isAbsence ? "null" : cookie.matcher.expectation)",
                    actual: values.joined(separator: "\n"),
                    isMatch: try cookie.matcher.matchesAny(of: values, at: request.receivedAt)
                )
            } ?? []
        return lines.isEmpty ? [] : lines + [.spacer]
    }

    /// Returns the lines for parts that 2.35.1 does not compare: path and form parameters, and the client's address.
    fileprivate func laterLines(_ request: StubRequest) throws -> [DiffLine] {
        let now = request.receivedAt
        var lines: [DiffLine] = []
        if let pathParameters, case .urlPathTemplate(let template) = url.kind {
            let values = template.values(in: request.path) ?? []
            lines += try pathParameters.map { parameter in
                let found = values.values(of: parameter.name) ?? []
                let comparison = parameter.matcher.isEquation ? " = " : " [\(parameter.matcher.name)] "
                return DiffLine(
                    "Path parameter",
                    expected: "Path parameter: \(parameter.name)\(comparison)\(parameter.matcher.expectation)",
                    actual: found.first,
                    isMatch: try parameter.matcher.matchesAny(of: found, at: now)
                )
            }
        }
        if let formParameters {
            let fields = request.formFields
            lines += try formParameters.map { parameter in
                let values = fields.values(of: parameter.name) ?? []
                let comparison = parameter.matcher.operatorName.map { " [\($0)] " } ?? " = "
                return DiffLine(
                    "Form data",
                    expected: "Form: \(parameter.name)\(comparison)\(parameter.matcher.expectation)",
                    actual: printed(parameter.name, values),
                    isMatch: try parameter.matcher.matches(values, at: now)
                )
            }
        }
        if let clientAddress {
            lines.append(
                DiffLine(
                    "Client IP",
                    expected: clientAddress.expectation,
                    actual: request.clientAddress,
                    isMatch: try clientAddress.matches(MatchedText(request.clientAddress), at: now)
                )
            )
        }
        return lines.isEmpty ? [] : lines + [.spacer]
    }

    fileprivate func multipartLines(_ request: StubRequest) throws -> [DiffLine] {
        guard let multipartPatterns, !multipartPatterns.isEmpty else { return [] }
        let now = request.receivedAt
        guard let parts = MultipartBody(contentType: request.header("content-type"), body: request.body)?.parts else {
            return multipartPatterns.map { _ in
                DiffLine("[Multipart request body]", expected: "[Multipart request body]", actual: nil, isMatch: false)
            }
        }
        var lines: [DiffLine] = []
        for pattern in multipartPatterns where try !pattern.matches(parts, at: now) {
            for part in parts.prefix(100) {
                lines += [
                    .spacer,
                    DiffLine(label: "[Multipart\(pattern.name.map { ": \($0)" } ?? "")]", "[\(part.name ?? "")]"),
                ]
                lines.append(.spacer)
                if try !pattern.matches(part, at: now) {
                    lines +=
                        try pattern.headers?.map {
                            try headerLine($0.name, $0.matcher, part.headerValues($0.name), now)
                        } ?? []
                    let body = part.body.isEmpty ? nil : MatchedText(part.bodyText, bytes: part.body)
                    lines += try pattern.bodyPatterns?.map { try bodyLine($0, body, at: now) } ?? []
                    lines.append(.spacer)
                }
                lines += [DiffLine(label: "[/Multipart]", "[/\(part.name ?? "")]"), .spacer]
            }
        }
        return lines
    }
}

private func headerLine(
    _ name: String,
    _ matcher: ValuesMatcher,
    _ values: [String],
    _ now: Timestamp
) throws -> DiffLine {
    let comparison = matcher.operatorName.map { " [\($0)] " } ?? ""
    return DiffLine(
        "Header",
        expected: "\(name)\(comparison): \(matcher.expectation)",
        actual: printed(name, values),
        isMatch: try matcher.matches(values, at: now)
    )
}

private func printed(_ name: String, _ values: [String]) -> String {
    values.map { "\(name): \($0)" }.joined(separator: "\n")
}

private func bodyLine(_ matcher: ValueMatcher, _ body: MatchedText?, at now: Timestamp) throws -> DiffLine {
    var expected = matcher.expectation
    var actual = body?.text
    switch matcher.kind {
    case .equalToJson: actual = body.map { body in body.json.map(jacksonText) ?? body.text }
    case .binaryEqualTo: actual = body?.bytes.map(Base64.encode)
    case .matchesJsonPath(let path, let expression, let inner?):
        expected = "\(expression) [\(inner.name)] \(inner.expectation)"
        actual = try body?.json.flatMap { found(try path.result(in: $0)) } ?? actual
    default: break
    }
    // A long body would make the table useless, and wrapping it slow.
    return DiffLine(
        "Body",
        expected: expected,
        actual: actual.map { $0.utf8.count > 100_000 ? "\($0.prefix(10_000))…" : $0 },
        isMatch: try matcher.matches(body, at: now)
    )
}

/// Returns the result of a path in WireMock's format: an object has several lines. Nil if the result is empty.
private func found(_ result: JSONPath.Result) -> String? {
    if case .value(let node) = result, node.members != nil { return jacksonText(node.withJavaNumbers) }
    let texts = result.texts
    return texts.count > 1 ? "[\(texts.joined(separator: ", "))]" : texts.first
}
