import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting
import NIOCore

extension ByteBuffer {
    /// Maximum size of a document that is read on the current thread.
    private static let threshold = 64 << 10

    /// Reads a document; a large one on a thread that answers no requests.
    func read<Result: Sendable>(_ read: @escaping @Sendable (ByteBuffer) throws -> Result) async throws -> Result {
        guard readableBytes > Self.threshold, let memory = DocumentMemory.current else { return try read(self) }
        return try await memory.run { try read(self) }
    }

    /// Whether the first byte begins neither JSON's usual values nor HTML.
    fileprivate var mayBeYAML: Bool {
        readableBytesView.first.map { !"{[\"<".utf8.contains($0) } ?? false
    }

    func validText() throws -> String {
        guard let text = String(validating: readableBytesView, as: UTF8.self) else {
            throw Problem(.malformedJSON, "The body is not UTF-8.")
        }
        return text
    }
}

extension Request {
    /// Whether the body is declared as YAML; all others are read as JSON.
    var isYAML: Bool { headers[.contentType]?.contains("yaml") == true }

    /// The default of curl, whose option -d also removes the line ends of a file.
    private var isForm: Bool { headers[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true }

    private static let lineEndAdvice = "curl -d removes line ends; use --data-binary."

    /// Returns the body as a JSON or YAML document.
    mutating func document(upTo limit: Int) async throws -> JSONNode {
        let (isYAML, isForm) = (isYAML, isForm)
        let limit = isYAML ? min(limit, Document.maximumYAMLBytes) : limit
        let body = try await readBody(upTo: limit)
        return try await body.read { body in
            guard !isYAML else {
                let text = try body.validText()
                do {
                    return try Document.readYAML(text)
                } catch let error as DocumentError
                    where error.position.line == 1 && body.mayBeYAML && !text.utf8.contains(UInt8(ascii: "\n"))
                {
                    throw Problem(.invalidRequest, "\(error.description) \(Self.lineEndAdvice)")
                }
            }
            let limits = JSONReader.Limits(
                maximumBytes: limit,
                maximumDepth: Document.maximumDepth,
                maximumValues: Document.maximumValues
            )
            do {
                return try JSONReader.parse(body.readableBytesView, limits: limits)
            } catch let error as JSONSyntaxError where body.mayBeYAML {
                throw Problem(
                    .malformedJSON,
                    "The body is not JSON: \(error.description) If it is YAML, send 'Content-Type: application/yaml'."
                        + (isForm ? " \(Self.lineEndAdvice)" : "")
                )
            }
        }
    }

    /// Returns the body like ``document(upTo:)``. Refuses a whole tenant file, or an answer of the API, that has the document
    /// under its key.
    mutating func document(upTo limit: Int, not key: String, _ code: Problem.Code) async throws -> JSONNode {
        let document = try await document(upTo: limit)
        guard document[key] == nil else {
            throw Problem(
                code,
                "The body has the key '\(key)': send only its value. POST …/apply takes 'settings' and 'table' together."
            )
        }
        return document
    }

    mutating func text(upTo limit: Int) async throws -> String {
        try await readBody(upTo: limit).validText()
    }

    /// Whether the client sends a body, according to the headers.
    var hasBody: Bool { headers[.contentLength].map { $0 != "0" } ?? (headers[.transferEncoding] != nil) }

    /// Returns the JSON object of an optional body with these members; an empty one without a body.
    mutating func object(_ keys: String..., upTo limit: Int) async throws -> ObjectField {
        let body = try await readBody(upTo: limit)
        let node =
            body.readableBytes == 0
            ? JSONNode.object([:])
            : try JSONReader.parse(Array(buffer: body), limits: JSONReader.Limits(maximumBytes: limit))
        let object = try DocumentField(node, path: "").anyObject()
        try object.refuseKeys(besides: keys)
        return object
    }

    /// Returns the version in `If-Match`, without its quotes; nil without the header or for `*`.
    func ifMatch<Version>(_ read: (Substring) -> Version?) throws -> Version? {
        guard let header = headers[.ifMatch], header != "*" else { return nil }
        let text =
            header.hasPrefix("\"") && header.hasSuffix("\"") && header.utf8.count > 1
            ? header.dropFirst().dropLast() : header[...]
        guard let version = read(text) else {
            throw Problem(.invalidRequest, "If-Match must be the ETag of the resource, such as \"7\".")
        }
        return version
    }

    func expectedDraft() throws -> DraftVersion? { try ifMatch { DraftVersion($0) } }
    func expectedNumber() throws -> Int64? { try ifMatch { Int64($0) } }
    func expectedRevision() throws -> Revision? { try expectedNumber().map(Revision.init(rawValue:)) }
}
