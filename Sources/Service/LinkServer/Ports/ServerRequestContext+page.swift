package import HTTPTransport
package import Hummingbird
package import LinkCatalog
package import NIOCore

/// What the pages of the admin port need of a request.
extension ServerRequestContext {
    /// A parameter of the path.
    package func parameter(_ name: String) -> String? { parameters.get(name) }

    /// Takes the request from the limit of the person's key, if keys have one: its address was checked before.
    package func check(_ grant: KeyGrant, _ dependencies: ServerDependencies) throws(Problem) {
        guard dependencies.admission.policy.key != nil else { return }
        try dependencies.admission.check(.key(grant.id))
    }

    /// Returns the problem of an error, and logs what is the server's fault. A caller that has sent too many wrong keys is not
    /// told that a key is wrong.
    package func problem(of error: any Error, _ dependencies: ServerDependencies) -> Problem {
        let error = dependencies.admission.reportedError(error, scope)
        _ = ErrorMapper(logger: dependencies.logger).answer(to: error, scope)
        return Problem(of: error)
    }
}

extension Request {
    /// Returns the whole body. Throws a ``Problem`` if it is larger than `limit` bytes.
    package mutating func body(upTo limit: Int) async throws -> ByteBuffer { try await readBody(upTo: limit) }
}
