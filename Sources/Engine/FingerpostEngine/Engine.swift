import LinkRouting

/// A tenant's table and settings, and its JSON interface.
struct Engine: Sendable {
    /// Maximum size of a tenant file, in bytes.
    static let maximumDocumentBytes = 64 << 20
    /// Maximum size of a request, in bytes: a link of maximum length whose every byte is escaped, and a context.
    static let maximumRequestBytes = 64 << 10

    private let router: Router

    /// The reasons why a document is not a usable table.
    struct Failure: Error {
        let errors: [DocumentError]

        var json: String {
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("errors")
            writer.beginArray()
            for error in errors {
                writer.beginObject()
                writer.member("path", error.path)
                if error.position.line > 0 {
                    writer.member("line", error.position.line)
                    writer.member("column", error.position.column)
                }
                writer.member("message", error.message)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
            return writer.text
        }
    }

    init(document bytes: UnsafeBufferPointer<UInt8>) throws(Failure) {
        let limits = JSONReader.Limits(
            maximumBytes: Self.maximumDocumentBytes,
            maximumDepth: 64,
            maximumValues: 4_000_000
        )
        do {
            let root = DocumentField(try JSONReader.parse(bytes, limits: limits), path: "")
            let object = try root.object("formatVersion", "tenant", "basedOn", "settingsBasedOn", "settings", "table")
            try RouteTable.checkFormatVersion(try object.required("formatVersion"))
            let tenant = try object["tenant"]?.identifier(TenantID.self)
            let settings = try object.required("settings")
            let identity = try Identity(DocumentField(settings.node, path: "settings").anyObject())
            let table = try RouteTable(DocumentField(try object.required("table").node, path: "table"))
            router = Router(identity: identity, table: table, tenant: tenant)
        } catch let error as RouteTable.DecodingErrors {
            throw Failure(errors: error.errors)
        } catch let error as DocumentError {
            throw Failure(errors: [error])
        } catch let error as JSONSyntaxError {
            throw Failure(errors: [DocumentError(path: "", position: error.position, message: error.message)])
        } catch {
            throw Failure(errors: [DocumentError(path: "", position: .unknown, message: "\(error)")])
        }
    }

    /// Answers a request with JSON.
    func answer(_ request: UnsafeBufferPointer<UInt8>) -> String {
        var warnings: [String] = []
        let url: String
        var context = LinkContext()
        var explanation = Router.Explanation.omitted
        do {
            let limits = JSONReader.Limits(maximumBytes: Self.maximumRequestBytes)
            let object = try DocumentField(try JSONReader.parse(request, limits: limits), path: "")
                .object("url", "context", "explain")
            url = try object.required("url").text()
            if let field = object["context"] { context = try LinkContext(field, warnings: &warnings) }
            if try object["explain"]?.bool() == true { explanation = .included }
        } catch {
            return Self.error("invalid_request", "\(error)")
        }
        let resolution = router.resolve(url, in: context, explanation: explanation)
        var writer = JSONWriter(reservingCapacity: 1_024)
        writer.beginObject()
        resolution.write(to: &writer, of: nil)
        if !warnings.isEmpty {
            writer.key("warnings")
            writer.beginArray()
            for warning in warnings { writer.string(warning) }
            writer.endArray()
        }
        writer.endObject()
        return writer.text
    }

    static func error(_ code: String, _ message: String) -> String {
        JSONNode.object(["error": .object(["code": .string(code), "message": .string(message)])]).json()
    }
}
