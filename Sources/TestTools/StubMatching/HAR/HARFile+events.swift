import LinkRouting

extension HARFile {
    /// The entries as requests that a target answered, so that they are recorded as a proxy's are.
    package var events: [ServeEvent] {
        entries.sorted { $0.startedAt < $1.startedAt }.enumerated().map { index, entry in
            ServeEvent(
                request: StubRequest(
                    id: "\(index)",
                    method: entry.method,
                    target: entry.target,
                    host: entry.host,
                    port: 0,
                    headers: entry.requestHeaders,
                    body: entry.requestBody,
                    clientAddress: "",
                    receivedAt: entry.startedAt
                ),
                stub: nil,
                definition: .null,
                response: ServeEvent.LoggedResponse(
                    status: entry.status,
                    headers: entry.responseHeaders,
                    body: entry.responseBody,
                    isProxied: true
                ),
                timing: ServeEvent.Timing(addedDelay: 0, processing: 0),
                placeholderID: ""
            )
        }
    }
}
