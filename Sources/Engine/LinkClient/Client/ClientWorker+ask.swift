import LinkRouting
import LinkTable

/// Questions to the server.
extension ClientWorker {
    /// Asks the server about a link.
    func ask(_ url: String, _ context: LinkContext) async throws -> ResolvedLink {
        try await answer(to: .link(url), about: url, context)
    }

    /// Continues a link after a sign-in, with the token that the server gave.
    func resume(_ url: String, _ token: String, _ context: LinkContext) async throws -> ResolvedLink {
        do {
            return try await answer(to: .continuation(token), about: url, context)
        } catch LinkClient.AskError.refused(status: 400, _), LinkClient.AskError.refused(status: 410, _) {
            // The token has expired, or its key is gone.
            return try await ask(url, context)
        }
    }

    private func answer(
        to subject: ServerAnswer.Subject,
        about url: String,
        _ context: LinkContext
    ) async throws -> ResolvedLink {
        let response = try await send { setup.resolveRequest($0, subject, context) }
        guard response.status == 200 else {
            throw LinkClient.AskError.refused(status: response.status, response.problem)
        }
        let answer: ServerAnswer
        do {
            answer = try ServerAnswer(response.body, to: url)
        } catch {
            throw LinkClient.AskError.unreadable("\(error)")
        }
        return try resolved(url, answer, context)
    }

    /// Asks the server for the link that led to the installation; nil if it knows none.
    func claim(_ evidence: InstallEvidence, _ context: LinkContext) async throws -> ResolvedLink? {
        var outbox = openOutbox()
        // The install must be the same for later reports.
        outbox.save()
        keep(outbox)
        let install = outbox.outbox.install
        let response = try await send { setup.installRequest($0, evidence, install: install, context) }
        if response.status == 404, response.code == "unknown_install" { return nil }
        guard response.status == 200 else {
            throw LinkClient.AskError.refused(status: response.status, response.problem)
        }
        let found: (link: String, answer: ServerAnswer)?
        do {
            found = try ServerAnswer.install(response.body)
        } catch {
            throw LinkClient.AskError.unreadable("\(error)")
        }
        guard let (link, answer) = found else { return nil }
        return try resolved(link, answer, context)
    }

    private func send(_ request: (String) -> LinkRequest) async throws -> LinkResponse {
        guard let server = setup.server, let transport = setup.transport else { throw LinkClient.AskError.noServer }
        do {
            return try await transport.send(request(server))
        } catch let error where !(error is CancellationError) {
            // A cancelled request of URLSession ends with an error of its own.
            try Task.checkCancellation()
            throw LinkClient.AskError.unreachable(error.shortDescription)
        }
    }

    private func resolved(_ url: String, _ answer: ServerAnswer, _ context: LinkContext) throws -> ResolvedLink {
        try requireOwn(answer)
        return ResolvedLink(
            url: url,
            resolution: answer.resolution,
            context: context,
            source: .server(revision: answer.revision, continuation: answer.continuation)
        )
    }

    /// Refuses an answer for another tenant of the server, because its screens do not belong to this app. A table of
    /// another tenant is refused for the same reason.
    private func requireOwn(_ answer: ServerAnswer) throws {
        guard let tenant = answer.tenant, tenant != setup.scope.tenant else { return shared.set(.answer, nil) }
        let error = LinkClient.AskError.otherTenant(tenant.rawValue, configured: setup.scope.tenant.rawValue)
        shared.set(.answer, (TableRejection.otherTenant(tenant).code, "\(error)"))
        throw error
    }
}
