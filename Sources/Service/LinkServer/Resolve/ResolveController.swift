import HTTPTransport
import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import NIOCore

/// Serves `POST /resolve`.
struct ResolveController: Sendable {
    let linkResolver: LinkResolver
    let limits: LiveLimits
    let admission: Admission
    let tracePool: WorkQueue

    /// Larger messages are handled by a task, because parsing and resolving them may take milliseconds.
    private static let largestOnLoop = 1 << 14
    /// More links are resolved by a task, and so are several links whose tables have more steps together.
    private static let mostLinksOnLoop = 8
    private static let mostStepsOnLoop = Router.maximumSteps

    var endpoint: PublicEndpoint {
        PublicEndpoint(
            methods: [.post],
            path: "/resolve",
            bodyLimit: { [limits] in limits.batchBytes },
            acceptsKey: true
        ) { request, body in
            guard body.readableBytes <= Self.largestOnLoop else {
                return .async { try await answer(parse(request, body)) }
            }
            let parsed = try parse(request, body)
            guard !parsed.takesLong else { return .async { try await answer(parsed) } }
            let links = parsed.links.map { resolve($0, parsed.request) }
            guard !links.contains(where: \.needsLookup) else { return .async { try await answer(parsed) } }
            return recorded(parsed, links)
        }
    }

    private typealias Link = (link: LocatedLink, clientEventID: String?)

    /// What a message asks for. Key and rate limits were checked.
    private struct ParsedRequest: Sendable {
        let links: [Link]
        let isBatch: Bool
        let explanation: Router.Explanation
        let warnings: [String]
        /// What all its links have in common.
        let request: LinkResolver.Request

        /// Whether the links must not be resolved on the event loop. A single link may be.
        var takesLong: Bool {
            if explanation == .included { return true }
            guard links.count > 1 else { return false }
            let steps = links.reduce(0) { $0 + min($1.link.worstCaseSteps, ResolveController.mostStepsOnLoop) }
            return links.count > ResolveController.mostLinksOnLoop || steps > ResolveController.mostStepsOnLoop
        }
    }

    /// Reads a message, and checks whether its caller may resolve its links. No link is resolved before.
    private func parse(_ request: PublicRequest, _ body: ByteBuffer) throws -> ParsedRequest {
        let scope = request.scope
        var message = try read(body)
        if message.context.now != nil { message.warnings.append("context.now is set by the server and was ignored.") }
        message.context.now = linkResolver.now()
        let (links, isBatch, continuation) = try links(of: &message)
        let client = scope.client.address
        let caller = LinkResolver.Caller(
            requestID: scope.requestID,
            address: client,
            country: message.context.country == nil ? linkResolver.country(of: client) : nil,
            userAgent: request.head.headerFields.value(of: .userAgent),
            method: "POST",
            source: "api",
            kind: .resolve,
            purpose: message.purpose,
            occurredAt: message.occurredAt,
            parent: continuation?.event.map { RecordedID($0) }
        )
        try admission.enter(links.count, bytes: body.readableBytes, scope)
        let catalog = linkResolver.catalog.current
        let environment = message.environment ?? .production
        let located = links.map { (link: catalog.locate($0.url, in: environment), clientEventID: $0.clientEventID) }
        // Most messages need no list of them.
        var tables: [PublishedTable] { located.compactMap(\.link.table) }
        if let tenant = continuation?.tenant, located.contains(where: { $0.link.tenant != tenant }) {
            throw Self.otherPlace
        }
        if let first = located.first { scope.logFields.note(first.link.tenant) }
        // Some tenants answer only their own apps and servers.
        for link in located {
            if let table = link.link.table { try table.checkClientKey(request.grant, for: table.environment) }
        }
        if message.explanation == .included { try checkExplanation(tables, request.grant) }
        if admission.limitsTenants { try checkTenants(of: tables) }
        if let environment = message.environment {
            message.warnings += Set(tables.map(\.tenant)).sorted().compactMap {
                catalog.warning(about: environment, of: $0)
            }
        }
        if let app = message.context.app { message.warnings += warning(about: app, of: tables) }
        if message.explanation == .included, links.count > Self.maximumTraces {
            message.warnings.append("Only the first \(Self.maximumTraces) links have traces.")
        }
        return ParsedRequest(
            links: located,
            isBatch: isBatch,
            explanation: message.explanation,
            warnings: message.warnings,
            request: LinkResolver.Request(
                request,
                from: catalog,
                in: message.context,
                environment: environment,
                by: caller
            )
        )
    }

    /// The maximum number of links of a message that get a trace, because a trace has up to 100 KB.
    private static let maximumTraces = 10

    private func resolve(_ link: Link, _ request: LinkResolver.Request) -> LinkResolver.ResolvedLink {
        linkResolver.resolve(link.link, clientEventID: link.clientEventID, in: request.context, of: request.catalog)
    }

    /// Resolves the links in a task, and lets other tasks run after each of them. Looks up the codes of short links.
    private func answer(_ parsed: ParsedRequest) async throws -> BufferedResponse {
        var links: [LinkResolver.ResolvedLink] = []
        var unknown: LinkResolver.UnknownCodes = [:]
        defer { linkResolver.take(unknown, of: parsed.request) }
        for link in parsed.links {
            var resolved = resolve(link, parsed.request)
            if resolved.needsLookup {
                resolved = try await linkResolver.follow(resolved, in: parsed.request, &unknown)
            }
            links.append(resolved)
            await Task.yield()
        }
        if parsed.explanation == .included { try await explain(&links, in: parsed.request.context) }
        return try await recorded(parsed, links).response
    }

