import LinkRouting
import LinkTable

extension OutboxEvent {
    /// The event of a report, unless it is too large.
    enum Report {
        case event(OutboxEvent)
        case tooLarge
    }

    /// Returns the event of a report. Nil if the server needs none: the answer came from the server, or
    /// the link belongs to no tenant.
    static func report(_ link: ResolvedLink, _ result: LinkResult, _ environment: ClientEnvironment) -> Report? {
        guard case .table(let revision, let settingsRevision) = link.source else { return nil }
        let resolution = link.resolution
        guard resolution.outcome != .unmatched || resolution.app != nil else { return nil }
        let event = OutboxEvent(
            id: environment.randomID,
            occurredAt: environment.now(),
            engineVersion: TableFormat.engineVersion
        ) { writer in
            writer.member("url", link.url)
            writer.key("context")
            link.context.write(to: &writer)
            writer.member("revision", revision.rawValue)
            writer.member("settingsRevision", settingsRevision)
            writer.member("outcome", resolution.outcome.rawValue)
            writer.member("action", resolution.action?.rawValue)
            writer.member("route", resolution.route?.rawValue)
            switch result {
            case .shown: writer.member("result", "shown")
            case .failed(let reason):
                writer.member("result", "failed")
                // The server records no other text, see POST /_fp/events.
                if let word = RouteID(reason) { writer.member("reason", word.rawValue) }
            }
        }
        return event.map { .event($0) } ?? .tooLarge
    }
}
