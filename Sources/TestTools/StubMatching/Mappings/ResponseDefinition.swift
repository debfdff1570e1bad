package import LinkRouting

/// The response of a stub.
package struct ResponseDefinition: Sendable {
    package let status: Int
    package let statusMessage: String?
    package let body: Body
    package let headers: [ResponseHeader]
    package let delayMilliseconds: Int?
    package let delayDistribution: DelayDistribution?
    package let dribble: Dribble?
    package let fault: Fault?
    package let proxy: Proxy?
    /// Nil unless the response is a template.
    package let templates: ResponseTemplates?
    /// The response as WireMock writes it back.
    package let json: JSONNode

    package enum Body: Sendable {
        case none
        case text(String)
        case json(JSONNode)
        case bytes([UInt8])
        case file(String)
    }

    package struct ResponseHeader: Sendable {
        package let name: String
        package let values: [String]
    }

    /// Sends the body in pieces over a time.
    package struct Dribble: Sendable {
        package let chunks: Int
        package let milliseconds: Int
    }

    package enum Fault: String, Sendable, CaseIterable {
        case connectionReset = "CONNECTION_RESET_BY_PEER"
        case emptyResponse = "EMPTY_RESPONSE"
        case randomData = "RANDOM_DATA_THEN_CLOSE"
        case malformedChunk = "MALFORMED_RESPONSE_CHUNK"
    }

    package struct Proxy: Sendable {
        package var baseURL: String
        package let prefixToRemove: String?
        package var additionalHeaders: [HeaderField]
        package let removedHeaders: [String]
    }

    /// The maximum delay of a mapping.
    package static let longestDelay = 600_000

    private static let keys: Set<String> = [
        "status", "statusMessage", "body", "jsonBody", "base64Body", "bodyFileName", "headers",
        "additionalProxyRequestHeaders", "removeProxyRequestHeaders", "fixedDelayMilliseconds", "delayDistribution",
        "chunkedDribbleDelay", "proxyBaseUrl", "proxyUrlPrefixToRemove", "fault", "transformers",
        "transformerParameters", "fromConfiguredStub",
    ]

    package init(_ field: MappingField, templating: Templating) throws(MappingError) {
        try field.requireKeys(Self.keys)
        let status = try field["status"].map { status throws(MappingError) in try status.int(in: 0...999) } ?? 0
        self.status = status == 0 ? 200 : status
        if let field = field["status"], (1..<100).contains(status) {
            throw field.error("the status must be 100 to 999.")
        }
        statusMessage = try field["statusMessage"].map { message throws(MappingError) in
            try message.headerText("a status message")
        }
        body = try Self.body(field)
        headers = try Self.headers(field["headers"])
        delayMilliseconds = try field["fixedDelayMilliseconds"]?.int(in: 0...Self.longestDelay)
        delayDistribution = try field["delayDistribution"].map { delay throws(MappingError) in
            try DelayDistribution(delay)
        }
        dribble = try field["chunkedDribbleDelay"].map { dribble throws(MappingError) in
            try dribble.requireKeys(["numberOfChunks", "totalDuration"])
            return Dribble(
                chunks: try dribble["numberOfChunks"]?.int(in: 1...10_000) ?? 1,
                milliseconds: try dribble["totalDuration"]?.int(in: 0...Self.longestDelay) ?? 0
            )
        }
        fault = try field["fault"].map { fault throws(MappingError) in
            guard let known = fault.node.text.flatMap(Fault.init) else {
                throw fault.error("the fault is one of: \(Fault.allCases.map(\.rawValue).joined(separator: ", ")).")
            }
            return known
        }
        proxy = try Self.proxy(field)
        let transformers = try field["transformers"]?.list() ?? []
        for transformer in transformers {
            let name = try transformer.text()
            guard name == "response-template" else {
                throw transformer.error("the custom extension '\(name)' is not supported; only response-template is.")
            }
        }
        let isTemplate = templating == .everywhere || (templating == .perStub && !transformers.isEmpty)
        templates = isTemplate ? try ResponseTemplates(field, body: body, headers: headers, proxy: proxy) : nil
        json = Self.json(field, status: self.status)
    }

    private static func body(_ field: MappingField) throws(MappingError) -> Body {
        let base64 = try field["base64Body"].map { base64 throws(MappingError) in
            guard let bytes = Base64.decode(try base64.text()) else { throw base64.error("base64Body must be base64.") }
            return bytes
        }
        let file = try field["bodyFileName"]?.text()
        if let text = try field["body"]?.text() { return .text(text) }
        if let node = field["jsonBody"]?.node { return .json(node) }
        if let base64 { return .bytes(base64) }
        return file.map(Body.file) ?? .none
    }

    private static func headers(_ field: MappingField?) throws(MappingError) -> [ResponseHeader] {
        guard let field else { return [] }
        return try field.members().map { member throws(MappingError) in
            guard isHeaderName(member.key) else {
                throw member.value.error("'\(member.key)' is not a header name; use letters, digits and '-'.")
            }
            let values =
                member.value.node.elements == nil
                ? [try member.value.text()]
                : try member.value.list().map { entry throws(MappingError) in try entry.text() }
            for value in values where !isOneLine(value) {
                throw member.value.error("a header value cannot contain a line break or NUL.")
            }
            return ResponseHeader(name: member.key, values: values)
        }
    }

    private static func proxy(_ field: MappingField) throws(MappingError) -> Proxy? {
        guard let baseField = field["proxyBaseUrl"] else {
            for key in ["proxyUrlPrefixToRemove", "additionalProxyRequestHeaders", "removeProxyRequestHeaders"] {
                if let extra = field[key] { throw extra.error("\(key) needs proxyBaseUrl.") }
            }
            return nil
        }
        let base = try baseField.text().trimmingBlanks
        // A template is checked when it is filled in.
        if !base.contains("{{"), let problem = proxyTargetProblem(base) { throw baseField.error(problem) }
        let additional = try headers(field["additionalProxyRequestHeaders"]).flatMap { header in
            header.values.map { HeaderField(header.name, $0) }
        }
        return Proxy(
            baseURL: base,
            prefixToRemove: try field["proxyUrlPrefixToRemove"]?.text(),
            additionalHeaders: additional,
            removedHeaders: try field["removeProxyRequestHeaders"].map { list throws(MappingError) in
                try list.list().map { entry throws(MappingError) in try entry.text() }
            } ?? []
        )
    }

    private static func json(_ field: MappingField, status: Int) -> JSONNode {
        var members = [JSONNode.Member("status", .int(status))]
        for member in field.node.members ?? [] where member.value.value != .null && member.key != "status" {
            switch (member.key, member.value.value) {
            case ("proxyBaseUrl", .string(let text)):
                members.append(JSONNode.Member("proxyBaseUrl", .string(text.trimmingBlanks)))
            case ("body", .number(let text)): members.append(JSONNode.Member("body", .string(text)))
            case ("fromConfiguredStub", _): continue
            default: members.append(JSONNode.Member(member.key, member.value))
            }
        }
        return .object(members)
    }
}

