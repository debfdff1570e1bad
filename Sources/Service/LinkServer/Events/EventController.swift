import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkEvents
import LinkRouting

/// Serves the recorded events: in pages, from either end of the log, and as they are committed.
struct EventController {
    let authorizer: AdminAuthorizer
    let store: any SettingsStore
    let history: any EventHistory
    let commits: CommitFeed
    let limits: LiveLimits
    let sleep: @Sendable (Duration) async throws -> Void

    /// Maximum number of events in memory at once, and of events that one request scans.
    private static let pageSize = 1_000
    private static let mostScanned = 20_000

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.get("/admin/v1/tenants/:tenant/events", use: list)
        router.get("/admin/v1/tenants/:tenant/events/tail", use: tail)
    }

    /// Newest first, continued with `?cursor=`; with `?after=SEQ` oldest first, for consumers of the whole log.
    @Sendable private func list(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.allLinks(request, context, .exportsRead)
        if entry.tenant != .none { try await store.require(entry.tenant) }
        let page = try PageRequest(request)
        let filter = try EventFilter(request, in: entry.environment)
        guard let text = request.parameter("after") else {
            return try await newest(page, filter, entry)
        }
        guard let after = LogCursor(text) else {
            throw Problem(
                .invalidRequest,
                "'after' must be a 'nextAfter', the 'seq' of an event of a single node, or 0 for the beginning of the log."
            )
        }
        guard page.cursor == nil, filter.from == nil, filter.until == nil else {
            throw Problem(
                .invalidRequest,
                "'after' reads the log in the order of 'seq'; leave out 'cursor', 'from' and 'until'."
            )
        }
        return try await oldest(page.limit, after: after, filter, entry)
    }

    private func newest(_ page: PageRequest, _ filter: EventFilter, _ entry: AdminAuthorizer.Entry) async throws
        -> Response
    {
        var before = try await end(of: filter)
        if let text = page.cursor {
            guard let cursor = LogCursor(text) else {
                throw Problem(.invalidRequest, "'cursor' must be the 'nextCursor' of the previous page.")
            }
            before = cursor
        }
        var found: [StoredEvent] = []
        var scanned = 0
        var isAtEnd = false
        while found.count < page.limit, scanned < Self.mostScanned, !isAtEnd {
            let events = try await history.events(
                of: entry.tenant,
                before: before,
                since: filter.from?.day ?? .first,
                limit: Self.pageSize
            )
            scanned += events.count
            isAtEnd = events.count < Self.pageSize
            for event in events {
                guard found.count < page.limit else {
                    isAtEnd = false
                    break
                }
                before.pass(event)
                if filter.holds(event.event) { found.append(event) }
            }
        }
        return try await answer(found, "nextCursor") { writer in
            if isAtEnd { writer.null() } else { writer.string("\(before)") }
        }
    }

    /// Returns the place before which to search. An event is in the file of the day on which it was committed: the
    /// day of its time or, around midnight, the next.
    private func end(of filter: EventFilter) async throws -> LogCursor {
        guard let until = filter.until else { return .unread }
        return try await history.end(of: until.day.next) ?? .unread
    }

    private func oldest(
        _ limit: Int,
        after: LogCursor,
        _ filter: EventFilter,
        _ entry: AdminAuthorizer.Entry
    ) async throws -> Response {
        let end = try await history.end()
        // A log that was restored from a backup may end earlier.
        var position = after.limited(to: end)
        var found: [StoredEvent] = []
        var scanned = 0
        while found.count < limit, scanned < Self.mostScanned, position.isBehind(end) {
            let events = try await history.events(of: entry.tenant, after: position, limit: Self.pageSize)
            scanned += events.count
            for event in events where found.count < limit {
                position.pass(event)
                if filter.holds(event.event) { found.append(event) }
            }
            // The remaining events belong to other tenants.
            if events.count < Self.pageSize, found.count < limit { position.advance(to: end) }
        }
        return try await answer(found, "nextAfter") { writer in
            if let sequence = position[LogCursor.ownLog] { writer.int(sequence) } else { writer.string("\(position)") }
        }
    }

    private func answer(
        _ events: [StoredEvent],
        _ next: StaticString,
        _ value: (inout JSONWriter) -> Void
    ) async throws -> Response {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("events")
        writer.beginArray()
        for event in events { writer.row(of: event) }
        writer.endArray()
        writer.key(next)
        value(&writer)
        writer.nodes(try await history.nodes())
        writer.endObject()
        return Response(json: writer.finish(), headers: [.cacheControl: "private, no-store"])
    }

    /// Streams events as they are committed, as server-sent events. `Last-Event-ID` says where to continue.
    @Sendable private func tail(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.allRoutes(request, context, .exportsRead, count: .tail)
        try await store.require(entry.tenant)
        let filter = try EventFilter(request, in: entry.environment)
        guard filter.from == nil, filter.until == nil else {
            throw Problem(
                .invalidRequest,
                "A tail starts now, or after 'Last-Event-ID'; leave out 'from' and 'until'."
            )
        }
        var position = try await history.end()
        if let text = request.headers[.lastEventID] {
            guard let last = LogCursor(text) else {
                throw Problem(.invalidRequest, "'Last-Event-ID' must be the 'id' of an event of this tail.")
            }
            // A log that was restored from a backup may end earlier.
            position = last.limited(to: position)
        }
        guard let listening = commits.listen(to: entry.tenant, with: entry.grant.id.rawValue) else {
            var problem = Problem(
                .busy,
                "Too many tails are open; close one, or read …/events?after= instead."
            )
            problem.hints = [.retryAfter(seconds: 30)]
            throw problem
        }
        let authorizer = authorizer
        let tail = EventTail(
            tenant: entry.tenant,
            filter: filter,
            history: history,
            listening: listening,
            mayContinue: { authorizer.stillHolds(entry, request) },
            lifetime: .seconds(limits.tailSeconds),
            sleep: sleep,
            heartbeat: try await history.nodes().isEmpty ? .seconds(15) : .seconds(1)
        )
        let body = ResponseBody { [position] writer in
            try await tail.run(from: position, to: &writer)
            try await writer.finish(nil)
        }
        let headers: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "private, no-store"]
        return Response(status: .ok, headers: headers, body: body)
    }
}

extension HTTPField.Name {
    fileprivate static let lastEventID = HTTPField.Name.constant("Last-Event-ID")
}

extension JSONWriter {
    /// Writes how far the events of each node are known, if there are several.
    mutating func nodes(_ nodes: [ShippedNode]) {
        guard !nodes.isEmpty else { return }
        key("nodes")
        beginArray()
        for node in nodes {
            beginObject()
            member("node", node.name)
            member("seq", node.sequence)
            member("through", node.through?.description)
            endObject()
        }
        endArray()
    }
}
