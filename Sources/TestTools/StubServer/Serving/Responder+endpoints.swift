import LinkRouting
import StubMatching

extension Responder {
    /// Answers with the endpoints of the session, and writes the journal.
    func answer(_ request: StubRequest, from endpoints: any SessionEndpoints, in session: StubSession) async
        -> StubAnswer
    {
        let made = await endpoints.answer(request)
        var answer = StubAnswer(status: made.status, headers: made.headers, body: made.body)
        // The service decides itself what it compresses.
        answer.isExact = true
        answer.delayMilliseconds = session.rules.settings.fixedDelay ?? 0
        session.log(
            ServeEvent(
                request: request,
                stub: nil,
                definition: .object(["fromConfiguredStub": .bool(false), "status": .int(made.status)]),
                response: ServeEvent.LoggedResponse(status: made.status, headers: made.headers, body: made.body),
                timing: timing(request, answer),
                links: made.links,
                placeholderID: configuration.environment.newID()
            )
        )
        for link in made.links { session.log(link, at: request.receivedAt) }
        return answer
    }
}
