package import LinkRouting

extension HARFile {
    /// The file as HAR 1.2, with secrets masked.
    package func json(_ mask: SecretMask) -> JSONNode {
        .object([
            "log": .object([
                "version": .string("1.2"),
                "creator": .object(["name": .string("fingerpost"), "version": .string("1")]),
                "entries": .array(entries.map { $0.json(mask) }),
            ])
        ])
    }
}

extension HARFile.Entry {
    fileprivate func json(_ mask: SecretMask) -> JSONNode {
        let query = StubRequest(
            id: "",
            method: method,
            target: target,
            host: host,
            port: 0,
            headers: [],
            body: [],
            clientAddress: "",
            receivedAt: startedAt
        ).query
        let requestBody = mask.body(requestBody)
        return .object([
            "startedDateTime": .string(startedAt.description),
            "time": .int(milliseconds),
            "request": .object([
                "method": .string(method),
                "url": .string(origin + target),
                "httpVersion": .string("HTTP/1.1"),
                "cookies": .array([]),
                "headers": headersJSON(requestHeaders, mask),
                "queryString": .array(
                    query.flatMap { parameter in
                        parameter.values.map { .object(["name": .string(parameter.name), "value": .string($0)]) }
                    }
                ),
                "postData": requestBody.isEmpty ? nil : postData(requestBody),
                "headersSize": .int(-1),
                "bodySize": .int(requestBody.count),
            ]),
            "response": responseJSON(mask),
            "cache": .object([JSONNode.Member]()),
            "timings": .object(["send": .int(0), "wait": .int(milliseconds), "receive": .int(0)]),
        ])
    }

    private func responseJSON(_ mask: SecretMask) -> JSONNode {
        let body = mask.body(responseBody)
        let text = String(validUTF8: body)
        return .object([
            "status": .int(status),
            "statusText": .string(""),
            "httpVersion": .string("HTTP/1.1"),
            "cookies": .array([]),
            "headers": headersJSON(responseHeaders, mask),
            "content": .object([
                "size": .int(body.count),
                "mimeType": .string(Self.type(responseHeaders)),
                "text": .string(text ?? Base64.encode(body)),
                "encoding": text == nil ? .string("base64") : nil,
            ]),
            "redirectURL": .string(responseHeaders.first { $0.has(name: "location") }?.value ?? ""),
            "headersSize": .int(-1),
            "bodySize": .int(body.count),
        ])
    }

    private func postData(_ body: [UInt8]) -> JSONNode {
        let text = String(validUTF8: body)
        return .object([
            "mimeType": .string(Self.type(requestHeaders)),
            "text": .string(text ?? Base64.encode(body)),
            "encoding": text == nil ? .string("base64") : nil,
        ])
    }

    private static func type(_ headers: [HeaderField]) -> String {
        headers.first { $0.has(name: "content-type") }?.value ?? "application/octet-stream"
    }

    private func headersJSON(_ headers: [HeaderField], _ mask: SecretMask) -> JSONNode {
        .array(
            headers.map { header in
                .object([
                    "name": .string(header.name), "value": .string(mask.header(header.name, header.value)),
                ])
            }
        )
    }
}
