/// A second, minimal implementation of editing a tenant's tables: a route is its bytes, and a merge handles one route
/// at a time. Independent of the catalog's implementation.
struct EditingModel {
    typealias Bytes = [UInt8]

    struct Table: Equatable {
        var ids: [String] = []
        var routes: [String: Bytes] = [:]
        var defaults: Bytes?

        /// Whether a destination leads to the website, whose URLs contain `~`. The defaults always do.
        var needsWebsite: Bool { defaults != nil || routes.values.contains { $0.contains(UInt8(ascii: "~")) } }

        /// Whether both have the same content, whatever the order of the routes.
        func hasSameContent(as other: Table) -> Bool { routes == other.routes && defaults == other.defaults }

        func order(of common: Set<String>) -> [String] { ids.filter(common.contains) }
    }

    struct Draft: Equatable {
        var base: Int64?
        var table: Table
        var version: String
    }

    struct Location: Hashable {
        var environment: String
        var draft: String
    }

    enum Code: String {
        case done, stale, conflict, forbidden
        case noDraft = "no_draft"
        case unknownRoute = "unknown_route"
        case unknownRevision = "unknown_revision"
        case invalidTable = "invalid_table"
        case suitesFailed = "suites_failed"
        /// A conflict about the order of routes only.
        case order
    }

    /// The API key of an edit.
    enum Editor: CaseIterable {
        case anyone
        /// Limited to the routes of one owner.
        case blogger
        /// Limited to one environment.
        case tester
    }

    static let bloggersRoute = "c"
    static let testersEnvironment = "staging"

    var hasWebsite = true
    /// A stored suite expects the route `a`.
    var isGuarded = false
    var newest: Int64 = 0
    var revisions: [Int64: (environment: String, table: Table)] = [:]
    var live: [String: Int64] = [:]
    var drafts: [Location: Draft] = [:]
    /// The catalog chooses the position of new routes in a merge, so the order is unknown after concurrent merges.
    var ignoresOrder = false
    /// How two tables with the same content in an unknown order compare.
    var takesOrderAsSame = false

    func liveTable(_ environment: String) -> Table { live[environment].flatMap { revisions[$0]?.table } ?? Table() }

    /// The draft, or the initial draft if there is none yet.
    func draft(_ location: Location) -> Draft {
        let live = live[location.environment]
        return drafts[location]
            ?? Draft(base: live, table: liveTable(location.environment), version: "live-\(live ?? 0)")
    }

    func maySee(_ revision: Int64, _ editor: Editor) -> Bool {
        revisions[revision].map { editor != .tester || $0.environment == Self.testersEnvironment } ?? false
    }

    /// Whether the editor may change one table into the other.
    static func mayWrite(_ editor: Editor, from old: Table, to new: Table) -> Bool {
        guard editor == .blogger else { return true }
        let ids = Set(old.ids).union(new.ids)
        let common = Set(old.ids).intersection(new.ids)
        return old.defaults == new.defaults && old.order(of: common) == new.order(of: common)
            && ids.allSatisfy { $0 == bloggersRoute || old.routes[$0] == new.routes[$0] }
    }

    /// The live table with the draft's changes, or a conflict if both sides changed the same.
    func merge(base: Table, live: Table, draft: Table) -> Result<Table, Conflict> {
        if base == live { return .success(draft) }
        func merged(_ base: Bytes?, _ live: Bytes?, _ draft: Bytes?) throws(Conflict) -> Bytes? {
            if live == draft || draft == base { return live }
            if live == base { return draft }
            throw Conflict(code: .conflict)
        }
        var table = Table()
        do throws(Conflict) {
            table.defaults = try merged(base.defaults, live.defaults, draft.defaults)
            for id in live.ids + draft.ids.filter({ live.routes[$0] == nil }) {
                guard let route = try merged(base.routes[id], live.routes[id], draft.routes[id]) else { continue }
                table.ids.append(id)
                table.routes[id] = route
            }
        } catch {
            return .failure(error)
        }
        let common = Set(base.ids).intersection(live.ids).intersection(draft.ids)
        let orders = [base, live, draft].map { $0.order(of: common) }
        if Set(orders).count == 3, !ignoresOrder { return .failure(Conflict(code: .order)) }
        return .success(table)
    }

    struct Conflict: Error { let code: Code }

    func problem(with table: Table, isOverridden: Bool) -> Code? {
        if table.needsWebsite, !hasWebsite { return .invalidTable }
        return isGuarded && table.routes["a"] == nil && !isOverridden ? .suitesFailed : nil
    }

    // MARK: Changes

    /// A table that is live already makes no revision.
    mutating func publish(_ table: Table, in environment: String) {
        if live[environment] != nil {
            let live = liveTable(environment)
            guard live != table, !(takesOrderAsSame && live.hasSameContent(as: table)) else { return }
        }
        newest += 1
        revisions[newest] = (environment, table)
        live[environment] = newest
    }

    /// Keeps only the newest revision of each environment, the live revisions, and the bases of drafts.
    mutating func prune() {
        let retained = Set(live.values).union(drafts.values.compactMap(\.base))
        let newest = Dictionary(revisions.map { ($1.environment, $0) }) { max($0, $1) }
        revisions = revisions.filter { retained.contains($0.key) || newest[$0.value.environment] == $0.key }
    }
}
