import HTTPTransport
import LinkCatalog
import LinkEvents
import LinkRouting

extension LinkResolver {
    /// How a link led to its answer.
    final class Followed: Sendable {
        /// Nil for a link that another one contains, and for an unknown code.
        let shortLink: Event.ShortLinkName?
        /// The page that the link leads to; nil if it leads to another link.
        let page: DeepLink?
        /// The names of the query items that the short link's campaign added to its target.
        let campaign: Set<String>
        /// What chats show of the short link; nil if it does not say.
        let preview: LinkPreview?
        /// Why nobody may follow the short link any more; nil if it was followed.
        let gone: Gone?
        /// The parameters of the clicked route, if the link led nowhere: its event describes the clicked link, without the
        /// route, and must not contain the sensitive ones.
        let clicked: [CapturedParameter]
        /// Whether the clicked route captured a sensitive value besides the followed one.
        let isSensitive: Bool

        init(
            _ shortLink: Event.ShortLinkName? = nil,
            page: DeepLink? = nil,
            campaign: Set<String> = [],
            preview: LinkPreview? = nil,
            gone: Gone? = nil,
            clicked: [CapturedParameter] = [],
            isSensitive: Bool = false
        ) {
            self.shortLink = shortLink
            self.page = page
            self.campaign = campaign
            self.preview = preview
            self.gone = gone
            self.clicked = clicked
            self.isSensitive = isSensitive || clicked.contains(where: \.isSensitive)
        }
    }

    /// Why nobody may follow a short link any more.
    enum Gone: Sendable {
        case expired, archived
        case blocked(reason: String)

        init?(_ link: ShortLink, at now: Timestamp) {
            switch link.status {
            case .archived, .archivedBlocked: self = .archived
            case .blocked(let reason): self = .blocked(reason: reason)
            case .active:
                guard link.hasExpired(at: now) else { return nil }
                self = .expired
            }
        }

        /// The code of the answer's and of the event's reason.
        var code: String {
            switch self {
            case .expired: "link_expired"
            case .archived: "link_archived"
            case .blocked: "link_blocked"
            }
        }

        /// For people who clicked the link.
        var message: String {
            switch self {
            case .expired: "This link was valid for some time only."
            case .archived: "This link is not in use any more."
            case .blocked(let reason): reason
            }
        }
    }

    /// Goes on from an undecided link that contains another one. A short link stays undecided.
    func followContained(
        in link: ResolvedLink,
        in context: LinkContext,
        of catalog: Catalog
    ) -> ResolvedLink {
        switch link.answer.resolution.followed {
        case .code: link
        case .link(let text):
            link.landed(on: link.answer.table.flatMap { catalog.target(text, of: $0, in: context) }, in: context)
        // The table needs a feature that this server lacks.
        case nil: link.withoutRoute(in: context)
        }
    }

    /// The numbers of unknown codes in a request, by the tenants whose codes it tries.
    typealias UnknownCodes = [TenantID: Int]

    /// Looks up the code of an undecided link of a request, and resolves its target.
    ///
    /// - Parameter unknown: The unknown codes of the request so far, which ``take(_:of:)`` takes from the limit. The limit
    ///   refuses a request before its first code of a tenant only.
    /// - Throws: A ``Problem`` if the client has tried too many unknown codes of the tenant. Clients with a key may.
    func follow(
        _ link: ResolvedLink,
        in request: Request,
        _ unknown: inout UnknownCodes
    ) async throws -> ResolvedLink {
        let tenant = link.answer.tenant
        if link.code != nil, unknown[tenant] == nil {
            if let client = request.client { try admission.check(.unknownCode(client, tenant), amount: 0) }
            unknown[tenant] = 0
        }
        guard let short = try await lookUp(link) else {
            if link.code != nil { unknown[tenant, default: 0] += 1 }
            return link.withoutRoute(in: request.context)
        }
        let followed = follow(link, to: short, in: request.context, of: request.catalog)
        count(followed)
        if followed.followed?.gone == nil, request.caller.purpose == .live {
            // A click is answered even if the disk is full; the next one tries again.
            _ = try? await shortLinks.prolong(short, of: followed.answer.tenant, at: now())
        }
        return followed
    }

    /// The same for the only link of a request.
    func follow(_ link: ResolvedLink, in request: Request) async throws -> ResolvedLink {
        var unknown: UnknownCodes = [:]
        let followed = try await follow(link, in: request, &unknown)
        take(unknown, of: request)
        return followed
    }

    /// Takes the unknown codes of a request from the limit of its address.
    func take(_ unknown: UnknownCodes, of request: Request) {
        guard let client = request.client else { return }
        for (tenant, count) in unknown where count > 0 {
            _ = admission.admit(.unknownCode(client, tenant), amount: count)
        }
    }

    /// The short links of a message, so that each code is looked up once; nil for unknown codes.
    typealias KnownCodes = [FollowedText: ShortLink?]

