import LinkRouting
import StubMatching

/// Returns the variables of templates: `request` and `parameters`.
func templateModel(_ request: StubRequest, _ pattern: RequestPattern, _ parameters: JSONNode) -> TemplateValue {
    let path = TemplateValue.path(request.path)
    var headers: [(String, TemplateValue)] = []
    for header in request.headers where !headers.contains(where: { header.has(name: $0.0) }) {
        headers.append((header.name, .values(request.headerValues(header.name))))
    }
    let port = TemplateValue.number("\(request.port)")
    let query = fields(request.query)
    let base = TemplateValue.text(baseURL(request))
    return .members([
        "request": .members([
            "id": .text(request.id),
            "url": .text(request.target),
            "path": path,
            "pathSegments": path,
            "query": query,
            "method": .text(request.method),
            "host": .text(request.host),
            "port": port,
            "scheme": .text(request.scheme),
            "baseUrl": base,
            // The older names of these fields.
            "requestLine": .members([
                "url": .text(request.target),
                "path": .text(request.path),
                "pathSegments": path,
                "query": query,
                "method": .text(request.method),
                "host": .text(request.host),
                "port": port,
                "scheme": .text(request.scheme),
                "baseUrl": base,
            ]),
            "headers": .object(TemplateObject(headers, ignoresCase: true)),
            "cookies": fields(request.cookies),
            "body": .text(request.bodyText),
            "bodyAsBase64": .text(Base64.encode(request.body)),
        ]),
        "parameters": TemplateValue(parameters),
    ])
}

private func fields(_ fields: [NamedValues]) -> TemplateValue {
    .object(TemplateObject(fields.map { ($0.name, .values($0.values)) }))
}

private func baseURL(_ request: StubRequest) -> String {
    let isDefaultPort =
        (request.scheme == "http" && request.port == 80) || (request.scheme == "https" && request.port == 443)
    return "\(request.scheme)://\(request.host)\(isDefaultPort ? "" : ":\(request.port)")"
}
