import AppAssociation
package import LinkRouting

/// Plans: what a draft, a table or a file would change, and the suites that it must pass.
extension PublishingService {
    /// Returns what publishing the draft would change.
    package func plan(at location: DraftLocation, limit: KeyGrant? = nil) async throws -> TablePlan {
        let state = try await state(of: location)
        try state.requireEnvironment(for: limit)
        return try await plan(try await namedDraft(at: location), state, limit)
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
    package func plan(_ request: PlanRequest, at location: DraftLocation, limit: KeyGrant? = nil) async throws
        -> TablePlan
    {
        let state = try await state(of: location, for: request)
        guard !state.isNew else { throw Failure.unknownTenant(location.tenant) }
        try state.requireEnvironment(for: limit)
        try await requireEnvironments(of: request.suites, state)
        return try await plan(request, state, limit)
    }

    func plan(_ request: PlanRequest, _ state: State, _ limit: KeyGrant?) async throws -> TablePlan {
        var base = Base(content: state.content, isShown: true)
        if let revision = request.base {
            if revision.rawValue == 0 {
                base.content = Self.emptyTable
            } else {
                try await require(revision, of: state.location.tenant, for: limit)
                base.content = try await content(of: revision, state)
            }
        }
        var planned = try await plan(request.table ?? state.content, over: base, state)
        if let file = request.table {
            planned.unasked = try await queue.run(for: .tenant(state.location.tenant)) { [diff = planned.diff] _ in
                UnaskedChanges(applying: file, diff)
            }
        }
        return planned
    }

    /// Runs a suite against the draft; all stored suites for nil. A draft whose checks fail can be tested as well.
    package func test(_ suite: LinkSuite?, at location: DraftLocation) async throws -> [SuiteResult] {
        let state = try await state(of: location)
        let content = try await namedDraft(at: location).content
        return try await queue.run(for: .tenant(location.tenant)) { cancellation in
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
        at location: DraftLocation,
        limit: KeyGrant? = nil
    ) async throws -> (live: PublishedTable, draft: PublishedTable) {
        let state = try await state(of: location)
        let draft = try await writtenDraft(at: location)
        let base = try await base(of: draft, state, limit)
        return try await queue.run(for: .tenant(location.tenant)) { cancellation in
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
            return (state.published(try Self.table(state.content)), state.published(table))
        }
    }

    // MARK: Plans

    /// The state that a publication starts from.
    struct State: Sendable {
        let location: DraftLocation
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
                tenant: location.tenant,
                environment: location.environment,
                revision: checked.live,
                settingsRevision: checked.settings,
                settings: settings,
                table: table
            )
        }

        func requireEnvironment(for limit: KeyGrant? = nil) throws {
            try PublishingService.requireEnvironment(of: location, settings, live: checked.live, for: limit)
        }

        func require(_ expected: Revision?) throws {
            guard expected == nil || expected == checked.live else {
                throw StaleWrite(current: "\(checked.live?.rawValue ?? 0)")
            }
        }
    }

    func state(of location: DraftLocation, for request: PlanRequest = PlanRequest(table: nil)) async throws
        -> State
    {
        let row = try await store.settings(of: location.tenant)
        guard row != nil || request.settings != nil else { throw Failure.unknownTenant(location.tenant) }
        let live = try await store.live(of: location.tenant, in: location.environment)
        let suites = try await store.suites(of: location.tenant)
        let content = try await readableContent(of: live, tenant: location.tenant)
        return try await queue.run(for: .tenant(location.tenant)) { _ in
            let stored = Dictionary(try suites.map { ($0.name.rawValue, try $0.read()) }) { first, _ in first }
            let named = stored.merging(request.suites) { _, requested in requested }
            return State(
                location: location,
                isNew: row == nil,
                settings: try Self.settings(request.settings, besides: row),
                settingsChanges: request.settings.map { TableDiff.fields(from: row?.content ?? .object([:]), to: $0) }
                    ?? [],
                suites: named.sorted { $0.key < $1.key }.compactMap { name, suite in
                    var suite = suite.limited(to: location.environment)
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

    /// Reads requested settings. Stored ones are read again as they are, even if they name a host that later rules refuse.
    private static func settings(_ requested: JSONNode?, besides row: StoredSettings?) throws -> Settings {
        if let row, requested.map({ TableDiff.fields(from: row.content, to: $0).isEmpty }) ?? true {
            return try row.read()
        }
        return try Settings(DocumentField(requested ?? .object([:]), path: "settings"))
    }

    /// The table that a draft started from.
    struct Base: Sendable {
        var content: JSONNode
        /// Whether the key may see it. It may be a revision of another environment.
        var isShown: Bool
    }

    /// Returns the table that a draft started from. A draft without a base revision started when nothing was live, so
    /// its base is the empty table.
    func base(of draft: Draft, _ state: State, _ limit: KeyGrant?) async throws -> Base {
        var isShown = true
        if let base = draft.base, let limit, limit.environments != nil {
            let row = try await store.revision(base, of: state.location.tenant)
            isShown = row.map { limit.allows($0.environment) } ?? true
        }
        return Base(content: try await content(of: draft.base, state), isShown: isShown)
    }

    /// Returns a revision's table; an empty one for nil.
    private func content(of revision: Revision?, _ state: State) async throws -> JSONNode {
        revision == state.checked.live
            ? state.content : try await content(of: revision, tenant: state.location.tenant)
    }

    /// Applies the draft's changes to the live table.
    func merge(_ draft: JSONNode, _ base: Base, _ state: State) throws -> JSONNode {
        // An unreadable live table is left out of the merge: the draft replaces it.
        let merge = TableMerge(base: base.content, live: state.live ?? base.content, draft: draft)
        guard merge.conflicts.isEmpty else {
            throw Failure.conflicts(base.isShown ? merge.conflicts : merge.conflicts.map(\.withoutBase))
        }
        return merge.content
    }

    func plan(_ draft: Draft, _ state: State, _ limit: KeyGrant?) async throws -> TablePlan {
        try await plan(draft.content, over: try await base(of: draft, state, limit), state)
    }

    /// Plans a table. With a base, its changes are merged into the live table; without one, it replaces the live table.
    func plan(_ content: JSONNode, over base: Base?, _ state: State) async throws -> TablePlan {
        var planned = try await queue.run(for: .tenant(state.location.tenant)) { cancellation in
            try plan(try base.map { try merge(content, $0, state) } ?? content, state, unless: cancellation)
        }
        planned.findings += try await clientFindings(planned.content, state.location, state.settings)
        // A table with errors may take long to resolve a link.
        if planned.errors.isEmpty { planned.findings += try await linkFindings(planned.published) }
        return planned
    }

    func plan(_ content: JSONNode, _ state: State, unless cancellation: Cancellation) throws -> TablePlan {
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
        // Hosts and their association files use the table of production.
        let hasMoves = state.location.environment == .production && !links.isEmpty
        let live = hasMoves ? try? RouteTable(DocumentField(state.content, path: "table")) : nil
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
                    environment: state.location.environment
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
