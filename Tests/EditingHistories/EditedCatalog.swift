import Foundation
import LinkCatalog
import LinkRouting
import LinkStorage

/// A tenant in a real catalog, on which the steps are executed.
struct EditedCatalog: Sendable {
    let store: CatalogDatabase
    let publishing: PublishingService
    let tenant: TenantID

    private static let moment = Timestamp(milliseconds: 1_795_255_200_000)
    private static let change = AuditContext(
        actor: Actor(kind: .system, id: "history", name: "history"),
        at: moment,
        requestID: "history"
    )
    private static let guardName = "guard"

    init(_ store: CatalogDatabase, queue: WorkQueue, tenant: TenantID) {
        self.store = store
        self.tenant = tenant
        publishing = PublishingService(store: store, queue: queue, random: { Data(repeating: 1, count: $0) }) {
            suite,
            table,
            _ in
            table.router.table.routes.contains { $0.id.rawValue == "a" }
                ? [] : [SuiteFailure(suite: suite.name ?? "", line: 1, link: "", key: "route", difference: "")]
        } onCommit: { _ in
        }
    }

    struct Answer: Sendable {
        var code: EditingModel.Code
        /// The current draft, the live table, or the planned table.
        var table: EditingModel.Table?
        var version: String?
        var revision: Int64?
        /// The routes reported as changed.
        var changed: Set<String>?
    }

    func apply(_ step: EditingStep) async throws -> Answer {
        do {
            return try await execute(step)
        } catch is StaleWrite {
            return Answer(code: .stale)
        } catch let failure as PublishingService.Failure {
            return Answer(code: try Self.code(failure))
        }
    }

    private static func code(_ failure: PublishingService.Failure) throws -> EditingModel.Code {
        switch failure {
        case .conflicts(let conflicts): conflicts.allSatisfy { $0.kind == .order } ? .order : .conflict
        case .findings: .invalidTable
        case .suites: .suitesFailed
        case .outsideLimit: .forbidden
        case .noDraft: .noDraft
        case .unknownRoute: .unknownRoute
        case .unknownRevision: .unknownRevision
        default: throw failure
        }
    }

    private func execute(_ step: EditingStep) async throws -> Answer {
        switch step {
        case .putRoute(let id, let bytes, let location, let editor, let match):
            return try answer(
                try await self.publishing.saveRoute(
                    try Self.node(bytes),
                    id: try Self.unwrapped(RouteID(id)),
                    placement: .keep,
                    at: try self.location(location),
                    expected: match.version,
                    limit: try limit(editor),
                    change: Self.change
                ).draft
            )
        case .removeRoute(let id, let location, let editor, let match):
            return try answer(
                try await self.publishing.removeRoute(
                    try Self.unwrapped(RouteID(id)),
                    at: try self.location(location),
                    expected: match.version,
                    limit: try limit(editor),
                    change: Self.change
                )
            )
        case .putTable(let table, let location, let base, let editor):
            return try answer(
                try await self.publishing.saveDraft(
                    try Self.node(table),
                    at: try self.location(location),
                    base: base.draftBase,
                    expected: nil,
                    limit: try limit(editor),
                    change: Self.change
                ).draft
            )
        case .publish(let location, let editor, let match, let isOverridden):
            return try answer(
                try await self.publishing.publish(
                    try self.location(location),
                    expected: match.version,
                    note: PublishingService.Note(overrideReason: isOverridden ? "so be it" : nil),
                    limit: try limit(editor),
                    change: Self.change
                )
            )
        case .removeDraft(let location):
            let wasThere = try await store.removeDraft(
                try Self.unwrapped(DraftName(location.draft)),
                of: tenant,
                in: try self.location(location).environment,
                expected: nil,
                ofOnly: nil,
                change: Self.change
            )
            return Answer(code: wasThere ? .done : .noDraft)
        case .publishAgain(let revision, let environment, let editor, let isOverridden):
            return try answer(
                try await self.publishing.publishAgain(
                    Revision(rawValue: revision),
                    in: try location(EditingModel.Location(environment: environment, draft: "main")),
                    note: PublishingService.Note(
                        overrideReason: isOverridden ? "so be it" : nil,
                        accepts: [.undoing]
                    ),
                    limit: try limit(editor),
                    change: Self.change
                )
            )
        case .plan(let location, let editor):
            return try answer(try await self.publishing.plan(at: try self.location(location), limit: try limit(editor)))
        case .planTable(let table, let location, let base, let editor):
            let request = PublishingService.PlanRequest(
                table: try Self.node(table),
                base: base.map(Revision.init(rawValue:))
            )
            return try answer(
                try await self.publishing.plan(request, at: try self.location(location), limit: try limit(editor))
            )
        case .saveSettings(let hasWebsite): try await saveSettings(hasWebsite: hasWebsite)
        case .guardTables(true):
            let suite = #"{"formatVersion":1,"cases":[{"link":"x://a","expect":{"route":"a"}}]}"#
            _ = try await store.saveSuite(
                suite,
                name: try Self.unwrapped(SuiteName(Self.guardName)),
                of: tenant,
                expected: nil,
                change: Self.change
            )
        case .guardTables(false):
            _ = try await store.removeSuite(
                try Self.unwrapped(SuiteName(Self.guardName)),
                of: tenant,
                expected: nil,
                change: Self.change
            )
        case .prune:
            let later = Timestamp(milliseconds: Self.moment.milliseconds + 1)
            _ = try await store.prune(tenant, keep: 1, before: later, change: Self.change)
        }
        return Answer(code: .done)
    }

