import LinkRouting

/// How far an endpoint comes without waiting. What follows is the same whether a task or an event loop waits for it.
enum HandlerResult {
    case answer(BufferedResponse)
    /// The answer is made once these are in the log.
    case record([LinkResolver.ResolvedLink], then: @Sendable (LinkResolver.Recorded) throws -> BufferedResponse)
}

extension LinkResolver {
    /// Waits for what an endpoint waits for.
    func answer(_ step: HandlerResult, _ scope: RequestScope) async throws -> BufferedResponse {
        switch step {
        case .answer(let answer): answer
        case .record(let passages, let then): try then(try await record(passages, arrivedAt: scope.arrival))
        }
    }
}
