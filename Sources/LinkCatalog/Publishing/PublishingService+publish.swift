import AppAssociation
package import LinkRouting

/// Plans, publications, rollbacks and promotions.
extension PublishingService {
    /// The details that a person gives with a publication.
    package struct Note: Sendable {
        package var message: String
        package var approvals: [String]
        /// Why the publication may go ahead although suites fail. It applies to this publication only.
        package var overrideReason: String?

        package init(message: String = "", approvals: [String] = [], overrideReason: String? = nil) {
            self.message = message
            self.approvals = approvals
            self.overrideReason = overrideReason
        }
    }

    /// A newly published revision, and the plan that it came from.
    package struct Published: Sendable {
        package let row: PublishedRevision
        package let plan: TablePlan
    }

    /// Returns what publishing the draft would change.
    package func plan(at place: DraftLocation, limit: KeyGrant? = nil) async throws -> TablePlan {
        let state = try await state(of: place)
        try state.requireEnvironment()
        return try await plan(try await draft(at: place), state, limit)
    }

    /// A desired state to plan for; nil members stay as they are.
    package struct PlanRequest: Sendable {
        package var table: JSONNode?
        /// The revision that the table was made from; nil for the live table, 0 for no table.
        package var base: Revision?
        package var settings: JSONNode?
        /// Suites to store, by name.
        package var suites: [String: LinkSuite]

        package init(
            table: JSONNode?,
            base: Revision? = nil,
            settings: JSONNode? = nil,
            suites: [String: LinkSuite] = [:]
        ) {
            self.table = table
            self.base = base
            self.settings = settings
            self.suites = suites
        }
    }

    /// Returns what applying the request would change.
    package func plan(_ wish: PlanRequest, at place: DraftLocation, limit: KeyGrant? = nil) async throws -> TablePlan {
        let state = try await state(of: place, wishing: wish)
        guard !state.isNew else { throw Failure.unknownTenant(place.tenant) }
        try state.requireEnvironment()
        return try await plan(wish, state, limit)
    }

    private func plan(_ wish: PlanRequest, _ state: State, _ limit: KeyGrant?) async throws -> TablePlan {
        var base = Base(content: state.content, isShown: true)
        if let revision = wish.base {
            if revision.rawValue == 0 {
                base.content = Self.emptyTable
            } else {
                try await require(revision, of: state.place.tenant, for: limit)
                base.content = try await content(of: revision, state)
            }
        }
        return try await plan(wish.table ?? state.content, over: base, state)
    }

    /// Merges the draft into the live table and publishes the result. It is live when this method returns.
    package func publish(
        _ place: DraftLocation,
        expected: DraftVersion? = nil,
        note: Note = Note(),
        limit: KeyGrant? = nil,
        change: AuditContext
    ) async throws -> Published {
        try await publishing(place, note, limit, change) { state in
            guard let draft = try await store.draft(place.draft, of: place.tenant, in: place.environment) else {
                throw Failure.noDraft(place.draft)
            }
            guard expected == nil || expected == draft.version else { throw StaleWrite(current: "\(draft.version)") }
            let plan = try await plan(draft, state, limit)
            try requireStorable(plan.content, "The draft merged with the live table")
            return (plan, .draft(draft.name, draft.version))
        }
    }

    /// Publishes an earlier table under a new revision number: one of the same environment (rollback) or of another
    /// (promotion). Throws ``Failure/findings(_:)`` when the table no longer passes the checks, for instance because it
    /// names an app or a host that the settings no longer have.
    package func publishAgain(
        _ revision: Revision,
        in place: DraftLocation,
        expected: Revision? = nil,
        note: Note = Note(),
        limit: KeyGrant? = nil,
        change: AuditContext
    ) async throws -> Published {
        let environment = try await require(revision, of: place.tenant, for: limit).environment
        let origin: Publication.Origin = environment == place.environment ? .rollback(revision) : .promotion(revision)
        return try await publishing(place, note, limit, change) { state in
            try state.require(expected)
            return (try await plan(try await content(of: revision, tenant: place.tenant), over: nil, state), origin)
        }
    }

