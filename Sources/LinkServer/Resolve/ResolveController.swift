import HTTPTransport
import HTTPTypes
import LinkAPI
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkService
import NIOCore

/// Serves `POST /resolve`.
struct ResolveController: Sendable {
    let linkResolver: LinkResolver
    let limits: LiveLimits
    let admission: Admission

    /// Larger messages are handled by a task, because parsing and resolving them may take milliseconds.
    private static let largestOnLoop = 1 << 14

    var endpoint: PublicEndpoint {
        PublicEndpoint(
            methods: [.post],
            path: "/resolve",
            bodyLimit: { [limits] in limits.batchBytes },
            acceptsKey: true
        ) { request, body in
            guard body.readableBytes > Self.largestOnLoop else {
                let work = try work(request, body)
                return try result(of: work, work.links.map { resolve($0, work) })
            }
            return .async {
                let work = try work(request, body)
                return try await result(of: work, Self.oneByOne(work.links) { resolve($0, work) }).response
            }
        }
    }

    /// What a message asks for, and what all its links have in common.
    private struct Work: Sendable {
        let request: PublicRequest
        let message: ResolveRequest
        let links: [ResolveRequest.Link]
        let isBatch: Bool
        /// The tenant of a continuation; nil for other links.
        let tenant: TenantID?
        let caller: LinkResolver.Caller
        let catalog: Catalog
    }

    private func work(_ request: PublicRequest, _ body: ByteBuffer) throws -> Work {
        var message = try message(in: body)
        if message.context.now != nil { message.warnings.append("context.now is set by the server and was ignored.") }
        message.context.now = linkResolver.now()
        let client = request.scope.client.address
        let caller = LinkResolver.Caller(
            requestID: request.scope.requestID,
            address: client,
            country: message.context.country == nil ? linkResolver.country(of: client) : nil,
            userAgent: request.head.headerFields.value(of: .userAgent),
            method: "POST",
            source: "api",
            kind: .resolve,
            purpose: message.purpose,
            occurredAt: message.occurredAt
        )
        let (links, isBatch, tenant) = try links(of: &message)
        return Work(
            request: request,
            message: message,
            links: links,
            isBatch: isBatch,
            tenant: tenant,
            caller: caller,
            catalog: linkResolver.catalog.current
        )
    }

    private func resolve(_ link: ResolveRequest.Link, _ work: Work) -> LinkResolver.ResolvedLink {
        linkResolver.resolve(
            link.url,
            from: work.catalog,
            clientEventID: link.clientEventID,
            in: work.message.context,
            environment: work.message.environment ?? .production,
            by: work.caller
        )
    }

    /// Transforms elements in a task, and lets other tasks run after each of them.
    private static func oneByOne<Element, Result>(
        _ elements: [Element],
        _ transform: (Element) -> Result
    ) async -> [Result] {
        var results: [Result] = []
        for element in elements {
            results.append(transform(element))
            await Task.yield()
        }
        return results
    }

    private func result(of work: Work, _ resolvedLinks: [LinkResolver.ResolvedLink]) throws -> HandlerResult {
        let (scope, grant, catalog) = (work.request.scope, work.request.grant, work.catalog)
        let message = work.message
        if let tenant = work.tenant, resolvedLinks.contains(where: { $0.answer.tenant != tenant }) {
            throw Self.otherPlace
        }
        if let first = resolvedLinks.first { scope.facts.note(first) }
        var warnings = message.warnings
        if let environment = message.environment {
            let tenants = Set(resolvedLinks.compactMap { $0.answer.table?.tenant })
            warnings += tenants.sorted().compactMap { catalog.warning(about: environment, of: $0) }
        }
        if let app = message.context.app { warnings += warning(about: app, of: resolvedLinks) }
        try checkClientKey(resolvedLinks, grant)
        if message.explanation == .included { try checkExplanation(resolvedLinks, grant) }
        try checkTenants(of: resolvedLinks)
        let result = { @Sendable [warnings] (links: [LinkResolver.ResolvedLink]) in
            linkResolver.result(afterRecording: links, arrivedAt: scope.arrival) { recorded in
                BufferedResponse(json: try json(of: links, recorded, isBatch: work.isBatch, warnings: warnings))
            }
        }
        guard message.explanation == .included else { return result(resolvedLinks) }
        return .async {
            let explained = await Self.oneByOne(resolvedLinks) { link in
                link.explained(
                    from: catalog,
                    in: message.context,
                    environment: message.environment ?? .production
                )
            }
            return try await result(explained).response
        }
    }

