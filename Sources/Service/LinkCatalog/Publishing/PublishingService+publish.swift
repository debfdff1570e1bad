package import LinkRouting

/// Publications, rollbacks and promotions.
extension PublishingService {
    /// The details that a person gives with a publication.
    package struct Note: Sendable {
        package var message: String
        package var approvals: [String]
        /// Why the publication may go ahead although suites fail. It applies to this publication only.
        package var overrideReason: String?
        /// The unasked changes that the publication may make.
        package var accepts: Set<UnaskedChanges.Kind>

        package init(
            message: String = "",
            approvals: [String] = [],
            overrideReason: String? = nil,
            accepts: Set<UnaskedChanges.Kind> = []
        ) {
            self.message = message
            self.approvals = approvals
            self.overrideReason = overrideReason
            self.accepts = accepts
        }
    }

    /// The live revision after a publication, and the plan that it came from.
    package struct Published: Sendable {
        package let outcome: Publication.Outcome
        package let plan: TablePlan

        package var row: PublishedRevision { outcome.row }
    }

    /// Merges the draft into the live table and publishes the result. It is live when this method returns. A result that
    /// is live already makes no revision.
    package func publish(
        _ location: DraftLocation,
        expected: DraftVersion? = nil,
        note: Note = Note(),
        limit: KeyGrant? = nil,
        change: AuditContext
    ) async throws -> Published {
        try await publishing(location, note, limit, change) { state in
            let draft = try await writtenDraft(at: location)
            guard expected == nil || expected == draft.version else { throw StaleWrite(current: "\(draft.version)") }
            let plan = try await plan(draft, state, limit)
            try requireStorable(plan.content, "The draft merged with the live table")
            return (plan, .draft(draft.name, draft.version))
        }
    }

    /// Publishes an earlier table under a new revision number: one of the same environment (rollback) or of another
    /// (promotion). Throws ``Failure/findings(_:)`` when the table no longer passes the checks, for instance because it
    /// names an app or a host that the settings no longer have. A table that is live already makes no revision.
    package func publishAgain(
        _ revision: Revision,
        in location: DraftLocation,
        expected: Revision? = nil,
        note: Note = Note(),
        limit: KeyGrant? = nil,
        change: AuditContext
    ) async throws -> Published {
        let row = try await require(revision, of: location.tenant, for: limit)
        let origin: Publication.Origin =
            row.environment == location.environment ? .rollback(revision) : .promotion(revision)
        return try await publishing(location, note, limit, change) { state in
            try state.require(expected)
            return (try await plan(row, state), origin)
        }
    }

    /// Returns what publishing an earlier table in an environment would change.
    package func plan(_ revision: Revision, in location: DraftLocation, limit: KeyGrant? = nil) async throws
        -> TablePlan
    {
        let row = try await require(revision, of: location.tenant, for: limit)
        let state = try await state(of: location)
        try state.requireEnvironment()
        return try await plan(row, state)
    }

    /// Plans the table of an earlier revision, with what its promotion would undo.
    private func plan(_ row: PublishedRevision, _ state: State) async throws -> TablePlan {
        let tenant = state.location.tenant
        let content = try await content(of: row.revision, tenant: tenant)
        var planned = try await plan(content, over: nil, state)
        guard row.environment != state.location.environment, let revision = state.checked.live, let live = state.live
        else { return planned }
        let rows = try await store.revisions(of: tenant, in: nil, before: nil, limit: RevisionRoom.ofTenant.revisions)
        let step = row.stepBefore(promotionOver: revision, in: state.location.environment, rows)
        let base = try await readableContent(of: step, tenant: tenant) ?? Self.emptyTable
        planned.unasked = try await queue.run(for: .tenant(tenant)) { _ in
            UnaskedChanges(promoting: content, over: live, since: base)
        }
        return planned
    }

    /// Makes a plan and commits it. Plans again when the state it was checked against has changed in between.
    private func publishing(
        _ location: DraftLocation,
        _ note: Note,
        _ limit: KeyGrant?,
        _ change: AuditContext,
        _ makePlan: (State) async throws -> (TablePlan, Publication.Origin)
    ) async throws -> Published {
        try requireOverriding(note, limit)
        return try await Self.repeating {
            let state = try await state(of: location)
            try state.requireEnvironment()
            let (plan, origin) = try await makePlan(state)
            let outcome = try await store.publish(
                try await publication(of: plan, origin, at: location, note, limit),
                change: change
            )
            if let row = outcome.new {
                onPublication(row, location.tenant, change)
                try await reload(behind: "Revision \(row.revision) is published")
            }
            return Published(outcome: outcome, plan: plan)
        }
    }

    /// Approvals and suites protect all routes, so only keys for whole tenants may bypass them.
    func requireOverriding(_ note: Note, _ limit: KeyGrant?) throws {
        if let limit, !limit.isForWholeTenants, note.overrideReason != nil || !note.approvals.isEmpty {
            throw Failure.outsideLimit([
                "a key limited to environments or routes cannot claim approvals or override suites"
            ])
        }
    }

    /// Returns the publication of a plan. Throws if the plan, the key or a suite does not permit it.
    func publication(
        of plan: TablePlan,
        _ origin: Publication.Origin,
        at location: DraftLocation,
        _ note: Note,
        _ limit: KeyGrant?
    ) async throws -> Publication {
        guard plan.errors.isEmpty else { throw Failure.findings(plan.errors) }
        if let limit {
            try await require(plan.diff, within: limit, from: plan.live, to: plan.content, plan.identity, at: location)
        }
        if let unasked = plan.unasked, !note.accepts.contains(unasked.kind) {
            throw Failure.unasked(unasked, location.environment)
        }
        guard plan.suiteFailures.isEmpty || note.overrideReason != nil else {
            throw Failure.suites(plan.suiteFailures)
        }
        try await queue.run(for: .tenant(location.tenant)) { try prepare(plan.published, $0) }
        return Publication(
            tenant: location.tenant,
            environment: location.environment,
            // Without a change, the live text itself, which the store recognises: the order of members may differ.
            content: plan.diff.isEmpty && plan.checked.live != nil ? plan.live : plan.content,
            message: note.message,
            approvals: note.approvals,
            overrideReason: plan.suiteFailures.isEmpty ? nil : note.overrideReason,
            origin: origin,
            checked: plan.checked
        )
    }
}
