package import LinkRouting

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Changes the catalog: checks, stores, and tells what is live. A change that does not check changes nothing.
package struct CatalogEditor: Sendable {
    package static let mainDraft = "main"
    private static let installKeyBytes = 32

    let store: any CatalogStore
    private let random: @Sendable (_ count: Int) -> Data
    /// Of one table; a table that was stored while it was higher stays.
    private let maximumRoutes: Int
    /// Runs a suite against a table that may not be published.
    let runSuite: @Sendable (LinkSuite, PublishedTable) -> [SuiteFailure]
    /// Called with what is stored after each change that is to be live; older snapshots than the last are ignored by it.
    private let goLive: @Sendable (CatalogSnapshot) throws -> Void

    package init(
        store: any CatalogStore,
        maximumRoutes: Int = RouteTable.maximumRoutes,
        random: @escaping @Sendable (_ count: Int) -> Data,
        runSuite: @escaping @Sendable (LinkSuite, PublishedTable) -> [SuiteFailure],
        goLive: @escaping @Sendable (CatalogSnapshot) throws -> Void
    ) {
        self.store = store
        self.maximumRoutes = maximumRoutes
        self.random = random
        self.runSuite = runSuite
        self.goLive = goLive
    }

    package enum Failure: Error, Sendable {
        case unknownTenant(TenantID)
        case unknownRoute(RouteID)
        case unknownRevision(Revision)
        case noDraft(String)
        /// At least one finding is an error.
        case findings([Finding])
        /// Both the draft and what is live changed the same.
        case conflicts([TableMerge.Conflict])
        /// A stored suite fails, and nobody said why that may be.
        case suites([SuiteFailure])
        /// The key may not write these routes; a sentence each.
        case outsideLimit([String])
        case tooManyRoutes(Int, maximum: Int)
        /// Other changes went live again and again while this one was checked.
        case busy
    }

    /// Where a table is, and who edits it.
    package struct Place: Sendable {
        package var tenant: TenantID
        package var environment: EnvironmentID
        package var draft: String

        package init(_ tenant: TenantID, _ environment: EnvironmentID, draft: String = CatalogEditor.mainDraft) {
            self.tenant = tenant
            self.environment = environment
            self.draft = draft
        }
    }

    /// How often a change is checked again because another one went live in between.
    static let attempts = 5

    package func reload() async throws { try goLive(try await store.snapshot()) }

    /// Writes settings; they are live at once. The live tables must still check under them.
    package func saveSettings(
        _ content: JSONNode,
        of tenant: TenantID,
        expected: Int64?,
        change: Change
    ) async throws -> SettingsRow {
        let settings = try Settings(Field(content, path: "settings"))
        for _ in 0..<Self.attempts {
            var checked: [EnvironmentID: Revision] = [:]
            for row in try await store.snapshot().tenants where row.settings.tenant == tenant {
                for table in row.live {
                    let content = try Document.readJSON(table.text)
                    let errors = try RouteTable(Field(content, path: "table"))
                        .check(for: settings.identity, in: content, prefix: "table").filter { $0.severity == .error }
                    guard errors.isEmpty else { throw Failure.findings(errors) }
                    checked[table.environment] = table.revision
                }
            }
            do {
                let row = try await store.saveSettings(
                    content,
                    identity: settings.identity,
                    of: tenant,
                    installKey: settings.privacy.recordInstall ? random(Self.installKeyBytes) : nil,
                    expected: expected,
                    checked: checked,
                    change: change
                )
                try await reload()
                return row
            } catch is CatalogMoved {
                continue
            }
        }
        throw Failure.busy
    }

    // MARK: Drafts

    /// The draft; without one what is live, or an empty table.
    package func draft(at place: Place) async throws -> DraftRow {
        guard try await store.settings(of: place.tenant) != nil else { throw Failure.unknownTenant(place.tenant) }
        if let row = try await store.draft(place.draft, of: place.tenant, in: place.environment) { return row }
        let live = try await store.live(of: place.tenant, in: place.environment)
        return DraftRow(
            name: place.draft,
            base: live,
            version: .live(live),
            content: try await content(of: live, tenant: place.tenant)
        )
    }

    /// Replaces the draft by a table that can be read; its findings come back, errors too: they stop the publishing.
    package func saveDraft(
        _ content: JSONNode,
        at place: Place,
        base: Revision? = nil,
        expected: DraftVersion?,
        limit: KeyGrant? = nil,
        change: Change
    ) async throws -> (draft: DraftRow, findings: [Finding]) {
        let count = content["routes"]?.elements?.count ?? 0
        guard count <= maximumRoutes else { throw Failure.tooManyRoutes(count, maximum: maximumRoutes) }
        let findings = try await findings(in: content, of: place.tenant)
        if let base { _ = try await self.content(of: base, tenant: place.tenant) }
        var expected = expected
        if let limit, limit.routes != nil {
            let draft = try await draft(at: place)
            let refusals = limit.refusals(of: TableDiff(from: draft.content, to: content))
            guard refusals.isEmpty else { throw Failure.outsideLimit(refusals) }
            // What was judged is what is replaced.
            expected = expected ?? draft.version
        }
        let draft = try await store.saveDraft(
            content,
            name: place.draft,
            of: place.tenant,
            in: place.environment,
            base: base,
            expected: expected,
            change: change
        )
        return (draft, findings)
    }

    /// What a check of a table says. A table that cannot be read throws its findings.
    package func findings(in content: JSONNode, of tenant: TenantID) async throws -> [Finding] {
        guard let row = try await store.settings(of: tenant) else { throw Failure.unknownTenant(tenant) }
        let settings = try Settings(Field(row.content, path: "settings"))
        return try Self.table(content).check(for: settings.identity, in: content, prefix: "table")
    }

    /// Reads a table; what keeps it from being one is thrown as findings.
    static func table(_ content: JSONNode) throws -> RouteTable {
        do {
            return try RouteTable(Field(content, path: "table"))
        } catch {
            throw Failure.findings(error.errors.map(Finding.init))
        }
    }

    /// Of a revision; an empty table for none.
    func content(of revision: Revision?, tenant: TenantID) async throws -> JSONNode {
        guard let revision else { return Self.emptyTable }
        guard let content = try await store.content(of: revision, tenant: tenant) else {
            throw Failure.unknownRevision(revision)
        }
        return content
    }

    private static let emptyTable = JSONNode.object(["routes": .array([])])
}
