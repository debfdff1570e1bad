package import LinkRouting

/// Stubs made from requests and their answers.
///
/// The same requests give the same ids, names and files in the same order, so that recording again gives a readable
/// difference. Secrets are masked and headers that change with each answer are left out.
package struct Recording: Sendable {
    package let stubs: [Stub]
    /// Requests that are not recorded, and why.
    package let omitted: [Omission]

    package struct Stub: Sendable {
        package let json: JSONNode
        /// The name of the stub's file in `mappings`.
        package let file: String
        /// The body file in `__files`, if the body is not in the stub.
        package let body: (file: String, bytes: [UInt8])?
    }

    package struct Omission: Sendable, Equatable {
        package let method: String
        package let url: String
        package let reason: String

        package init(method: String, url: String, reason: String) {
            self.method = method
            self.url = url
            self.reason = reason
        }

        package var json: JSONNode {
            .object(["method": .string(method), "url": .string(url), "reason": .string(reason)])
        }
    }

    /// Headers that change with each answer or describe one connection only.
    private static let volatileHeaders: Set<String> = [
        "age", "alt-svc", "cf-ray", "connection", "content-encoding", "content-length", "date", "fingerpost-session",
        "keep-alive", "matched-stub-id", "matched-stub-name", "nel", "report-to", "server", "server-timing",
        "transfer-encoding", "via", "x-amz-cf-id", "x-amzn-requestid", "x-amzn-trace-id", "x-correlation-id",
        "x-request-id", "x-runtime", "x-served-by", "x-timer", "x-trace-id",
    ]

    /// - Parameters:
    ///   - events: Oldest first.
    ///   - decoded: Decodes the content encoding of a body; nil if the encoding is unknown.
    package init(
        _ events: some Sequence<ServeEvent>,
        _ specification: RecordingSpecification,
        mask: SecretMask,
        decoded: (_ body: [UInt8], _ encoding: String) -> [UInt8]?
    ) throws {
        var groups: [(key: ExactText, drafts: [Draft])] = []
        var omitted: [Omission] = []
        for event in events where try Self.isWanted(event, specification) {
            guard event.response.isProxied || specification.includesOwnAnswers else {
                if let omission = Self.failureOfProxy(event), !event.response.isProxyLoop || omitted.last != omission {
                    omitted.append(omission)
                }
                continue
            }
            let encoding = event.response.headers.first { $0.has(name: "content-encoding") }?.value ?? "identity"
            guard let body = decoded(event.response.body, encoding) else {
                omitted.append(
                    Self.omission(
                        event,
                        "the content encoding '\(encoding)' cannot be decoded, or the body is too large"
                    )
                )
                continue
            }
            let draft = Draft(event, body: mask.body(body), specification, mask)
            if let index = groups.firstIndex(where: { $0.key == draft.key }) {
                groups[index].drafts.append(draft)
            } else {
                groups.append((draft.key, [draft]))
            }
        }
        self.omitted = omitted
        stubs = Self.stubs(groups.map(\.drafts), specification)
    }

    private static func isWanted(_ event: ServeEvent, _ specification: RecordingSpecification) throws -> Bool {
        guard specification.ids?.contains(event.id) ?? true else { return false }
        return try specification.filter?.matches(event.request) ?? true
    }

    /// Returns the omission of a request that a proxy stub failed to answer; nil if no proxy stub matched. Each pass of
    /// a loop is an event with the same omission.
    private static func failureOfProxy(_ event: ServeEvent) -> Omission? {
        guard event.stub?.response.proxy != nil else { return nil }
        let loop = "the target is this stub server, or leads back to it; name the address of the real service"
        return omission(event, event.response.isProxyLoop ? loop : "the target did not answer")
    }

    private static func omission(_ event: ServeEvent, _ reason: String) -> Omission {
        Omission(method: event.request.method, url: event.request.target, reason: reason)
    }

    /// Makes stubs in the order of the requests. Equal requests become the steps of a scenario.
    private static func stubs(_ groups: [[Draft]], _ specification: RecordingSpecification) -> [Stub] {
        var numbered: [(order: Int, stub: Stub)] = []
        var scenarios = 0
        for drafts in groups {
            let answers = specification.repeats == .scenario ? withoutRepetition(drafts) : Array(drafts.prefix(1))
            guard answers.count > 1 else {
                numbered += answers.map { ($0.order, $0.stub(step: nil, specification)) }
                continue
            }
            scenarios += 1
            let name = (["scenario", "\(scenarios)"] + answers[0].pathParts).joined(separator: "-")
            for (index, draft) in answers.enumerated() {
                let step = ScenarioStep(name: name, number: index + 1, isLast: index == answers.count - 1)
                numbered.append((draft.order, draft.stub(step: step, specification)))
            }
        }
        return numbered.sorted { $0.order < $1.order }.map(\.stub)
    }

    /// Equal answers in a row need no step of their own.
    private static func withoutRepetition(_ drafts: [Draft]) -> [Draft] {
        var result: [Draft] = []
        for draft in drafts where result.last?.response != draft.response { result.append(draft) }
        return result
    }

    fileprivate struct ScenarioStep {
        let name: String
        let number: Int
        let isLast: Bool

        var required: String { number == 1 ? Scenarios.started : "\(name)-\(number)" }
        var next: String? { isLast ? nil : "\(name)-\(number + 1)" }
    }

    static func isVolatile(_ header: String) -> Bool { volatileHeaders.contains(header.lowercased()) }
}