extension MappingField {
    /// A text that can be part of a response's head.
    fileprivate func headerText(_ what: String) throws(MappingError) -> String {
        let text = try text()
        guard isOneLine(text) else { throw error("\(what) cannot contain a line break or NUL.") }
        return text
    }
}

private func isOneLine(_ text: String) -> Bool { !text.utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 } }

/// The problem of a target's URL; nil if it starts with `http://` or `https://` and has a host and a valid port.
package func proxyTargetProblem(_ url: String) -> String? {
    guard let scheme = ["http://", "https://"].first(where: url.hasPrefix) else {
        return "'\(url.prefix(100))' is not a http:// or https:// URL."
    }
    let authority = url.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
    let address = authority[(authority.lastIndex(of: "@").map(authority.index(after:)) ?? authority.startIndex)...]
    var host = address
    if let colon = address.lastIndex(of: ":"), address.last != "]" {
        host = address[..<colon]
        let port = address[address.index(after: colon)...]
        guard port.isEmpty || UInt16(port) ?? 0 > 0 else {
            return "'\(port.prefix(20))' is not a port; write 1 to 65535."
        }
    }
    return host.isEmpty ? "'\(url.prefix(100))' has no host; write http://HOST:PORT." : nil
}

/// Whether the text can be the name of a header (RFC 9110, section 5.6.2).
func isHeaderName(_ text: String) -> Bool {
    !text.isEmpty
        && text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
}

/// The stubs whose responses are templates.
package enum Templating: Sendable {
    case off
    /// Those with the transformer `response-template`.
    case perStub
    case everywhere
}