    /// Runs a suite against the draft; all stored suites for nil. A draft whose checks fail can be tested as well.
    package func test(_ suite: LinkSuite?, at place: DraftLocation) async throws -> [SuiteResult] {
        let state = try await state(of: place)
        let content = try await draft(at: place).content
        return try await pool.run(for: .tenant(place.tenant)) { cancellation in
            let published = state.published(try Self.table(content))
            let budget = cancellation.budget(of: .suites)
            return (suite.map { [$0] } ?? state.suites).map { suite in
                SuiteResult(suite, failures: runSuite(suite, published, budget))
            }
        }
    }

    /// Returns the live table, and the table that publishing the draft would make live. Throws ``Failure/findings(_:)``
    /// when the draft may not be published.
    package func comparison(
        at place: DraftLocation,
        limit: KeyGrant? = nil
    ) async throws -> (live: PublishedTable, draft: PublishedTable) {
        let state = try await state(of: place)
        guard let draft = try await store.draft(place.draft, of: place.tenant, in: place.environment) else {
            throw Failure.noDraft(place.draft)
        }
        let base = try await base(of: draft, state, limit)
        return try await pool.run(for: .tenant(place.tenant)) { cancellation in
            let content = try merge(draft.content, base, state)
            let table = try Self.table(content)
            let errors = table.check(
                for: state.settings.identity,
                in: content,
                prefix: "table",
                unless: cancellation
            )
            .filter { $0.severity == .error }
            guard errors.isEmpty else { throw Failure.findings(errors) }
            return (state.published(try Self.table(stored: state.content)), state.published(table))
        }
    }

    /// Makes a plan and commits it. Plans again when the state it was checked against has changed in between.
    private func publishing(
        _ place: DraftLocation,
        _ note: Note,
        _ limit: KeyGrant?,
        _ change: AuditContext,
        _ makePlan: (State) async throws -> (TablePlan, Publication.Origin)
    ) async throws -> Published {
        try requireOverriding(note, limit)
        return try await Self.repeating {
            let state = try await state(of: place)
            try state.requireEnvironment()
            let (plan, origin) = try await makePlan(state)
            let row = try await store.publish(
                try await publication(of: plan, origin, at: place, note, limit),
                change: change
            )
            onPublication(row, place.tenant, change)
            try await reload(behind: "Revision \(row.revision) is published")
            return Published(row: row, plan: plan)
        }
    }

    /// Approvals and suites protect all routes, so only keys for whole tenants may bypass them.
    private func requireOverriding(_ note: Note, _ limit: KeyGrant?) throws {
        if let limit, !limit.isForWholeTenants, note.overrideReason != nil || !note.approvals.isEmpty {
            throw Failure.outsideLimit([
                "a key limited to environments or routes cannot claim approvals or override suites"
            ])
        }
    }

    /// Returns the publication of a plan. Throws if the plan, the key or a suite does not permit it.
    private func publication(
        of plan: TablePlan,
        _ origin: Publication.Origin,
        at place: DraftLocation,
        _ note: Note,
        _ limit: KeyGrant?
    ) async throws -> Publication {
        guard plan.errors.isEmpty else { throw Failure.findings(plan.errors) }
        if let limit {
            try await require(plan.diff, within: limit, from: plan.live, to: plan.content, plan.identity, at: place)
        }
        guard plan.suiteFailures.isEmpty || note.overrideReason != nil else {
            throw Failure.suites(plan.suiteFailures)
        }
        try await pool.run(for: .tenant(place.tenant)) { try prepare(plan.published, $0) }
        return Publication(
            tenant: place.tenant,
            environment: place.environment,
            content: plan.content,
            message: note.message,
            approvals: note.approvals,
            overrideReason: plan.suiteFailures.isEmpty ? nil : note.overrideReason,
            origin: origin,
            checked: plan.checked
        )
    }

    // MARK: Files

    /// What applying a file has changed.
    package struct Applied: Sendable {
        package let stored: TenantChange.Stored
        package let plan: TablePlan
    }