/// One recorded request with its answer, before its step in a scenario is known.
private struct Draft {
    let order: Int
    /// Equal for requests that one pattern matches.
    let key: ExactText
    let request: JSONNode
    let response: JSONNode
    let pathParts: [String]
    private let body: [UInt8]
    private let isText: Bool
    private let fileEnding: String

    init(_ event: ServeEvent, body: [UInt8], _ specification: RecordingSpecification, _ mask: SecretMask) {
        self.body = body
        let type = event.response.headers.first { $0.has(name: "content-type") }?.value.lowercased()
        isText = Self.isText(body, type)
        fileEnding = type?.contains("json") == true ? "json" : type?.contains("html") == true ? "html" : "txt"
        request = Self.request(event.request, specification, mask)
        key = ExactText(request.json())
        order = Int(clamping: event.request.receivedAt.milliseconds)
        pathParts = event.request.path.split(separator: "/").map { part in
            String(decoding: part.utf8.map { Self.isNameByte($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
        }
        let headers = event.response.headers.filter { !Recording.isVolatile($0.name) }
        response = .object([
            "status": .int(event.response.status),
            "headers": headers.isEmpty ? nil : headersJSON(headers, mask),
            "body": body.isEmpty || !isText ? nil : .string(String(decoding: body, as: UTF8.self)),
            "base64Body": body.isEmpty || isText ? nil : .string(Base64.encode(body)),
        ])
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        isHeaderName(String(Unicode.Scalar(byte))) && byte != UInt8(ascii: "*") && byte != UInt8(ascii: "|")
    }

    /// Whether the body can be read in a stub: by its content type, and without one by its bytes.
    private static func isText(_ body: [UInt8], _ type: String?) -> Bool {
        guard let text = String(validUTF8: body) else { return false }
        guard let type else {
            return !text.unicodeScalars.contains { $0.value < 0x20 && !"\t\r\n".unicodeScalars.contains($0) }
        }
        return type.hasPrefix("text/")
            || ["json", "xml", "javascript", "form-urlencoded"].contains { type.contains($0) }
    }

    private static func request(
        _ request: StubRequest,
        _ specification: RecordingSpecification,
        _ mask: SecretMask
    ) -> JSONNode {
        // A masked header would match no request.
        let headers = specification.capturedHeaders.compactMap { captured -> JSONNode.Member? in
            guard !mask.isSecret(header: captured.name), let value = request.header(captured.name) else { return nil }
            return JSONNode.Member(
                captured.name,
                .object(["equalTo": .string(value), "caseInsensitive": captured.ignoresCase.map(JSONNode.bool)])
            )
        }
        return .object([
            "url": .string(request.target),
            "method": .string(request.method),
            "headers": headers.isEmpty ? nil : .object(headers),
            "bodyPatterns": bodyPattern(request, specification.bodyPattern, mask).map { .array([$0]) },
        ])
    }

    private static func bodyPattern(
        _ request: StubRequest,
        _ pattern: RecordingSpecification.BodyPattern,
        _ mask: SecretMask
    ) -> JSONNode? {
        guard !request.body.isEmpty else { return nil }
        let body = mask.body(request.body)
        let type = request.header("content-type")?.lowercased() ?? ""
        // A boundary differs in each request.
        if pattern.matcher == .automatic, MultipartBody.isMultipart(type) { return nil }
        // A masked body equals no request, so only its shape can be compared.
        guard body == request.body else { return .object(["matchesJsonPath": .string("$")]) }
        guard let text = String(validUTF8: body) else {
            return .object(["binaryEqualTo": .string(Base64.encode(body))])
        }
        let isTakenForJSON = pattern.matcher == .json || (pattern.matcher == .automatic && type.contains("json"))
        // A body that is not what its type says is compared as text.
        let isJSON = isTakenForJSON && (try? JSONReader.parse(text, limits: .stubs, duplicateKeys: .keep)) != nil
        guard isJSON else {
            return .object(["equalTo": .string(text), "caseInsensitive": .bool(pattern.ignoresCase)])
        }
        return .object([
            "equalToJson": .string(text),
            "ignoreArrayOrder": .bool(pattern.ignoresArrayOrder),
            "ignoreExtraElements": .bool(pattern.ignoresExtraElements),
        ])
    }

    func stub(step: Recording.ScenarioStep?, _ specification: RecordingSpecification) -> Recording.Stub {
        let id = Self.id(of: "\(key)#\(step?.number ?? 1)")
        let name = pathParts.isEmpty ? "root" : pathParts.joined(separator: "_")
        let shortName = String(decoding: name.utf8.prefix(100), as: UTF8.self)
        let threshold = isText ? specification.textThreshold : specification.binaryThreshold
        let bodyFile = threshold.flatMap { body.count > $0 ? "\(shortName)-\(id).\(fileEnding)" : nil }
        var answer = response
        if let bodyFile {
            let others = (response.members ?? []).filter { $0.key != "body" && $0.key != "base64Body" }
            answer = .object(others + [JSONNode.Member("bodyFileName", .string(bodyFile))])
        }
        let json = JSONNode.object([
            "id": .string(id),
            "name": .string(name),
            "request": request,
            "response": answer,
            "uuid": .string(id),
            "persistent": specification.isPersistent ? .bool(true) : nil,
            "scenarioName": step.map { .string($0.name) },
            "requiredScenarioState": step.map { .string($0.required) },
            "newScenarioState": step?.next.map(JSONNode.string),
        ])
        return Recording.Stub(json: json, file: "\(shortName)-\(id).json", body: bodyFile.map { ($0, body) })
    }

    /// A UUID (version 8) that depends on the text alone: two FNV-1a hashes of 64 bits.
    private static func id(of text: String) -> String {
        func hash(_ seed: UInt64) -> UInt64 {
            text.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        }
        let (high, low) = (
            hash(0xCBF2_9CE4_8422_2325) & ~0xF000 | 0x8000, hash(0x8422_2325_CBF2_9CE4) & ~(3 << 62) | 1 << 63
        )
        func digits(_ word: UInt64) -> String {
            let text = String(word, radix: 16)
            return String(repeating: "0", count: 16 - text.utf8.count) + text
        }
        let all = Array((digits(high) + digits(low)).utf8)
        return [(0, 8), (8, 12), (12, 16), (16, 20), (20, 32)].map { start, end in
            String(decoding: all[start..<end], as: UTF8.self)
        }.joined(separator: "-")
    }
}
