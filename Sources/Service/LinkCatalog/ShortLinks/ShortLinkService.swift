package import LinkRouting

/// Creates and changes the short links of tenants: checks targets against the live table and the limits of the key, then
/// stores.
package struct ShortLinkService: Sendable {
    private let links: any ShortLinkStore
    private let store: any SettingsStore & AuditStore
    private let catalog: @Sendable () -> Catalog
    /// Checks many targets.
    private let queue: WorkQueue

    /// The maximum number of links in one request.
    package static let maximumLines = 10_000
    /// The number of links in one transaction.
    private static let batch = 500

    package init(
        _ links: any ShortLinkStore,
        store: any SettingsStore & AuditStore,
        queue: WorkQueue,
        catalog: @escaping @Sendable () -> Catalog
    ) {
        self.links = links
        self.store = store
        self.queue = queue
        self.catalog = catalog
    }

    package enum Failure: Error, Sendable {
        case unknownLink(ShortCode)
        case codeTaken(ShortCode)
        /// The link has a wrong member or target.
        case invalid(String)
        /// The tenant, or its apps, have created as many links as are allowed.
        case tooManyLinks(ofApps: Bool)
    }

    /// Returns the targets that a key may give to links of a tenant, which must exist and be active.
    package func targets(of tenant: TenantID, for grant: KeyGrant) async throws -> ShortLinkTargets {
        let catalog = catalog()
        guard let table = catalog.table(of: tenant) else {
            guard try await store.settingsRevision(of: tenant) != nil else {
                throw PublishingService.Failure.unknownTenant(tenant)
            }
            if let unreadable = catalog.unreadable.first(where: { $0.tenant == tenant }) {
                throw UnreadableDocument(.settings(tenant), unreadable.reason)
            }
            throw InactiveTenant(tenant: tenant, archival: .archived)
        }
        return ShortLinkTargets(table, in: catalog, within: grant.routeLimits)
    }

    // MARK: Creating

    /// Throws if the key may not create the link. A link that was created earlier elsewhere may have expired since.
    package func require(_ link: NewShortLink, _ targets: ShortLinkTargets) throws {
        try Self.requireEnd(link.content.expires, after: link.createdAt)
        try Self.throwing { () throws(ShortLinkTargets.Refusal) in try targets.require(link.content) }
    }

    /// Creates a checked link. Returns the existing one instead if the request permits that.
    package func create(_ link: NewShortLink, of tenant: TenantID) async throws -> (link: ShortLink, isNew: Bool) {
        switch try await links.create([link], of: tenant).first {
        case .created(let link): return (link, true)
        case .reused(let link): return (link, false)
        case .taken(let link): throw Failure.codeTaken(link.code)
        case .full(let ofApps): throw Failure.tooManyLinks(ofApps: ofApps)
        case nil: throw Failure.tooManyLinks(ofApps: false)
        }
    }

    /// A line of a request for many links.
    package struct Line: Sendable {
        /// The first line is 1.
        package let number: Int
        /// The code that the line has, even if its link is not created.
        package let code: String?
        /// The link, or why it is not created.
        package let link: Result<NewShortLink, any Error>

        package init(number: Int, code: String?, link: Result<NewShortLink, any Error>) {
            self.number = number
            self.code = code
            self.link = link
        }
    }

    /// Reads lines and checks their links, in the queue of editors' work.
    ///
    /// - Parameter read: Called on the thread of the queue. It may throw, which refuses all lines.
    package func check(
        _ targets: ShortLinkTargets,
        of tenant: TenantID,
        _ read: @escaping @Sendable () throws -> [Line]
    ) async throws -> [Line] {
        try await queue.run(for: .tenant(tenant)) { cancellation in
            try read().map { line in
                guard !cancellation.isCancelled else { throw CancellationError() }
                return Line(
                    number: line.number,
                    code: line.code,
                    link: Result {
                        let link = try line.link.get()
                        try require(link, targets)
                        return link
                    }
                )
            }
        }
    }

    /// Creates the links of checked lines; a broken line does not prevent the others. Writes one row to the audit, with the
    /// number of lines that are not broken, if there are any.
    ///
    /// - Returns: One result for each line.
    package func create(
        _ lines: [Line],
        checkedWith targets: ShortLinkTargets,
        of tenant: TenantID,
        by grant: KeyGrant,
        change: AuditContext
    ) async throws -> [Result<ShortLinkCreation, any Error>] {
        let valid = lines.count { if case .success = $0.link { true } else { false } }
        if valid > 0 {
            let facts = JSONNode.object(["lines": .int(valid)])
            try await store.note(AuditAction(.importShortLinks, of: tenant, facts), change: change)
        }
        var results: [Result<ShortLinkCreation, any Error>] = []
        for start in stride(from: 0, to: lines.count, by: Self.batch) {
            var lines = Array(lines[start..<min(start + Self.batch, lines.count)])
            do {
                // By now, other tables may be live, or the tenant archived.
                let current = try await self.targets(of: tenant, for: grant)
                if !current.areThose(targets) { lines = try await check(current, of: tenant) { [lines] in lines } }
            } catch {
                for _ in lines { results.append(.failure(error)) }
                continue
            }
            var new: [NewShortLink] = []
            for case .success(let link) in lines.lazy.map(\.link) { new.append(link) }
            var created = try await links.create(new, of: tenant)[...]
            for line in lines {
                switch line.link {
                case .failure(let error): results.append(.failure(error))
                case .success:
                    if let next = created.popFirst() {
                        results.append(.success(next))
                    } else {
                        results.append(.failure(Failure.tooManyLinks(ofApps: false)))
                    }
                }
            }
        }
        return results
    }

    // MARK: Changing

    /// Replaces the content of a link.
    ///
    /// - Parameter expected: The version that the caller replaces; nil for any.
    package func edit(
        _ code: ShortCode,
        of tenant: TenantID,
        _ content: ShortLink.Content,
        expected: Int64?,
        by grant: KeyGrant,
        at now: Timestamp
    ) async throws -> ShortLink {
        let targets = try await targets(of: tenant, for: grant)
        try Self.throwing { () throws(ShortLinkTargets.Refusal) in try targets.require(content) }
        return try await update(code, of: tenant, targets, expected: expected, by: grant, at: now) { link in
            // What has expired can be edited without a new end.
            if content.expires != link.content.expires { try Self.requireEnd(content.expires, after: now) }
            link.content = content
        }
    }

    /// Archives, restores or blocks a link. Blocking writes a row to the audit.
    package func setStatus(
        by status: ShortLink.Status.Change,
        of code: ShortCode,
        of tenant: TenantID,
        expected: Int64?,
        by grant: KeyGrant,
        change: AuditContext
    ) async throws -> ShortLink {
        let targets = try await targets(of: tenant, for: grant)
        if case .block(let reason) = status {
            // Nothing is noted about a link that stays as it is.
            guard let link = try await links.link(code, of: tenant, ignoringCase: false) else {
                throw Failure.unknownLink(code)
            }
            try Self.require(link, targets, expected: expected)
            guard link.status != .blocked(reason: reason) else { return link }
            let facts = JSONNode.object(["code": .string(code.rawValue), "reason": .string(reason)])
            try await store.note(AuditAction(.blockShortLink, of: tenant, facts), change: change)
        }
        return try await update(code, of: tenant, targets, expected: expected, by: grant, at: change.at) {
            $0.status = $0.status.after(status)
        }
    }

    private func update(
        _ code: ShortCode,
        of tenant: TenantID,
        _ targets: ShortLinkTargets,
        expected: Int64?,
        by grant: KeyGrant,
        at now: Timestamp,
        _ change: @escaping @Sendable (inout ShortLink) throws -> Void
    ) async throws -> ShortLink {
        let changed = try await links.update(code, of: tenant, by: grant.actor, at: now) { link in
            try Self.require(link, targets, expected: expected)
            var changed = link
            try change(&changed)
            return changed
        }
        guard let changed else { throw Failure.unknownLink(code) }
        return changed
    }

    /// Throws if the key may not change the link, or the link has another version than expected.
    private static func require(_ link: ShortLink, _ targets: ShortLinkTargets, expected: Int64?) throws {
        try throwing { () throws(ShortLinkTargets.Refusal) in try targets.requireLimit(link.content) }
        guard expected == nil || expected == link.version else { throw StaleWrite(current: "\(link.version)") }
    }

    /// Throws if a link would expire before it can be followed.
    private static func requireEnd(_ expires: Timestamp?, after start: Timestamp) throws {
        guard let expires, expires <= start else { return }
        throw Failure.invalid(
            "expires: '\(expires)' is in the past; write a later time, or leave it out. Only an imported link whose "
                + "'createdAt' is earlier may have expired."
        )
    }

    /// Converts a refused target to the failure of a request.
    private static func throwing(_ check: () throws(ShortLinkTargets.Refusal) -> Void) throws {
        do throws(ShortLinkTargets.Refusal) {
            try check()
        } catch {
            switch error {
            case .invalid(let reason): throw Failure.invalid("target: \(reason)")
            case .outsideLimit(let reason): throw PublishingService.Failure.outsideLimit([reason])
            }
        }
    }
}
