package import LinkRouting

/// The parts of a response that are templates, compiled when the stub is added.
package struct ResponseTemplates: Sendable {
    package let body: Template?
    package let fileName: Template?
    package let proxyBaseURL: Template?
    package let headers: [Header]
    /// The headers that a proxy adds to its request.
    package let proxyHeaders: [Header]
    /// `transformerParameters`, which templates see as `parameters`.
    package let parameters: JSONNode
    /// Whether the content of the body file is a template too.
    package let includesFile: Bool

    package struct Header: Sendable {
        package let name: String
        package let values: [Template]
    }

    init(
        _ field: MappingField,
        body: ResponseDefinition.Body,
        headers: [ResponseDefinition.ResponseHeader],
        proxy: ResponseDefinition.Proxy?
    ) throws(MappingError) {
        parameters = field["transformerParameters"]?.node ?? .object([JSONNode.Member]())
        guard parameters.members != nil else {
            throw MappingField(parameters, pointer: "\(field.pointer)/transformerParameters").error("write an object.")
        }
        includesFile = parameters["disableBodyFileTemplating"]?.bool != true
        switch body {
        case .text(let text): self.body = try Self.template(text, "\(field.pointer)/body")
        case .json(let node): self.body = try Self.template(node.json(), "\(field.pointer)/jsonBody")
        case .none, .bytes, .file: self.body = nil
        }
        fileName =
            if case .file(let name) = body { try Self.template(name, "\(field.pointer)/bodyFileName") } else { nil }
        proxyBaseURL = try proxy.map { proxy throws(MappingError) in
            try Self.template(proxy.baseURL, "\(field.pointer)/proxyBaseUrl")
        }
        self.headers = try headers.map { header throws(MappingError) in
            try Self.header(header.name, header.values, "\(field.pointer)/headers")
        }
        proxyHeaders = try (proxy?.additionalHeaders ?? []).map { header throws(MappingError) in
            try Self.header(header.name, [header.value], "\(field.pointer)/additionalProxyRequestHeaders")
        }
    }

    private static func header(_ name: String, _ values: [String], _ pointer: String) throws(MappingError) -> Header {
        Header(
            name: name,
            values: try values.map { value throws(MappingError) in
                try template(value, "\(pointer)/\(escapedForPointer(name))")
            }
        )
    }

    private static func template(_ text: String, _ pointer: String) throws(MappingError) -> Template {
        do {
            return try Template(text)
        } catch {
            throw MappingError(pointer: pointer, detail: "the template is wrong: \(error)")
        }
    }
}