    func saveSettings(hasWebsite: Bool) async throws {
        let hosts = hasWebsite ? #"["pages.example"]"# : "[]"
        let settings = #"{"schemes":["\#(tenant)"],"environments":["staging"],"destinations":{"hosts":\#(hosts)}}"#
        _ = try await publishing.saveSettings(
            try Self.node(Array(settings.utf8)),
            of: tenant,
            expected: nil,
            change: Self.change
        )
    }

    // MARK: Reading the state

    /// Replaces the model's state with the stored state.
    func read(into model: inout EditingModel) async throws {
        var drafts: [EditingModel.Location: EditingModel.Draft] = [:]
        var live: [String: Int64] = [:]
        for name in EditingHistory.environments {
            let environment = try Self.unwrapped(EnvironmentID(name))
            live[name] = try await store.live(of: tenant, in: environment)?.rawValue
            for summary in try await store.drafts(of: tenant, in: environment) {
                guard let row = try await store.draft(summary.name, of: tenant, in: environment).draft else { continue }
                drafts[EditingModel.Location(environment: name, draft: row.name.rawValue)] = EditingModel.Draft(
                    base: row.base?.rawValue,
                    table: try Self.table(row.content),
                    version: "\(row.version)"
                )
            }
        }
        let rows = try await store.revisions(of: tenant, in: nil, before: nil, limit: 1_000)
        var revisions: [Int64: (environment: String, table: EditingModel.Table)] = [:]
        for row in rows {
            guard let content = try await store.content(of: row.revision, tenant: tenant) else { continue }
            revisions[row.revision.rawValue] = (row.environment.rawValue, try Self.table(content))
        }
        let settings = try await store.settings(of: tenant)?.content
        model.hasWebsite = settings?["destinations"]?["hosts"]?.elements?.isEmpty == false
        model.isGuarded = try await !store.suites(of: tenant).isEmpty
        model.drafts = drafts
        model.live = live
        model.revisions = revisions
        model.newest = rows.first?.revision.rawValue ?? 0
    }

    private func answer(_ draft: Draft) throws -> Answer {
        Answer(code: .done, table: try Self.table(draft.content), version: "\(draft.version)")
    }

    private func answer(_ plan: TablePlan) throws -> Answer {
        let diff = plan.diff
        let changed = Set((diff.added + diff.removed).map(\.id) + diff.changed.map(\.id))
        return Answer(code: .done, table: try Self.table(plan.content), changed: changed)
    }

    private func answer(_ published: PublishingService.Published) throws -> Answer {
        var answer = try answer(published.plan)
        answer.revision = published.row.revision.rawValue
        return answer
    }

    // MARK: Conversion

    private func location(_ location: EditingModel.Location) throws -> PublishingService.DraftLocation {
        PublishingService.DraftLocation(
            tenant,
            try Self.unwrapped(EnvironmentID(location.environment)),
            draft: try Self.unwrapped(DraftName(location.draft))
        )
    }

    private func limit(_ editor: EditingModel.Editor) throws -> KeyGrant? {
        guard editor != .anyone else { return nil }
        let owner = EditingHistory.owners[EditingModel.bloggersRoute].map { ExactText($0) }
        return KeyGrant(
            id: KeyID(rawValue: "key"),
            secretHash: Data(),
            tenant: tenant,
            scopes: [.admin],
            environments: editor == .tester
                ? [try Self.unwrapped(EnvironmentID(EditingModel.testersEnvironment))] : nil,
            routes: editor == .blogger
                ? KeyGrant.RouteLimit(owners: Set([owner].compactMap(\.self)), pathPrefixes: nil) : nil,
            createdAt: Self.moment,
            expiresAt: nil,
            name: "key"
        )
    }

    private struct InvalidName: Error {}

    private static func unwrapped<Name>(_ name: Name?) throws -> Name {
        guard let name else { throw InvalidName() }
        return name
    }

    private static func node(_ bytes: EditingModel.Bytes) throws -> JSONNode {
        try JSONReader.parse(bytes, limits: JSONReader.Limits(maximumBytes: 1 << 16))
    }

    private static func node(_ table: EditingModel.Table) throws -> JSONNode {
        .object([
            "defaults": try table.defaults.map { try node($0) },
            "routes": .array(try table.ids.map { try node(table.routes[$0] ?? []) }),
        ])
    }

    private static func table(_ node: JSONNode) throws -> EditingModel.Table {
        var table = EditingModel.Table()
        table.defaults = node["defaults"].map { Array($0.json().utf8) }
        for route in node["routes"]?.elements ?? [] {
            let id = try unwrapped(route["id"]?.text)
            table.ids.append(id)
            table.routes[id] = Array(route.json().utf8)
        }
        return table
    }
}

extension EditingStep.Match {
    fileprivate var version: DraftVersion? {
        guard case .version(let text) = self else { return nil }
        return DraftVersion(text)
    }
}

extension EditingStep.Base {
    fileprivate var draftBase: DraftBase {
        switch self {
        case .kept: .kept
        case .nothing: .nothing
        case .revision(let number): .revision(Revision(rawValue: number))
        }
    }
}