    /// Stores settings, table and suites together, and makes them live. Creates the tenant if it is new. If one of them
    /// is refused, nothing is stored.
    ///
    /// - Parameters:
    ///   - suites: The texts of the request's suites.
    ///   - expected: The revision of the settings that the request's replace; 0 for a new tenant, nil accepts any.
    package func apply(
        _ wish: PlanRequest,
        suites: [SuiteName: String],
        at place: DraftLocation,
        expected: Int64?,
        note: Note = Note(),
        claims: HostClaims.Rule = .exclusive,
        limit: KeyGrant? = nil,
        change: AuditContext
    ) async throws -> Applied {
        try requireOverriding(note, limit)
        if let settings = wish.settings {
            try Document.requireStorable(settings, "The settings", maximumBytes: Document.maximumSettingsBytes)
        }
        return try await Self.repeating {
            let state = try await state(of: place, wishing: wish)
            try state.requireEnvironment()
            let plan = try await plan(wish, state, limit)
            try requireStorable(plan.content, "The table")
            let publication = try await publication(of: plan, .file, at: place, note, limit)
            var settings: SettingsChange?
            if let content = wish.settings, state.isNew || !state.settingsChanges.isEmpty {
                let live = try await store.live(of: place.tenant)
                try Self.requireFew(state.settings.namedEnvironments, besides: Set(live.keys), content)
                try await requireLiveTables(
                    live.filter { $0.key != place.environment },
                    of: place.tenant,
                    under: state.settings
                )
                settings = SettingsChange(
                    content: content,
                    identity: state.settings.identity,
                    installKey: state.settings.privacy.recordInstall ? random(Self.installKeyBytes) : nil,
                    expected: expected,
                    checked: live,
                    claims: claims
                )
            }
            let isPublishing = !plan.diff.isEmpty
            let stored = try await store.apply(
                TenantChange(settings: settings, publication: isPublishing ? publication : nil, suites: suites),
                to: place.tenant,
                change: change
            )
            if let row = stored.revision { onPublication(row, place.tenant, change) }
            try await reload(behind: "The file is applied")
            return Applied(stored: stored, plan: plan)
        }
    }

    // MARK: Plans

    /// The state that a publication starts from.
    private struct State: Sendable {
        let place: DraftLocation
        /// Whether the server does not know the tenant yet.
        let isNew: Bool
        let settings: Settings
        /// Changes to the live settings, if the request has settings.
        let settingsChanges: [TableDiff.Field]
        let suites: [LinkSuite]
        let checked: Publication.Checked
        /// The live table; nil when the stored one cannot be read.
        let live: JSONNode?

        var content: JSONNode { live ?? PublishingService.emptyTable }

        /// Compiles a table that may not be live yet, as it would be published.
        func published(_ table: RouteTable) -> PublishedTable {
            PublishedTable(
                tenant: place.tenant,
                environment: place.environment,
                revision: checked.live,
                settingsRevision: checked.settings,
                settings: settings,
                table: table
            )
        }

        func requireEnvironment() throws {
            try PublishingService.requireEnvironment(of: place, settings, live: checked.live)
        }

        func require(_ expected: Revision?) throws {
            guard expected == nil || expected == checked.live else {
                throw StaleWrite(current: "\(checked.live?.rawValue ?? 0)")
            }
        }
    }

    private func state(of place: DraftLocation, wishing wish: PlanRequest = PlanRequest(table: nil)) async throws
        -> State
    {
        let row = try await store.settings(of: place.tenant)
        guard row != nil || wish.settings != nil else { throw Failure.unknownTenant(place.tenant) }
        let live = try await store.live(of: place.tenant, in: place.environment)
        let suites = try await store.suites(of: place.tenant)
        let content = try await readableContent(of: live, tenant: place.tenant)
        return try await pool.run(for: .tenant(place.tenant)) { _ in
            let stored = Dictionary(try suites.map { ($0.name.rawValue, try $0.read()) }) { first, _ in first }
            let named = stored.merging(wish.suites) { _, wished in wished }
            return State(
                place: place,
                isNew: row == nil,
                settings: try wish.settings.map { try Settings(DocumentField($0, path: "settings")) }
                    ?? row?.read() ?? Settings(DocumentField(.object([:]), path: "settings")),
                settingsChanges: wish.settings.map { TableDiff.fields(from: row?.content ?? .object([:]), to: $0) }
                    ?? [],
                suites: named.sorted { $0.key < $1.key }.compactMap { name, suite in
                    var suite = suite.limited(to: place.environment)
                    suite?.name = name
                    return suite
                },
                checked: Publication.Checked(
                    live: live,
                    settings: row?.revision ?? 0,
                    suites: suites.map(\.version).max() ?? 0
                ),
                live: content
            )
        }
    }