    private func message(in body: ByteBuffer) throws -> ResolveRequest {
        do {
            return try read(body)
        } catch let error as JSONSyntaxError {
            throw Problem(
                .malformedJSON,
                #"The body is not JSON: \#(error.description) Send an object such as {"url": "https://…"}."#
            )
        }
    }

    private func read(_ body: ByteBuffer) throws -> ResolveRequest {
        let limits = JSONReader.Limits(maximumBytes: limits.batchBytes, maximumDepth: limits.jsonDepth)
        return try body.withUnsafeReadableBytes { raw in
            try raw.withMemoryRebound(to: UInt8.self) { bytes in
                guard bytes.count > self.limits.bodyBytes else { return try ResolveRequest(bytes, limits: limits) }
                // Only a batch may be larger than the limit of a single link.
                guard try JSONReader.parse(bytes, limits: limits)["links"] != nil else {
                    throw Problem(bodyOf: "\(bytes.count)", over: self.limits.bodyBytes)
                }
                return try ResolveRequest(bytes, limits: limits)
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
    ) throws -> (links: [ResolveRequest.Link], isBatch: Bool, tenant: TenantID?) {
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
                if message.context.app == nil { message.context.app = continuation.app }
                let link = ResolveRequest.Link(url: continuation.url, clientEventID: clientEventID)
                return ([link], false, continuation.tenant)
            } catch Continuation.Failure.expired {
                throw Problem(
                    .continuationExpired,
                    "The continuation is older than 30 minutes; resolve the link again."
                )
            } catch Continuation.Failure.invalid {
                throw Problem(
                    .continuationInvalid,
                    "The continuation was not issued by this server, or not for this app; resolve the link again."
                )
            }
        }
    }

    /// Takes each link from its tenant's rate limit. If one tenant's is exceeded, nothing is answered or recorded.
    private func checkTenants(of resolvedLinks: [LinkResolver.ResolvedLink]) throws {
        guard admission.limitsTenants else { return }
        let counts = Dictionary(resolvedLinks.compactMap(\.answer.table).map { ($0.tenant, 1) }, uniquingKeysWith: +)
        for (tenant, count) in counts { try admission.check(.tenant(tenant), amount: count) }
    }

    /// Warns about an app that the tenants of the links do not have.
    private func warning(about app: AppID, of resolvedLinks: [LinkResolver.ResolvedLink]) -> [String] {
        let isUnknown = resolvedLinks.contains { link in
            link.answer.table.map { table in !table.router.identity.apps.contains { $0.id == app } } ?? false
        }
        guard isUnknown else { return [] }
        return ["context.app: '\(app)' is not an app in the tenant's settings; the first app of the platform was used."]
    }

    /// Checks the key for the tenants that answer only their own apps and servers.
    private func checkClientKey(_ resolvedLinks: [LinkResolver.ResolvedLink], _ grant: KeyGrant?) throws {
        for table in resolvedLinks.lazy.compactMap(\.answer.table) {
            try table.checkClientKey(grant, for: table.environment)
        }
    }

    /// Checks the key for a trace, which shows unpublished paths: it needs the scope `explain`, unless the tenant shows
    /// traces to all.
    private func checkExplanation(_ resolvedLinks: [LinkResolver.ResolvedLink], _ grant: KeyGrant?) throws {
        for resolvedLink in resolvedLinks {
            guard let table = resolvedLink.answer.table, table.settings.explain == .key else { continue }
            guard grant?.allows(.explain, for: table.tenant) == true, grant?.allows(table.environment) == true else {
                throw Problem(
                    .explainForbidden,
                    "'explain' needs a key with the scope 'explain'; send such a key, or leave 'explain' out."
                )
            }
        }
    }

    private func json(
        of resolvedLinks: [LinkResolver.ResolvedLink],
        _ recorded: LinkResolver.Recorded,
        isBatch: Bool,
        warnings: [String]
    ) throws -> [UInt8] {
        var writer = JSONWriter()
        guard isBatch else {
            guard let resolvedLink = resolvedLinks.first else { preconditionFailure("a message has at least one link") }
            var response = try linkResolver.response(resolvedLink, recorded)
            response.warnings = warnings
            return response.json()
        }
        writer.beginObject()
        writer.key("results")
        writer.beginArray()
        for resolvedLink in resolvedLinks { try linkResolver.response(resolvedLink, recorded).write(to: &writer) }
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