    /// Adds traces to the first links.
    private func explain(_ links: inout [LinkResolver.ResolvedLink], in context: LinkContext) async throws {
        let traced = links.prefix(Self.maximumTraces)
        let traces = try await tracePool.run(for: .tenant(traced.first?.answer.tenant ?? .none)) { cancellation in
            traced.map { link in
                cancellation.isCancelled
                    ? nil : link.link.resolve(in: context, explanation: .included).resolution.trace
            }
        }
        for (index, trace) in traces.enumerated() { links[index].answer.resolution.trace = trace }
    }

    private func recorded(_ parsed: ParsedRequest, _ links: [LinkResolver.ResolvedLink]) -> HandlerResult {
        .later { responder in
            let (isBatch, warnings) = (parsed.isBatch, parsed.warnings)
            linkResolver.record(links, of: parsed.request, for: responder) { recorded in
                BufferedResponse(json: try json(of: links, recorded, isBatch: isBatch, warnings: warnings))
            }
        }
    }

    private func read(_ body: ByteBuffer) throws -> ResolveRequest {
        let limits = JSONReader.Limits(maximumBytes: limits.batchBytes, maximumDepth: limits.jsonDepth)
        return try body.withUnsafeReadableBytes { raw in
            try raw.withMemoryRebound(to: UInt8.self) { bytes in
                do {
                    // Only a batch may be larger than the limit of a single link.
                    if bytes.count > self.limits.bodyBytes, try JSONReader.parse(bytes, limits: limits)["links"] == nil
                    {
                        throw Problem(bodyOf: "\(bytes.count)", over: self.limits.bodyBytes)
                    }
                    return try ResolveRequest(bytes, limits: limits)
                } catch let error as JSONSyntaxError {
                    throw Problem(
                        .malformedJSON,
                        #"The body is not JSON: \#(error.description) Send an object such as {"url": "https://…"}."#
                    )
                }
            }
        }
    }

    private static let otherPlace = Problem(
        .continuationInvalid,
        "The continuation is for another environment or tenant; leave out 'environment', or resolve the link again."
    )

    /// Returns the links of the message. A continuation holds its own link, and is valid only for the tenant and the
    /// environment for which it was made.
    private func links(
        of message: inout ResolveRequest
    ) throws -> (links: [ResolveRequest.Link], isBatch: Bool, continuation: Continuation?) {
        switch message.subject {
        case .link(let link): return ([link], false, nil)
        case .batch(let links): return (links, true, nil)
        case .continuation(let token, let clientEventID):
            do {
                let continuation = try linkResolver.sealer.open(token, for: message.context.app, at: linkResolver.now())
                guard message.environment ?? continuation.environment == continuation.environment else {
                    throw Self.otherPlace
                }
                message.environment = continuation.environment
                let link = ResolveRequest.Link(url: continuation.url, clientEventID: clientEventID)
                return ([link], false, continuation)
            } catch Continuation.Failure.expired {
                throw Problem(
                    .continuationExpired,
                    "The continuation is older than 30 minutes; resolve the link again."
                )
            } catch Continuation.Failure.invalid {
                throw Problem(
                    .continuationInvalid,
                    "The continuation was not issued by this server, or not for this 'context.app', which must be the "
                        + "'app' of the response that had the token; correct it, or resolve the link again."
                )
            }
        }
    }

    /// Takes each link from its tenant's rate limit. If one tenant's is exceeded, nothing is answered or recorded.
    private func checkTenants(of tables: [PublishedTable]) throws {
        let counts = Dictionary(tables.map { ($0.tenant, 1) }, uniquingKeysWith: +)
        for (tenant, count) in counts { try admission.check(.tenant(tenant), amount: count) }
    }

    /// Warns about an app that the tenants of the links do not have.
    private func warning(about app: AppID, of tables: [PublishedTable]) -> [String] {
        let isUnknown = tables.contains { table in !table.router.identity.apps.contains { $0.id == app } }
        guard isUnknown else { return [] }
        return ["context.app: '\(app)' is not an app in the tenant's settings; the first app of the platform was used."]
    }

    /// Checks the key for a trace, which shows unpublished paths: it needs the scope `explain`, unless the tenant shows
    /// traces to all.
    private func checkExplanation(_ tables: [PublishedTable], _ grant: KeyGrant?) throws {
        for table in tables where table.settings.explain == .key {
            guard grant?.allows(.explain, for: table.tenant) == true, grant?.allows(table.environment) == true else {
                throw Problem(
                    .explainForbidden,
                    "'explain' needs a key with the scope 'explain'; send such a key, or leave 'explain' out."
                )
            }
        }
    }

    private func json(
        of links: [LinkResolver.ResolvedLink],
        _ recorded: LinkResolver.RecordedLinks,
        isBatch: Bool,
        warnings: [String]
    ) throws -> [UInt8] {
        guard isBatch else {
            var response = try linkResolver.response(links[0], event: recorded.events[0], in: recorded)
            response.warnings = warnings
            return response.json()
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("results")
        writer.beginArray()
        for (link, event) in zip(links, recorded.events) {
            try linkResolver.response(link, event: event, in: recorded).write(to: &writer)
        }
        writer.endArray()
        if !warnings.isEmpty {
            writer.key("warnings")
            writer.beginArray()
            for warning in warnings { writer.string(warning) }
            writer.endArray()
        }
        writer.endObject()
        return writer.finish()
    }
}
