import LinkRouting

/// The result of the synchronous part of an endpoint. The rest is the same whether a task or an event loop waits for
/// it.
enum HandlerResult {
    case answer(BufferedResponse)
    /// The response is built once these links are recorded.
    case record([LinkResolver.ResolvedLink], then: @Sendable (LinkResolver.Recorded) throws -> BufferedResponse)
}

extension LinkResolver {
    /// Returns the response; records the links of the result first, if there are any.
    func answer(_ step: HandlerResult, _ scope: RequestScope) async throws -> BufferedResponse {
        switch step {
        case .answer(let answer): answer
        case .record(let passages, let then): try then(try await record(passages, arrivedAt: scope.arrival))
        }
    }
}
