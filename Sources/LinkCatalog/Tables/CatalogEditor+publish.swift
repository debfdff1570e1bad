import AppAssociation
package import LinkRouting

/// From a draft to what is live, and back.
extension CatalogEditor {
    /// What a person says with a publication.
    package struct Note: Sendable {
        package var message: String
        package var approvals: [String]
        /// Why suites that fail may be ignored this once.
        package var overrideReason: String?

        package init(message: String = "", approvals: [String] = [], overrideReason: String? = nil) {
            self.message = message
            self.approvals = approvals
            self.overrideReason = overrideReason
        }
    }

    /// A revision that is live now, and what it changed.
    package struct Published: Sendable {
        package let row: RevisionRow
        package let plan: TablePlan
    }

    /// What publishing the draft would do.
    package func plan(at place: Place) async throws -> TablePlan {
        let state = try await state(of: place)
        let draft = try await draft(at: place)
        return try plan(draft.content, base: try await content(draft.base, or: state), state)
    }

    /// What somebody would like to be so; what is nil stays as it is.
    package struct Wish: Sendable {
        package var table: JSONNode?
        /// The revision that the table was made from; nil for what is live.
        package var base: Revision?
        package var settings: JSONNode?
        /// Suites that are to be stored, by name.
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

    /// What making it so would do.
    package func plan(_ wish: Wish, at place: Place) async throws -> TablePlan {
        let state = try await state(of: place, wishing: wish)
        return try plan(wish.table ?? state.content, base: try await content(wish.base, or: state), state)
    }

    /// Publishes the draft on top of what is live; it is live when this returns.
    package func publish(
        _ place: Place,
        expected: DraftVersion? = nil,
        note: Note = Note(),
        limit: KeyGrant? = nil,
        change: Change
    ) async throws -> Published {
        try await publishing(place, note, limit, change) { state in
            guard let draft = try await store.draft(place.draft, of: place.tenant, in: place.environment) else {
                throw Failure.noDraft(place.draft)
            }
            guard expected == nil || expected == draft.version else { throw StaleWrite(current: "\(draft.version)") }
            let plan = try plan(draft.content, base: try await content(draft.base, or: state), state)
            return (plan, .draft(draft.name, draft.version))
        }
    }

    /// Publishes the table of an earlier revision again, under a new number. Throws findings when it no longer checks: it may
    /// name an app or a host that the settings no longer have.
    package func rollBack(
        _ place: Place,
        to revision: Revision,
        expected: Revision? = nil,
        note: Note = Note(),
        limit: KeyGrant? = nil,
        change: Change
    ) async throws -> Published {
        let environment = try await row(revision, of: place.tenant).environment
        return try await publishing(place, note, limit, change) { state in
            try state.require(expected)
            let content = try await content(of: revision, tenant: place.tenant)
            let origin: Publication.Origin =
                environment == place.environment ? .rollback(revision) : .promotion(revision)
            return (try plan(content, base: state.content, state), origin)
        }
    }

    /// Runs a suite against the draft, the stored ones without one. A draft that does not check can be tested all the same.
    package func test(_ suite: LinkSuite?, at place: Place) async throws -> [SuiteResult] {
        let state = try await state(of: place)
        let table = try Self.table(try await draft(at: place).content)
        let published = state.published(table)
        return (suite.map { [$0] } ?? state.suites).map { suite in
            SuiteResult(suite, failures: runSuite(suite, published))
        }
    }

    /// What is live, and what publishing the draft would make of it. Throws findings when the draft may not be published.
    package func comparison(at place: Place) async throws -> (live: PublishedTable, draft: PublishedTable) {
        let state = try await state(of: place)
        guard let draft = try await store.draft(place.draft, of: place.tenant, in: place.environment) else {
            throw Failure.noDraft(place.draft)
        }
        let merge = TableMerge(
            base: try await content(draft.base, or: state),
            live: state.content,
            draft: draft.content
        )
        guard merge.conflicts.isEmpty else { throw Failure.conflicts(merge.conflicts) }
        let table = try Self.table(merge.content)
        let errors = table.check(for: state.settings.identity, in: merge.content, prefix: "table")
            .filter { $0.severity == .error }
        guard errors.isEmpty else { throw Failure.findings(errors) }
        return (state.published(try Self.table(state.content)), state.published(table))
    }

    private func row(_ revision: Revision, of tenant: TenantID) async throws -> RevisionRow {
        guard let row = try await store.revision(revision, of: tenant) else { throw Failure.unknownRevision(revision) }
        return row
    }

    /// Makes a plan and commits it, again where something else went live in between.
    private func publishing(
        _ place: Place,
        _ note: Note,
        _ limit: KeyGrant?,
        _ change: Change,
        _ makePlan: (State) async throws -> (TablePlan, Publication.Origin)
    ) async throws -> Published {
        for _ in 0..<Self.attempts {
            let (plan, origin) = try await makePlan(try await state(of: place))
            guard plan.errors.isEmpty else { throw Failure.findings(plan.errors) }
            let refusals = limit?.refusals(of: plan.diff) ?? []
            guard refusals.isEmpty else { throw Failure.outsideLimit(refusals) }
            guard plan.suiteFailures.isEmpty || note.overrideReason != nil else {
                throw Failure.suites(plan.suiteFailures)
            }
            do {
                let row = try await store.publish(
                    Publication(
                        tenant: place.tenant,
                        environment: place.environment,
                        content: plan.content,
                        message: note.message,
                        approvals: note.approvals,
                        overrideReason: plan.suiteFailures.isEmpty ? nil : note.overrideReason,
                        origin: origin,
                        checked: plan.checked
                    ),
                    change: change
                )
                try await reload()
                return Published(row: row, plan: plan)
            } catch is CatalogMoved {
                continue
            }
        }
        throw Failure.busy
    }

    // MARK: Plans

    /// What is so before a publication.
    private struct State {
        let place: Place
        let settings: Settings
        /// What they change of those that are live.
        let settingsChanges: [TableDiff.Field]
        let suites: [LinkSuite]
        let checked: Publication.Checked
        /// The live table.
        let content: JSONNode

        /// A table that may not be live yet, as it would be.
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

        func require(_ expected: Revision?) throws {
            guard expected == nil || expected == checked.live else {
                throw StaleWrite(current: "\(checked.live?.rawValue ?? 0)")
            }
        }
    }

    private func state(of place: Place, wishing wish: Wish = Wish(table: nil)) async throws -> State {
        guard let row = try await store.settings(of: place.tenant) else { throw Failure.unknownTenant(place.tenant) }
        let live = try await store.live(of: place.tenant, in: place.environment)
        let suites = try await store.suites(of: place.tenant)
        let stored = Dictionary(try suites.map { ($0.name, try LinkSuite($0.content)) }) { first, _ in first }
        let named = stored.merging(wish.suites) { _, wished in wished }
        return State(
            place: place,
            settings: try Settings(Field(wish.settings ?? row.content, path: "settings")),
            settingsChanges: wish.settings.map { TableDiff.fields(from: row.content, to: $0) } ?? [],
            suites: named.sorted { $0.key < $1.key }.map { name, suite in
                var suite = suite
                suite.name = name
                return suite
            },
            checked: Publication.Checked(
                live: live,
                settings: row.revision,
                suites: suites.map(\.version).max() ?? 0
            ),
            content: try await content(of: live, tenant: place.tenant)
        )
    }

    /// The base's table; what is live for nil.
    private func content(_ base: Revision?, or state: State) async throws -> JSONNode {
        guard let base, base != state.checked.live else { return state.content }
        return try await content(of: base, tenant: state.place.tenant)
    }

    private func plan(_ draft: JSONNode, base: JSONNode, _ state: State) throws -> TablePlan {
        let merge = TableMerge(base: base, live: state.content, draft: draft)
        guard merge.conflicts.isEmpty else { throw Failure.conflicts(merge.conflicts) }
        let table = try Self.table(merge.content)
        let findings = table.check(for: state.settings.identity, in: merge.content, prefix: "table")
        let published = state.published(table)
        var seen: Set<String> = []
        let links = state.suites.flatMap { $0.cases.map(\.link) }.filter { seen.insert($0).inserted }
        let live = links.isEmpty ? nil : try? RouteTable(Field(state.content, path: "table"))
        return TablePlan(
            content: merge.content,
            checked: state.checked,
            settings: state.settingsChanges,
            diff: TableDiff(from: state.content, to: merge.content),
            findings: findings,
            suiteFailures: state.suites.flatMap { runSuite($0, published) },
            moves: live.map { live in
                let router = Router(
                    identity: state.settings.identity,
                    table: live,
                    environment: state.place.environment
                )
                return AssociationDiff(of: links, from: router, to: published.router).moves
            } ?? []
        )
    }
}
