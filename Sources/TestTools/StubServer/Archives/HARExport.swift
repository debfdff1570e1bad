package import LinkRouting
package import StubMatching

/// The stubs of a folder, or the journal of a server, as a HAR file.
package struct HARExport: Sendable {
    package let file: HARFile
    /// Stubs that have no single request.
    package let omitted: [Recording.Omission]

    /// - Parameter origin: The scheme, host and port of the URLs.
    package init(folder path: String, origin: String) throws(StubStartFailure) {
        let folder = StubFolder(path: path)
        var entries: [HARFile.Entry] = []
        var omitted: [Recording.Omission] = []
        for stub in try folder.recordedStubs() {
            do throws(RecordedExchange.Unusable) {
                let exchange = try RecordedExchange(stub)
                guard let body = folder.body(of: stub) else {
                    throw RecordedExchange.Unusable(description: "its body file is not in \(folder.files)")
                }
                // Stubs have no time, and readers sort by it.
                entries.append(Self.entry(exchange, body, origin, at: Timestamp(milliseconds: Int64(entries.count))))
            } catch {
                let url = stub.request.url.source?.text ?? "any URL"
                omitted.append(Recording.Omission(method: stub.request.method, url: url, reason: error.description))
            }
        }
        file = HARFile(entries: entries)
        self.omitted = omitted
    }

    private static func entry(
        _ exchange: RecordedExchange,
        _ body: [UInt8],
        _ origin: String,
        at instant: Timestamp
    ) -> HARFile.Entry {
        let response = exchange.stub.response
        return HARFile.Entry(
            startedAt: instant,
            milliseconds: response.delayMilliseconds ?? 0,
            method: exchange.method,
            origin: origin,
            target: exchange.target,
            requestHeaders: exchange.headers,
            requestBody: exchange.body,
            status: response.status,
            responseHeaders: response.headers.flatMap { header in header.values.map { HeaderField(header.name, $0) } },
            responseBody: body
        )
    }

    /// - Parameter journal: The answer of `GET /__admin/requests`, in which secrets are masked.
    package init(journal: JSONNode) throws(MappingError) {
        var entries: [HARFile.Entry] = []
        // The newest request comes first.
        for event in try MappingField(journal)["requests"]?.list().reversed() ?? [] {
            guard let request = event["request"], let response = event["response"] else { continue }
            let absolute = try request["absoluteUrl"]?.text() ?? ""
            let target = try request["url"]?.text() ?? "/"
            entries.append(
                HARFile.Entry(
                    startedAt: Timestamp(milliseconds: Int64(try request["loggedDate"]?.int(in: 0...Int.max) ?? 0)),
                    milliseconds: try event["timing"]?["totalTime"]?.int(in: 0...Int.max) ?? 0,
                    method: try request["method"]?.text() ?? "GET",
                    origin: absolute.hasSuffix(target) ? String(absolute.dropLast(target.count)) : absolute,
                    target: target,
                    requestHeaders: try Self.headers(request),
                    requestBody: Base64.decode(try request["bodyAsBase64"]?.text() ?? "") ?? [],
                    status: try response["status"]?.int(in: 0...999) ?? 0,
                    responseHeaders: try Self.headers(response),
                    responseBody: Base64.decode(try response["bodyAsBase64"]?.text() ?? "") ?? []
                )
            )
        }
        file = HARFile(entries: entries)
        omitted = []
    }

    private static func headers(_ field: MappingField) throws(MappingError) -> [HeaderField] {
        var headers: [HeaderField] = []
        for (name, value) in try field["headers"]?.members() ?? [] {
            let values = value.node.elements == nil ? [value] : try value.list()
            for value in values { headers.append(HeaderField(name, try value.text())) }
        }
        return headers
    }
}
