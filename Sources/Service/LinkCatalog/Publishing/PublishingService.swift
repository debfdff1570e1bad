import Dispatch
package import LinkRouting

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Changes the catalog: checks, stores, and makes changes live. A change that fails its checks changes nothing.
package struct PublishingService: Sendable {
    static let installKeyBytes = 32

    let store: any CatalogStore
    /// Runs all computations whose cost grows with a table.
    package let queue: WorkQueue
    /// Makes changes live, one after the other. It refuses nothing, because the changes are stored already; each request
    /// waits for its own.
    private let goingLive = DispatchQueue(label: "fingerpost.live")
    let random: @Sendable (_ count: Int) -> Data
    /// Maximum number of routes of a table.
    private let maximumRoutes: Int
    /// Maximum size of a stored table, in bytes.
    let maximumTableBytes: @Sendable () -> Int
    /// Maximum number of drafts of a tenant.
    private let maximumDrafts: Int
    /// Runs a suite against a table that may be unpublished. Cases that the budget does not cover fail.
    let runSuite: @Sendable (LinkSuite, PublishedTable, WorkBudget) -> [SuiteFailure]
    /// Returns the findings about apps that would not understand a table.
    let clientFindings: @Sendable (JSONNode, DraftLocation, Settings) async throws -> [Finding]
    /// Returns the findings about short links that a table would break.
    let linkFindings: @Sendable (PublishedTable) async throws -> [Finding]
    /// The tables that are compiled already; a snapshot leaves out their text.
    private let known: @Sendable () -> Set<TableVersion>
    /// Makes a snapshot live; called after each change. It must ignore snapshots that are older than the last.
    private let onCommit: @Sendable (CatalogSnapshot) throws -> Void
    /// Prepares what a table needs besides itself before it can be live.
    let prepare: @Sendable (PublishedTable, Cancellation) throws -> Void
    /// Called for each revision that was stored, before it is live.
    let onPublication: @Sendable (PublishedRevision, TenantID, AuditContext) -> Void

    package init(
        store: any CatalogStore,
        queue: WorkQueue = WorkQueue(),
        maximumRoutes: Int = RouteTable.maximumRoutes,
        maximumTableBytes: @escaping @Sendable () -> Int = { Document.maximumBytes },
        maximumDrafts: Int = 64,
        random: @escaping @Sendable (_ count: Int) -> Data,
        known: @escaping @Sendable () -> Set<TableVersion> = { [] },
        clientFindings: @escaping @Sendable (JSONNode, DraftLocation, Settings) async throws -> [Finding] = { _, _, _ in
            []
        },
        linkFindings: @escaping @Sendable (PublishedTable) async throws -> [Finding] = { _ in [] },
        runSuite: @escaping @Sendable (LinkSuite, PublishedTable, WorkBudget) -> [SuiteFailure],
        prepare: @escaping @Sendable (PublishedTable, Cancellation) throws -> Void = { _, _ in },
        onPublication: @escaping @Sendable (PublishedRevision, TenantID, AuditContext) -> Void = { _, _, _ in },
        onCommit: @escaping @Sendable (CatalogSnapshot) throws -> Void
    ) {
        self.store = store
        self.queue = queue
        self.maximumRoutes = maximumRoutes
        self.maximumTableBytes = maximumTableBytes
        self.maximumDrafts = maximumDrafts
        self.random = random
        self.clientFindings = clientFindings
        self.linkFindings = linkFindings
        self.runSuite = runSuite
        self.known = known
        self.onCommit = onCommit
        self.prepare = prepare
        self.onPublication = onPublication
    }

    package enum Failure: Error, Sendable {
        case unknownTenant(TenantID)
        case unknownRoute(RouteID)
        case unknownRevision(Revision)
        case noDraft(DraftName)
        /// At least one finding is an error.
        case findings([Finding])
        /// The draft and the live table have conflicting changes.
        case conflicts([TableMerge.Conflict])
        /// The publication would also change what it is not about, and its note does not accept that.
        case unasked(UnaskedChanges, EnvironmentID)
        /// A stored suite fails, and no override reason was given.
        case suites([SuiteFailure])
        /// The key may not write these routes; one sentence each.
        case outsideLimit([String])
        /// The key may not change settings, because it lacks the scope `admin` or is limited to a part of the tenant.
        case settingsOutsideLimit(KeyGrant)
        case tooManyRoutes(Int, maximum: Int)
        /// The settings do not name the environment, and it has no live table.
        case unknownEnvironment(EnvironmentID, named: Set<EnvironmentID>)
        /// Concurrent changes invalidated the checks of this one in every attempt.
        case busy
    }

    /// The location of a draft: tenant, environment and name.
    package struct DraftLocation: Sendable {
        package var tenant: TenantID
        package var environment: EnvironmentID
        package var draft: DraftName

        package init(_ tenant: TenantID, _ environment: EnvironmentID, draft: DraftName = .main) {
            self.tenant = tenant
            self.environment = environment
            self.draft = draft
        }
    }

    /// The maximum number of checks of a change after concurrent changes: the number of possible concurrent writers.
    private static let attempts = 64

    /// Repeats `body` when it throws ``ConcurrentModification``. Each repetition means that another change was stored,
    /// so all writers together make progress. Throws ``Failure/busy`` after ``attempts`` attempts.
    static func repeating<Result>(_ body: () async throws -> Result) async throws -> Result {
        for _ in 0..<attempts {
            try Task.checkCancellation()
            do { return try await body() } catch is ConcurrentModification { continue }
        }
        throw Failure.busy
    }

    /// Makes the stored state live, even if the task that stored it is cancelled.
    package func reload() async throws {
        // The unstructured task is awaited here, but does not inherit cancellation.
        try await Task {
            let snapshot = try await store.snapshot(without: known())
            try await withCheckedThrowingContinuation { continuation in
                goingLive.async { continuation.resume(with: Result { try onCommit(snapshot) }) }
            }
        }
        .value
    }

    /// Makes a committed change live. A failure is thrown as ``StoredNotLive``, because the change itself succeeded.
    func reload(behind committed: String) async throws {
        do {
            // Not cancelled either. If the catalog's database is away now, the change is live as soon as it is followed again.
            try await Task { do { _ = try await store.follow() } catch is CatalogUnavailable {} }.value
            try await reload()
        } catch {
            throw StoredNotLive(committed, "\(error)")
        }
    }

    // MARK: Drafts

    /// Returns the draft. If there is none, returns the live table, or an empty one.
    package func draft(at location: DraftLocation) async throws -> Draft {
        guard try await store.settingsRevision(of: location.tenant) != nil else {
            throw Failure.unknownTenant(location.tenant)
        }
        return try await current(at: location).draft
    }

    /// Returns the draft as ``draft(at:)`` does. Throws ``Failure/noDraft(_:)`` for a name other than `main` that no draft has:
    /// it is probably mistyped.
    package func namedDraft(at location: DraftLocation) async throws -> Draft {
        let draft = try await draft(at: location)
        if case .live = draft.version, location.draft != .main { throw Failure.noDraft(location.draft) }
        return draft
    }

    /// Returns the draft. Throws ``Failure/noDraft(_:)`` when nobody has written it.
    func writtenDraft(at location: DraftLocation) async throws -> Draft {
        let (draft, _) = try await store.draft(location.draft, of: location.tenant, in: location.environment)
        guard let draft else { throw Failure.noDraft(location.draft) }
        return draft
    }

    /// Returns the draft as ``draft(at:)`` does, and the live revision. Throws ``StaleWrite`` when the draft has another
    /// version than `expected`.
    func current(at location: DraftLocation, expected: DraftVersion? = nil) async throws -> (
        draft: Draft, live: Revision?
    ) {
        let (written, live) = try await store.draft(location.draft, of: location.tenant, in: location.environment)
        let version = written?.version ?? .live(live)
        guard expected == nil || expected == version else { throw StaleWrite(current: "\(version)") }
        if let written { return (written, live) }
        let content = try await content(of: live, tenant: location.tenant)
        return (Draft(name: location.draft, base: live, version: version, content: content), live)
    }

    /// Replaces the draft by a table that can be parsed. Returns its findings, including errors: errors block only the
    /// publication.
    package func saveDraft(
        _ content: JSONNode,
        at location: DraftLocation,
        base: DraftBase = .kept,
        expected: DraftVersion?,
        limit: KeyGrant? = nil,
        change: AuditContext
    ) async throws -> (draft: Draft, findings: [Finding]) {
        let settings = try await settings(of: location.tenant)
        let context = EditContext(location: location, settings: settings, limit: limit, change: change)
        try requireStorable(content, "The draft")
        let findings = try await findings(in: content, of: location.tenant, settings)
        let draft = try await Self.repeating {
            if case .revision(let revision) = base { try await require(revision, of: location.tenant, for: limit) }
            // Otherwise the draft is not read, so that one that cannot be read can be replaced.
            if context.isLimited {
                let (draft, live) = try await current(at: location, expected: expected)
                return try await save(content, over: draft, live, base, expected: expected, context)
            }
            let live = try await store.live(of: location.tenant, in: location.environment)
            return try await save(content, over: nil, live, base, expected: expected, context)
        }
        return (draft, findings)
    }

    /// What an edit of a draft is checked against, read once.
    struct EditContext: Sendable {
        let location: DraftLocation
        let settings: Settings
        let limit: KeyGrant?
        let change: AuditContext

        /// Whether the key may write only some routes.
        var isLimited: Bool { limit?.routeLimits.isEmpty == false }
    }

    /// Stores a checked table as the draft.
    ///
    /// - Parameters:
    ///   - draft: The draft that the key's limits were checked against; only this version is replaced.
    ///   - expected: The version that the caller replaces; nil for any.
    func save(
        _ content: JSONNode,
        over draft: Draft?,
        _ live: Revision?,
        _ base: DraftBase = .kept,
        expected: DraftVersion?,
        _ context: EditContext
    ) async throws -> Draft {
        let location = context.location
        try Self.requireEnvironment(of: location, context.settings, live: live)
        if let draft, let limit = context.limit, context.isLimited {
            try await require(content, base, over: draft, within: limit, context)
        }
        do {
            return try await store.saveDraft(
                content,
                name: location.draft,
                of: location.tenant,
                in: location.environment,
                base: base,
                expected: draft?.version ?? expected,
                within: DraftRoom(drafts: maximumDrafts, tableBytes: maximumTableBytes()),
                change: context.change
            )
        } catch is StaleWrite where expected == nil {
            throw ConcurrentModification()
        }
    }

    /// Throws when a table has more routes or bytes than may be stored.
    package func requireStorable(_ table: JSONNode, _ name: String) throws {
        let count = table["routes"]?.elements?.count ?? 0
        guard count <= maximumRoutes else { throw Failure.tooManyRoutes(count, maximum: maximumRoutes) }
        try Document.requireStorable(table, name, maximumBytes: maximumTableBytes(), limit: "limits.tableBytes")
    }

    /// Throws for an environment that the tenant does not have: a mistyped name would otherwise create an environment
    /// that no caller can ask for.
    /// It names those that the key may use.
    static func requireEnvironment(
        of location: DraftLocation,
        _ settings: Settings,
        live: Revision?,
        for limit: KeyGrant? = nil
    ) throws {
        let named = settings.namedEnvironments
        guard live != nil || named.contains(location.environment) else {
            let shown = named.filter { limit?.allows($0) ?? true }
            throw Failure.unknownEnvironment(location.environment, named: shown)
        }
    }

    /// Throws when a key limited to routes may not replace the draft.
    private func require(
        _ content: JSONNode,
        _ base: DraftBase,
        over draft: Draft,
        within limit: KeyGrant,
        _ context: EditContext
    ) async throws {
        let (diff, pathRefusals) = try await queue.run(for: .tenant(context.location.tenant)) { _ in
            let diff = TableDiff(from: draft.content, to: content)
            return (diff, limit.refusals(of: diff))
        }
        var refusals = pathRefusals
        // A different base would change or discard what others changed in the draft, or have published since.
        if base != .kept, base != DraftBase(draft.base) {
            refusals.append("changing the draft's base needs a key without owner and path limits")
        }
        guard refusals.isEmpty else { throw Failure.outsideLimit(refusals) }
        try await require(
            diff,
            within: limit,
            from: draft.content,
            to: content,
            context.settings.identity,
            at: context.location
        )
    }

    /// Throws ``Failure/unknownRevision(_:)`` when the revision does not exist or the key may not see it.
    @discardableResult
    func require(_ revision: Revision, of tenant: TenantID, for limit: KeyGrant?) async throws -> PublishedRevision {
        guard let row = try await store.revision(revision, of: tenant), limit?.allows(row.environment) ?? true else {
            throw Failure.unknownRevision(revision)
        }
        return row
    }

    /// Checks a table against the tenant's settings and its short links. A table that cannot be parsed throws its findings
    /// as ``Failure/findings(_:)``.
    package func findings(in content: JSONNode, at location: DraftLocation) async throws -> [Finding] {
        let settings = try await settings(of: location.tenant)
        let findings = try await findings(in: content, of: location.tenant, settings)
        guard findings.allSatisfy({ $0.severity != .error }) else { return findings }
        let published = try await queue.run(for: .tenant(location.tenant)) { _ in
            PublishedTable(
                tenant: location.tenant,
                environment: location.environment,
                revision: nil,
                settingsRevision: 0,
                settings: settings,
                table: try Self.table(content)
            )
        }
        return findings + (try await linkFindings(published))
    }

    func findings(in content: JSONNode, of tenant: TenantID, _ settings: Settings) async throws -> [Finding] {
        try await queue.run(for: .tenant(tenant)) { cancellation in
            try Self.table(content)
                .check(for: settings.identity, in: content, prefix: "table", unless: cancellation)
        }
    }

    func settings(of tenant: TenantID) async throws -> Settings {
        guard let row = try await store.settings(of: tenant) else { throw Failure.unknownTenant(tenant) }
        return try row.read()
    }

    /// Throws ``Failure/outsideLimit(_:)`` with the changes that the key may not make.
    func require(
        _ diff: TableDiff,
        within limit: KeyGrant,
        from before: JSONNode,
        to after: JSONNode,
        _ identity: Identity,
        at location: DraftLocation
    ) async throws {
        guard !limit.routeLimits.isEmpty else { return }
        let refusals = try await queue.run(for: .tenant(location.tenant)) { _ in
            limit.refusals(of: diff, from: try Self.table(before), to: try Self.table(after), of: identity)
        }
        guard refusals.isEmpty else { throw Failure.outsideLimit(refusals) }
    }

    /// Parses a table. Parse errors are thrown as ``Failure/findings(_:)``.
    static func table(_ content: JSONNode) throws -> RouteTable {
        do {
            return try RouteTable(DocumentField(content, path: "table"))
        } catch {
            throw Failure.findings(error.errors.map(Finding.init))
        }
    }

    /// Returns the table of a revision; an empty table for nil.
    func content(of revision: Revision?, tenant: TenantID) async throws -> JSONNode {
        guard let revision else { return Self.emptyTable }
        guard let content = try await store.content(of: revision, tenant: tenant) else {
            throw Failure.unknownRevision(revision)
        }
        return content
    }

    /// Returns the table of a revision like `content`; nil when the stored table cannot be read.
    func readableContent(of revision: Revision?, tenant: TenantID) async throws -> JSONNode? {
        do {
            return try await content(of: revision, tenant: tenant)
        } catch is UnreadableDocument {
            return nil
        }
    }

    static let emptyTable = JSONNode.object(["routes": .array([])])
}
