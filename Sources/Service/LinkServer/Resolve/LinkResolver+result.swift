import HTTPTransport
import LinkEvents
import LinkRouting

extension LinkResolver {
    /// Returns a result whose response is built once the links are recorded.
    func result(
        afterRecording links: [ResolvedLink],
        by key: KeyOwner,
        arrivedAt arrival: ContinuousClock.Instant?,
        response: @escaping @Sendable (Recorded) throws -> BufferedResponse
    ) -> HandlerResult {
        .later { respond in
            self.record(links, by: key, arrivedAt: arrival) { result in
                respond { try response(result.get()) }
            }
        }
    }
}
