package import LinkRouting
package import StubMatching

/// Endpoints that a server has besides its stubs. The endpoints of links are in a separate target, because they
/// need the layers of the service.
package protocol StubEndpoints: Sendable {
    /// Makes the endpoints of a session.
    ///
    /// - Parameters:
    ///   - session: The id of the session; nil for the server itself.
    ///   - settings: The member `links` of the call that creates the session.
    func endpoints(of session: String?, settings: MappingField?) throws(MappingError) -> any SessionEndpoints

    /// Reads the files that have changed. A file with errors leaves what it has decided before.
    ///
    /// - Returns: Lines for people about the files that were read and their errors.
    func reload() async -> [String]
}

/// The endpoints of one session, with the state that its requests have changed.
package protocol SessionEndpoints: Sendable {
    /// Whether the request belongs to an endpoint.
    func takes(_ request: StubRequest) -> Bool
    func answer(_ request: StubRequest) async -> EndpointAnswer
    /// The response of `GET /__admin/links`.
    var settings: JSONNode { get }
    /// Replaces the settings, for `PUT /__admin/links`.
    func replaceSettings(_ settings: MappingField) throws(MappingError)
    /// Resets the state of earlier requests, but not the settings.
    func reset()
}

/// An answer of an endpoint.
package struct EndpointAnswer: Sendable {
    package let status: Int
    package let headers: [HeaderField]
    package let body: [UInt8]
    /// The links that the request asked about.
    package let links: [LinkRecord]

    package init(status: Int, headers: [HeaderField], body: [UInt8], links: [LinkRecord] = []) {
        self.status = status
        self.headers = headers
        self.body = body
        self.links = links
    }
}