    /// Resolves a link that an app reports, and looks up its code. Unknown codes are not limited: the answer to a report
    /// does not tell whether a code exists.
    func followed(
        _ link: LocatedLink,
        in context: LinkContext,
        of catalog: Catalog,
        _ known: inout KnownCodes
    ) async throws -> ResolvedLink {
        let link = resolve(link, in: context, of: catalog)
        guard link.needsLookup, let text = link.answer.resolution.followed else { return link }
        if let known = known[text] { return follow(link, to: known, in: context, of: catalog) }
        let short = try await lookUp(link)
        known.updateValue(short, forKey: text)
        let followed = follow(link, to: short, in: context, of: catalog)
        count(followed)
        return followed
    }

    /// Returns the short link of an undecided link; nil for an unknown code.
    private func lookUp(_ link: ResolvedLink) async throws -> ShortLink? {
        guard let (code, ignoringCase) = link.code, let table = link.answer.table else { return nil }
        if let short = try await shortLinks.link(code, of: table.tenant, ignoringCase: ignoringCase) { return short }
        tenants.count(.unknown, of: table.tenant)
        return nil
    }

    /// Counts a followed short link.
    private func count(_ link: ResolvedLink) {
        guard let followed = link.followed, followed.shortLink != nil else { return }
        let leadsNowhere = link.answer.resolution.route == nil
        tenants.count(followed.gone != nil ? .gone : leadsNowhere ? .broken : .followed, of: link.answer.tenant)
    }

    /// Resolves the target of an undecided link, whose code belongs to `short`; nil for an unknown code.
    private func follow(
        _ link: ResolvedLink,
        to short: ShortLink?,
        in context: LinkContext,
        of catalog: Catalog
    ) -> ResolvedLink {
        guard let short, let table = link.answer.table, let clicked = link.answer.link else {
            return link.withoutRoute(in: context)
        }
        let host = Redaction(table).host(of: clicked, parameters: link.answer.resolution.parameters)
        let name = Event.ShortLinkName(place: host ?? "\(clicked.scheme):", code: short.code.rawValue)
        var followed: ResolvedLink
        if let gone = Gone(short, at: now()) {
            followed = link.ended(by: gone, in: context)
            followed.followed = Followed(name, gone: gone, clicked: followed.followed?.clicked ?? [])
        } else {
            let landing = short.content.landing
            let target = catalog.target(landing.text, of: table, in: context)
            followed = link.landed(on: target, in: context)
            followed.followed = Followed(
                name,
                page: followed.followed?.page,
                // Everybody can send the text of an app's link.
                campaign: target == nil || short.isFromApp ? [] : Set(landing.added.map(\.name)),
                preview: short.content.preview,
                clicked: followed.followed?.clicked ?? [],
                isSensitive: followed.followed?.isSensitive ?? false
            )
        }
        return followed
    }
}

extension LinkResolver.Request {
    /// The client whose unknown codes are limited; nil for one with a key.
    fileprivate var client: ClientAddress? { message.grant == nil ? message.scope.client : nil }
}

extension LinkResolver.ResolvedLink {
    /// The code of an undecided link; nil for a text in another form, such as `favicon.ico`, which guesses no code.
    fileprivate var code: (code: ShortCode, ignoringCase: Bool)? {
        guard case .code(let text, let ignoringCase)? = answer.resolution.followed else { return nil }
        return ShortCode(text).map { ($0, ignoringCase) }
    }

    /// The link with the answer of its target. It is valid for no time: the target may change, and a reported link is blocked
    /// at once.
    fileprivate func landed(on target: FollowedTarget?, in context: LinkContext) -> Self {
        var landed = self
        // The followed value itself always is.
        let isSensitive = answer.resolution.parameters.count(where: \.isSensitive) > 1
        landed.followed = LinkResolver.Followed(isSensitive: isSensitive)
        switch target {
        case .link(let answer):
            landed.answer = answer
            landed.answer.resolution.validFor = 0
        case .page(let page):
            let route = answer.resolution
            landed.answer.resolution = Resolution(
                outcome: .matched,
                action: .openWeb,
                route: route.route,
                pattern: route.pattern,
                parameters: route.parameters,
                destination: ResolvedDestination(web: page.text),
                app: route.app,
                validFor: 0
            )
            landed.followed = LinkResolver.Followed(page: page, isSensitive: isSensitive)
        case nil: return withoutRoute(in: context)
        }
        return landed
    }

    /// The link as one that no route matches. Its code may be created at any time.
    fileprivate func withoutRoute(in context: LinkContext) -> Self {
        var unmatched = self
        unmatched.answer.resolution =
            answer.link.flatMap { answer.table?.router.resolveWithoutRoute($0, in: context) }
            ?? Resolution(outcome: .unmatched)
        unmatched.answer.resolution.validFor = 0
        unmatched.followed = LinkResolver.Followed(clicked: answer.resolution.parameters)
        return unmatched
    }

    /// The link as one that leads nowhere any more.
    fileprivate func ended(by gone: LinkResolver.Gone, in context: LinkContext) -> Self {
        guard case .blocked = gone else {
            var ended = withoutRoute(in: context)
            ended.answer.resolution.outcome = .fallback
            return ended
        }
        var blocked = self
        let route = answer.resolution
        blocked.answer.resolution = Resolution(
            outcome: .matched,
            action: .block,
            route: route.route,
            pattern: route.pattern,
            parameters: route.parameters,
            app: route.app,
            validFor: 0
        )
        return blocked
    }
}
