import LinkRouting

/// Questions to the server.
extension ClientWorker {
    /// Asks the server about a link.
    func ask(_ url: String, _ context: LinkContext) async throws -> ResolvedLink {
        guard let server = setup.server, let transport = setup.transport else { throw LinkClient.AskError.noServer }
        let response: LinkResponse
        do {
            response = try await transport.send(setup.resolveRequest(server, url, context))
        } catch let error where !(error is CancellationError) {
            throw LinkClient.AskError.unreachable(error.shortDescription)
        }
        guard response.status == 200 else {
            throw LinkClient.AskError.refused(status: response.status, response.problem)
        }
        do {
            let answer = try ServerAnswer(response.body, to: url)
            return ResolvedLink(
                url: url,
                resolution: answer.resolution,
                context: context,
                source: .server(revision: answer.revision, continuation: answer.continuation)
            )
        } catch {
            throw LinkClient.AskError.unreadable("\(error)")
        }
    }
}
