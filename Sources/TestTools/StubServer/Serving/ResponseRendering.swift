import LinkRouting
import StubMatching

/// Makes an answer from a response definition, with its templates filled in.
struct ResponseRendering {
    private let request: StubRequest
    private let response: ResponseDefinition
    private let folder: StubFolder?
    private let stub: StubMapping
    private var templateEnvironment: TemplateEnvironment
    private let model: TemplateValue?

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(request: StubRequest, stub: StubMapping, folder: StubFolder?, environment: StubEnvironment) {
        self.request = request
        self.stub = stub
        self.folder = folder
        response = stub.response
        templateEnvironment = TemplateEnvironment(
            now: request.receivedAt,
            random: environment.random,
            hostName: environment.hostName,
            zone: environment.zone
        )
        model = response.templates.map { templateModel(request, stub.request, $0.parameters) }
    }

    /// Returns the answer without the stub's id, delay and fault.
    mutating func answer() throws -> StubAnswer {
        StubAnswer(status: response.status, reason: response.statusMessage, headers: try headers(), body: try body())
    }

    mutating func headers() throws -> [HeaderField] {
        guard let templates = response.templates else {
            return response.headers.flatMap { header in header.values.map { HeaderField(header.name, $0) } }
        }
        return try filled(templates.headers)
    }

    private mutating func filled(_ templates: [ResponseTemplates.Header]) throws -> [HeaderField] {
        var headers: [HeaderField] = []
        for header in templates {
            for value in header.values {
                let text = try render(value)
                guard !text.utf8.contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0 }) else {
                    throw Failure(description: "the template of header \(header.name) makes a line break")
                }
                headers.append(HeaderField(header.name, text))
            }
        }
        return headers
    }

    /// The proxy of the response with its templates filled in.
    mutating func filled(_ proxy: ResponseDefinition.Proxy) throws -> ResponseDefinition.Proxy {
        guard let templates = response.templates else { return proxy }
        var proxy = proxy
        if let baseURL = templates.proxyBaseURL { proxy.baseURL = try render(baseURL) }
        proxy.additionalHeaders = try filled(templates.proxyHeaders)
        return proxy
    }

    private mutating func body() throws -> [UInt8] {
        if let template = response.templates?.body { return Array(try render(template).utf8) }
        switch response.body {
        case .none: return []
        case .text(let text): return coding.bytes(text)
        case .json(let node): return Array(node.json().utf8)
        case .bytes(let bytes): return bytes
        case .file(let name): return try fileBody(name)
        }
    }

    private var coding: TextCoding {
        let type = response.headers.first { HeaderField($0.name, "").has(name: "content-type") }
        return TextCoding(contentType: type?.values.first)
    }

    private mutating func fileBody(_ name: String) throws -> [UInt8] {
        let name = try response.templates?.fileName.map { try render($0) } ?? name
        guard let folder else {
            throw Failure(description: "there is no folder with the file '\(name)'; start with one")
        }
        guard let bytes = folder.content(of: name) else {
            throw Failure(description: "the file '\(name)' is not in \(folder.files)")
        }
        guard let templates = response.templates, templates.includesFile,
            let text = String(validating: bytes, as: UTF8.self), text.contains("{{")
        else { return bytes }
        do {
            return Array(try render(StubMatching.Template(text)).utf8)
        } catch let error as StubMatching.Template.SyntaxError {
            throw Failure(description: "the template in '\(name)' is wrong: \(error)")
        }
    }

    private mutating func render(_ template: StubMatching.Template) throws -> String {
        guard let model else { preconditionFailure("a response with templates has a model") }
        return try template.render(model, &templateEnvironment)
    }
}
