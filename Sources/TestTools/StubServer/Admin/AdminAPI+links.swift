import LinkRouting
import StubMatching

/// `/__admin/links`, which WireMock does not have: the facts that a session adds to its links.
extension AdminAPI {
    func links(_ call: AdminRequest) throws -> StubAnswer {
        guard let endpoints = call.session.endpoints else {
            throw AdminFailure(404, code: 404, "the server has no tenant files; start it with --tenant FILE")
        }
        switch (call.method, call.path) {
        case ("GET", ["links"]): return .json(endpoints.settings)
        case ("PUT", ["links"]), ("POST", ["links"]):
            try endpoints.replaceSettings(try call.document())
            return .json(endpoints.settings)
        default: throw AdminFailure.notFound
        }
    }
}