    /// The table that a draft started from.
    private struct Base: Sendable {
        var content: JSONNode
        /// Whether the key may see it. It may be a revision of another environment.
        var isShown: Bool
    }

    /// Returns the table that a draft started from. A draft without a base revision started when nothing was live, so
    /// its base is the empty table.
    private func base(of draft: Draft, _ state: State, _ limit: KeyGrant?) async throws -> Base {
        var isShown = true
        if let base = draft.base, let limit, limit.environments != nil {
            let row = try await store.revision(base, of: state.place.tenant)
            isShown = row.map { limit.allows($0.environment) } ?? true
        }
        return Base(content: try await content(of: draft.base, state), isShown: isShown)
    }

    /// Returns a revision's table; an empty one for nil.
    private func content(of revision: Revision?, _ state: State) async throws -> JSONNode {
        revision == state.checked.live
            ? state.content : try await content(of: revision, tenant: state.place.tenant)
    }

    /// Applies the draft's changes to the live table.
    private func merge(_ draft: JSONNode, _ base: Base, _ state: State) throws -> JSONNode {
        // An unreadable live table is left out of the merge: the draft replaces it.
        let merge = TableMerge(base: base.content, live: state.live ?? base.content, draft: draft)
        guard merge.conflicts.isEmpty else {
            throw Failure.conflicts(base.isShown ? merge.conflicts : merge.conflicts.map(\.withoutBase))
        }
        return merge.content
    }

    private func plan(_ draft: Draft, _ state: State, _ limit: KeyGrant?) async throws -> TablePlan {
        try await plan(draft.content, over: try await base(of: draft, state, limit), state)
    }

    /// Plans a table. With a base, its changes are merged into the live table; without one, it replaces the live table.
    private func plan(_ content: JSONNode, over base: Base?, _ state: State) async throws -> TablePlan {
        var planned = try await pool.run(for: .tenant(state.place.tenant)) { cancellation in
            try plan(try base.map { try merge(content, $0, state) } ?? content, state, unless: cancellation)
        }
        planned.findings += try await clientFindings(planned.content, state.place, state.settings)
        return planned
    }

    private func plan(_ content: JSONNode, _ state: State, unless cancellation: Cancellation) throws -> TablePlan {
        let table = try Self.table(content)
        let findings = table.check(
            for: state.settings.identity,
            in: content,
            prefix: "table",
            unless: cancellation
        )
        let budget = cancellation.budget(of: .suites)
        let published = state.published(table)
        var seen: Set<ExactText> = []
        let links = state.suites.flatMap { $0.cases.map(\.link) }.filter { seen.insert(ExactText($0)).inserted }
        let live = links.isEmpty ? nil : try? RouteTable(DocumentField(stored: state.content, path: "table"))
        return TablePlan(
            content: content,
            live: state.content,
            identity: state.settings.identity,
            published: published,
            checked: state.checked,
            settings: state.settingsChanges,
            diff: TableDiff(from: state.content, to: content),
            findings: findings,
            suiteFailures: state.suites.flatMap { runSuite($0, published, budget) },
            moves: live.map { live in
                let router = Router(
                    identity: state.settings.identity,
                    table: live,
                    environment: state.place.environment
                )
                return AssociationDiff(of: links, from: router, to: published.router, within: budget).moves
            } ?? []
        )
    }
}

extension WorkBudget {
    /// For all suites of a tenant together, including the comparison of where their links move.
    package static var suites: WorkBudget { WorkBudget(steps: 1_000_000_000) }
}
