import LinkRouting

/// A request that a stub answers, read from the stub: what replaying and exporting a recording need.
package struct RecordedExchange: Sendable {
    package let stub: StubMapping
    package let method: String
    package let target: String
    package let headers: [HeaderField]
    package let body: [UInt8]

    /// Why no single request can be read from a stub.
    package struct Unusable: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    package init(_ stub: StubMapping) throws(Unusable) {
        self.stub = stub
        let request = stub.request
        guard let (text, isPath) = request.url.exactText, text.hasPrefix("/") else {
            throw Unusable(description: "its URL is a pattern")
        }
        guard !isPath || request.queryParameters == nil else { throw Unusable(description: "its query is a pattern") }
        guard request.formParameters == nil, request.multipartPatterns == nil else {
            throw Unusable(description: "its form is a pattern")
        }
        target = text
        method = request.method == "ANY" ? "GET" : request.method
        var headers = try Self.headers(request)
        (body, headers) = try Self.body(request, headers)
        self.headers = headers
        guard stub.response.proxy == nil else { throw Unusable(description: "it is a proxy") }
        guard stub.response.fault == nil else { throw Unusable(description: "it answers with a fault") }
        guard stub.response.templates == nil else { throw Unusable(description: "its answer is a template") }
    }

    private static func headers(_ request: RequestPattern) throws(Unusable) -> [HeaderField] {
        var headers: [HeaderField] = []
        for header in request.headers ?? [] {
            guard case .any(let matcher) = header.matcher.kind else {
                throw Unusable(description: "its header \(header.name) is a pattern")
            }
            switch matcher.kind {
            case .equalTo(let value, _): headers.append(HeaderField(header.name, value))
            case .absent: continue
            default: throw Unusable(description: "its header \(header.name) is a pattern")
            }
        }
        for cookie in request.cookies ?? [] {
            switch cookie.matcher.kind {
            case .equalTo(let value, _): headers.append(HeaderField("Cookie", "\(cookie.name)=\(value)"))
            case .absent: continue
            default: throw Unusable(description: "its cookie \(cookie.name) is a pattern")
            }
        }
        if let basicAuth = request.basicAuth { headers.append(HeaderField("Authorization", basicAuth.headerValue)) }
        return headers
    }

    /// The body, and the headers with its type.
    private static func body(
        _ request: RequestPattern,
        _ headers: [HeaderField]
    ) throws(Unusable) -> (body: [UInt8], headers: [HeaderField]) {
        guard let patterns = request.bodyPatterns, !patterns.isEmpty else { return ([], headers) }
        let text: String
        switch patterns[0].kind {
        case _ where patterns.count > 1: throw Unusable(description: "its body has several patterns")
        case .equalTo(let equal, _): text = equal
        case .equalToJson(_, let expected): text = expected.json()
        case .binaryEqualTo(let bytes): return (bytes, headers)
        default: throw Unusable(description: "its body is a pattern, or was masked")
        }
        guard !headers.contains(where: { $0.has(name: "content-type") }), let type = contentType(text) else {
            return (Array(text.utf8), headers)
        }
        return (Array(text.utf8), headers + [HeaderField("Content-Type", type)])
    }

    /// A recording need not contain the type of a body.
    private static func contentType(_ text: String) -> String? {
        if (try? JSONReader.parse(text, limits: .stubs, duplicateKeys: .keep)) != nil { return "application/json" }
        let isForm = text.utf8.contains(UInt8(ascii: "=")) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        return isForm ? "application/x-www-form-urlencoded" : nil
    }
}

extension [StubMapping] {
    /// The stubs in the order in which they were recorded. Without such an order they stay in theirs, except that the steps
    /// of a scenario follow each other.
    package var inRecordedOrder: [StubMapping] {
        var stubs = enumerated().sorted { left, right in
            (left.element.insertionIndex ?? .max, left.offset) < (right.element.insertionIndex ?? .max, right.offset)
        }.map(\.element)
        var indicesByScenario: [ExactText: [Int]] = [:]
        for (index, stub) in stubs.enumerated() {
            if let scenario = stub.scenario { indicesByScenario[ExactText(scenario), default: []].append(index) }
        }
        for indices in indicesByScenario.values where indices.count > 1 {
            for (index, stub) in zip(indices, Self.chain(indices.map { stubs[$0] })) { stubs[index] = stub }
        }
        return stubs
    }

    /// The steps of one scenario, each before the one whose state it sets.
    private static func chain(_ steps: [StubMapping]) -> [StubMapping] {
        var rest = steps
        var chain: [StubMapping] = []
        var state: String? = Scenarios.started
        while let required = state, let index = rest.firstIndex(where: { $0.requiredState == required }) {
            let step = rest.remove(at: index)
            chain.append(step)
            state = step.newState
        }
        return chain + rest
    }
}
