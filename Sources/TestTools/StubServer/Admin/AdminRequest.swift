import LinkRouting
import StubMatching

/// A call of the admin API.
struct AdminRequest: Sendable {
    let method: String
    /// The decoded segments behind `/__admin`.
    let path: [String]
    let query: [NamedValues]
    let request: StubRequest
    let session: StubSession

    init(_ request: StubRequest, in session: StubSession) {
        method = request.method
        path = request.path.dropFirst("/__admin".count).split(separator: "/").map(formDecodedPath)
        query = request.query
        self.request = request
        self.session = session
    }

    func parameter(_ name: String) -> String? { query.values(of: name)?.first }

    /// A whole number of the query; nil when it is missing.
    func count(_ name: String) throws(MappingError) -> Int? {
        guard let text = parameter(name) else { return nil }
        guard let number = Int(text), number >= 0 else {
            throw MappingError(title: "\(name) must be a whole number of at least 0", pointer: name, detail: nil)
        }
        return number
    }

    /// The body as JSON.
    func document() throws(MappingError) -> MappingField {
        do throws(JSONSyntaxError) {
            return MappingField(try JSONReader.parse(request.body, limits: .stubs))
        } catch {
            throw MappingError(error, in: request.body)
        }
    }

    /// The body as JSON; an empty object without a body.
    func optionalDocument() throws(MappingError) -> MappingField {
        request.body.isEmpty ? MappingField(.object([JSONNode.Member]())) : try document()
    }
}

/// An error of the admin API with its status.
struct AdminFailure: Error {
    let status: Int
    let error: MappingError?

    static let notFound = AdminFailure(status: 404, error: nil)

    init(status: Int, error: MappingError?) {
        self.status = status
        self.error = error
    }

    init(_ status: Int, code: Int = MappingError.invalidValue, _ title: String, pointer: String? = nil) {
        self.status = status
        error = MappingError(code: code, title: title, pointer: pointer, detail: nil)
    }
}
