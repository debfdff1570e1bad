import LinkRouting

/// How far an endpoint comes without waiting. What follows is the same whether a task or an event loop waits for it.
enum EndpointStep {
    case answer(Answer)
    /// The answer is made once these are in the log.
    case record([Resolving.Passage], then: @Sendable (Resolving.Recorded) throws -> Answer)
}

extension Resolving {
    /// Waits for what an endpoint waits for.
    func answer(_ step: EndpointStep, _ scope: RequestScope) async throws -> Answer {
        switch step {
        case .answer(let answer): answer
        case .record(let passages, let then): try then(try await record(passages, arrivedAt: scope.arrival))
        }
    }
}
