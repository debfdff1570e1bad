package import LinkRouting

/// A request with its answer.
package struct ServeEvent: Sendable {
    package let request: StubRequest
    /// The stub that matched; nil if none did.
    package let stub: StubMapping?
    /// The response definition after templates, as JSON.
    package let definition: JSONNode
    package let response: LoggedResponse
    package let timing: Timing
    /// For a request that no stub matched: the nearest stub's first difference.
    package let firstDifference: String?
    /// The links of a request that an endpoint answered; nil for all other requests.
    package let links: [LinkRecord]?
    /// The id of the placeholder stub that WireMock reports for a request that no stub matched.
    package let placeholderID: String
    /// The approximate memory of ``links`` in bytes.
    private let linkBytes: Int

    package struct LoggedResponse: Sendable {
        package let status: Int
        package let headers: [HeaderField]
        package let body: [UInt8]
        package let fault: String?
        /// Whether a target gave the answer.
        package let isProxied: Bool

        /// Marks the answer to a request that a proxy sent back to its own server, so that each server on the way reports
        /// it.
        package static let proxyLoopHeader = "Fingerpost-Proxy-Loop"

        var isProxyLoop: Bool { headers.contains { $0.has(name: Self.proxyLoopHeader) } }

        package init(status: Int, headers: [HeaderField], body: [UInt8], fault: String? = nil, isProxied: Bool = false)
        {
            self.status = status
            self.headers = headers
            self.body = body
            self.fault = fault
            self.isProxied = isProxied
        }
    }

    /// The durations of an answer, in milliseconds.
    package struct Timing: Sendable {
        package let addedDelay: Int
        package let processing: Int

        package init(addedDelay: Int, processing: Int) {
            self.addedDelay = addedDelay
            self.processing = processing
        }
    }

    package init(
        request: StubRequest,
        stub: StubMapping?,
        definition: JSONNode,
        response: LoggedResponse,
        timing: Timing,
        firstDifference: String? = nil,
        links: [LinkRecord]? = nil,
        placeholderID: String
    ) {
        self.request = request
        self.stub = stub
        self.definition = definition
        self.response = response
        self.timing = timing
        self.firstDifference = firstDifference
        self.links = links
        linkBytes = links?.reduce(0) { $0 + $1.link.utf8.count + $1.json.json().utf8.count * 4 } ?? 0
        self.placeholderID = placeholderID
    }

    package var id: String { request.id }

    /// Whether a stub or an endpoint answered.
    package var wasMatched: Bool { stub != nil || links != nil }

    /// The approximate memory of the event in bytes.
    var byteCount: Int {
        let bodies = request.body.count * 2 + (request.encodedBody?.count ?? 0) + response.body.count
        let headers = request.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 64 }
        return 1_000 + linkBytes + bodies + request.target.utf8.count * 2 + headers
    }

    package func json(_ mask: SecretMask) -> JSONNode {
        .object([
            "id": .string(id),
            "request": request.json(mask),
            "responseDefinition": definition,
            "response": responseJSON(mask),
            "wasMatched": .bool(wasMatched),
            "timing": .object([
                "addedDelay": .int(timing.addedDelay), "processTime": .int(timing.processing),
                "responseSendTime": .int(0), "serveTime": .int(timing.processing),
                "totalTime": .int(timing.processing + timing.addedDelay),
            ]),
            "stubMapping": stub?.json
                ?? .object([
                    "id": .string(placeholderID), "request": .object(["method": .string("ANY")]),
                    "response": definition, "uuid": .string(placeholderID),
                ]),
            "firstDifference": firstDifference.map(JSONNode.string),
            "links": links.map { .array($0.map(\.json)) },
        ])
    }

    private func responseJSON(_ mask: SecretMask) -> JSONNode {
        let body = mask.body(response.body)
        return .object([
            "status": .int(response.status),
            "headers": response.headers.isEmpty ? nil : headersJSON(response.headers, mask),
            "body": .string(String(decoding: body, as: UTF8.self)),
            "bodyAsBase64": .string(Base64.encode(body)),
            "fault": response.fault.map(JSONNode.string),
        ])
    }
}

extension StubRequest {
    /// The request as the admin API shows it.
    package func json(_ mask: SecretMask) -> JSONNode {
        let body = mask.body(self.body)
        return .object([
            "url": .string(target),
            "absoluteUrl": .string(absoluteURL),
            "method": .string(method),
            "clientIp": .string(clientAddress),
            "headers": headersJSON(headers, mask),
            "cookies": .object(
                cookies.map { cookie in
                    JSONNode.Member(cookie.name, singleOrList(cookie.values.map(mask.cookie)))
                }
            ),
            "browserProxyRequest": .bool(false),
            "loggedDate": .int(receivedAt.milliseconds),
            "loggedDateString": .string(receivedAt.description.replacingMillisecondsByZ),
            "bodyAsBase64": .string(Base64.encode(body)),
            "body": .string(bodyCoding.text(body)),
            "scheme": .string(scheme),
            "host": .string(host),
            "port": .int(port),
            "protocol": version.map(JSONNode.string),
            "queryParams": .object(
                query.map { parameter in
                    JSONNode.Member(
                        parameter.name,
                        .object([
                            "key": .string(parameter.name),
                            "values": .array(parameter.values.map(JSONNode.string)),
                        ])
                    )
                }
            ),
        ])
    }
}

extension String {
    /// `2026-11-21T10:00:00.000Z` without the milliseconds.
    fileprivate var replacingMillisecondsByZ: String { hasSuffix("Z") && count == 24 ? prefix(19) + "Z" : self }
}

func singleOrList(_ values: [String]) -> JSONNode {
    values.count == 1 ? .string(values[0]) : .array(values.map(JSONNode.string))
}

/// Headers as an object; the values of a repeated name become a list.
package func headersJSON(_ headers: [HeaderField], _ mask: SecretMask) -> JSONNode {
    var members: [JSONNode.Member] = []
    var values: [[String]] = []
    for header in headers {
        let value = mask.header(header.name, header.value)
        if let index = members.firstIndex(where: { isEqualIgnoringASCIICase($0.key, header.name) }) {
            values[index].append(value)
        } else {
            members.append(JSONNode.Member(header.name, .null))
            values.append([value])
        }
    }
    return .object(zip(members, values).map { JSONNode.Member($0.key, singleOrList($1)) })
}
