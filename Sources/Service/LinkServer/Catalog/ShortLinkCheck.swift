import LinkCatalog
import LinkEvents
import LinkRouting

/// Finds the short links that a table would break: those whose target is answered now, and would not be any more.
/// Links that apps made are left out: they are many, and end by themselves.
struct ShortLinkCheck: Sendable {
    let links: any ShortLinkStore
    let analytics: any EventAnalytics
    let queue: WorkQueue
    let catalog: LiveCatalog
    let now: @Sendable () -> Timestamp
    let uptime: @Sendable () -> ContinuousClock.Instant

    /// The number of the newest links that are checked, and of those with the most clicks.
    private static let mostLinks = 50_000
    /// The period whose clicks count.
    private static let days: Int64 = 30
    /// The time that a check may add to a publication, without its turn in the queue.
    private static let time = Duration.seconds(2)
    private static let shownLinks = 5
    private static let linksPerLook = 64

    /// Returns the findings for a table that is about to be published. Clicks use the table of production only.
    func findings(for table: PublishedTable) async throws -> [Finding] {
        let (live, uptime) = (catalog.current, uptime)
        guard table.environment == .production, let before = live.table(of: table.tenant) else { return [] }
        let start = uptime()
        let newest = ShortLinkQuery(status: .active(at: now()), isFromApp: false, limit: Self.mostLinks)
        let page = try await links.list(newest, of: table.tenant)
        var checked = page.links
        let hasMore = checked.count == Self.mostLinks || page.searchedUntil != nil
        let end = start + Self.time
        if hasMore, uptime() < end { checked += try await mostClicked(of: table.tenant, besides: checked, until: end) }
        guard !checked.isEmpty else { return [] }
        guard before.shortLinkRoutes.isEmpty || !table.shortLinkRoutes.isEmpty else { return [Self.withoutRoutes] }
        let (targets, targetsBefore) = (ShortLinkTargets(table, in: live), ShortLinkTargets(before, in: live))
        let left = end - uptime()
        guard left > .zero else { return Self.findings(0, [], checked: 0, isLimited: true) }
        return try await queue.run(for: .tenant(table.tenant)) { [checked] cancellation in
            let end = uptime() + left
            var (count, broken) = (0, [ShortLink]())
            for (index, link) in checked.enumerated() {
                if index % Self.linksPerLook == 0, cancellation.isCancelled || uptime() >= end {
                    return Self.findings(count, broken, checked: index, isLimited: true)
                }
                guard !targets.allow(link.content), targetsBefore.allow(link.content) else { continue }
                count += 1
                if broken.count < Self.shownLinks { broken.append(link) }
            }
            return Self.findings(count, broken, checked: checked.count, isLimited: hasMore)
        }
    }

    /// Returns the links with the most clicks that are not among the newest.
    private func mostClicked(
        of tenant: TenantID,
        besides newest: [ShortLink],
        until end: ContinuousClock.Instant
    ) async throws -> [ShortLink] {
        let today = now().day
        let first = CivilDay(daysSince1970: today.daysSince1970 - Self.days + 1)
        let totals = try await analytics.shortLinkTotals(
            ShortLinkTotalsQuery(tenant: tenant, purposes: [.live], days: first...today, limit: Self.mostLinks)
        )
        let known = Set(newest.map(\.code))
        var found: [ShortLink] = []
        for total in totals.links {
            guard uptime() < end else { break }
            guard let code = ShortCode(total.code), !known.contains(code),
                let link = try await links.link(code, of: tenant, ignoringCase: false), link.status == .active,
                !link.isFromApp
            else { continue }
            found.append(link)
        }
        return found
    }

    private static let withoutRoutes = Finding(
        .shortLinkBreaks,
        .warning,
        path: "table.routes",
        message: "No route follows short links any more, so that none of them can be reached.",
        fix: "Keep a route with 'follow: shortLinks'."
    )

    /// - Parameters:
    ///   - broken: The first of the links that break.
    ///   - isLimited: Whether the tenant has links that were not checked.
    private static func findings(_ count: Int, _ broken: [ShortLink], checked: Int, isLimited: Bool) -> [Finding] {
        let limit = isLimited ? " Only \(checked) links were checked; there may be more (limited)." : ""
        guard let first = broken.first else {
            guard isLimited else { return [] }
            return [
                Finding(
                    .shortLinkBreaks,
                    .info,
                    path: "table.routes",
                    message: "No short link is known to break.\(limit)",
                    fix: ""
                )
            ]
        }
        let codes = broken.map { "'\($0.code)'" }.joined(separator: ", ")
        let subject = count == 1 ? "1 short link leads" : "\(count) short links lead"
        return [
            Finding(
                .shortLinkBreaks,
                .warning,
                path: "table.routes",
                message: "\(subject) to a link that no route would answer any more: \(codes)"
                    + (count > broken.count ? " and others." : ".") + limit,
                fix: "Keep routes for their targets, or give the short links other targets before the publication.",
                example: first.content.target
            )
        ]
    }
}

extension ShortLinkTargets {
    fileprivate func allow(_ content: ShortLink.Content) -> Bool {
        do throws(Refusal) {
            try require(content)
            return true
        } catch {
            return false
        }
    }
}
