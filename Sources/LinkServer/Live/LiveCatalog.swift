import AppAssociation
import Atomics
package import LinkCatalog
import LinkRouting
import Synchronization

/// The catalog that requests are answered from. A request takes one atomic load; a publication replaces the whole
/// catalog.
///
/// The association files are made before a request can ask for them: a publication makes those of its table before the
/// table is stored (``prepare(_:unless:)``), a start those of all tables. Files that take too long are made later
/// (``makeMissing(on:)``); meanwhile the files of the tenant's previous table are served, or none.
package final class LiveCatalog: Sendable {
    private let reference: ManagedAtomic<Box>
    private let state = Mutex(State())

    private struct State {
        /// Version of the live snapshot. The lock is held while a newer one is compiled, so that none overtakes
        /// another.
        var version: Int64 = -1
        /// Files that are made but not live yet: the latest of each tenant.
        var prepared: [TenantID: TableFiles] = [:]
    }

    /// A catalog and the files of its tables.
    private final class Box: AtomicReference, Sendable {
        let catalog: Catalog
        let files: [TenantID: TableFiles]

        init(_ catalog: Catalog, files: [TenantID: TableFiles] = [:]) {
            self.catalog = catalog
            self.files = files
        }
    }

    /// Budgets for making files that were not prepared while a snapshot goes live.
    private static let stepsOnStart = 20_000_000
    private static let stepsOnUpdate = 2_000_000

    /// Yields an element when files are missing.
    let incomplete: AsyncStream<Void>
    private let tellIncomplete: AsyncStream<Void>.Continuation

    package init(_ catalog: Catalog = Catalog()) {
        reference = ManagedAtomic(Box(catalog))
        (incomplete, tellIncomplete) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The live catalog.
    package var current: Catalog { reference.load(ordering: .acquiring).catalog }

    /// The compiled tables.
    package var known: Set<TableVersion> { Set(current.tables.map(TableVersion.init)) }

    /// Compiles a snapshot and makes it live; ignores one that is not newer than the last. Returns the tenants that
    /// have become unreadable. Takes a while, so call it on a separate thread.
    @discardableResult
    package func update(from snapshot: CatalogSnapshot) -> [UnreadableTenant] {
        let unreadable = state.withLock { state -> [UnreadableTenant] in
            guard snapshot.version > state.version else { return [] }
            let earlier = current
            let catalog = snapshot.catalog(reusing: earlier)
            let steps = state.version < 0 ? Self.stepsOnStart : Self.stepsOnUpdate
            state.version = snapshot.version
            let files = files(of: catalog, &state.prepared, within: WorkBudget(steps: steps))
            reference.store(Box(catalog, files: files), ordering: .releasing)
            return catalog.unreadable.filter { !earlier.unreadable.contains($0) }
        }
        if !isComplete { tellIncomplete.yield() }
        return unreadable
    }

    // MARK: Association files

    /// Makes the files of a production table that is about to be published; the snapshot with the table uses them.
    ///
    /// - Throws: `CancellationError` if `cancellation` is cancelled.
    package func prepare(_ table: PublishedTable, unless cancellation: Cancellation) throws {
        guard table.environment == .production else { return }
        let files = try TableFiles(of: table, within: cancellation.budget(of: .associationFiles))
        guard !cancellation.isCancelled else { throw CancellationError() }
        state.withLock { $0.prepared[table.tenant] = files }
    }

    /// Returns the files of every table. A table that the budget does not suffice for keeps its tenant's previous
    /// files.
    private func files(
        of catalog: Catalog,
        _ prepared: inout [TenantID: TableFiles],
        within budget: WorkBudget
    ) -> [TenantID: TableFiles] {
        let earlier = reference.load(ordering: .acquiring).files
        var files: [TenantID: TableFiles] = [:]
        // Only production tables have hosts, and so files.
        for table in catalog.tables where table.environment == .production {
            let known = [prepared[table.tenant], earlier[table.tenant]].compactMap(\.self)
            if let same = known.first(where: { $0.table === table || $0.isFor(table) }) {
                files[table.tenant] = same.moved(to: table)
                prepared[table.tenant] = nil
            } else if !budget.isUsedUp, let made = try? TableFiles(whole: table, within: budget) {
                files[table.tenant] = made
            } else {
                files[table.tenant] = earlier[table.tenant]
            }
        }
        return files
    }

    /// The tables whose files are not made yet.
    private var missing: [PublishedTable] {
        let box = reference.load(ordering: .acquiring)
        return box.catalog.tables.filter { $0.environment == .production && box.files[$0.tenant]?.table !== $0 }
    }

    /// Whether the files of every table are made.
    package var isComplete: Bool { missing.isEmpty }

    /// Makes the missing files in `pool` and serves them.
    package func makeMissing(on pool: WorkPool) async throws {
        for table in missing {
            let files = try await pool.run(for: .server) { cancellation in
                try TableFiles(of: table, within: cancellation.budget(of: .associationFiles))
            }
            state.withLock { _ in
                let box = reference.load(ordering: .acquiring)
                guard box.catalog.table(of: table.tenant) === table else { return }
                let all = box.files.merging([table.tenant: files]) { _, new in new }
                reference.store(Box(box.catalog, files: all), ordering: .releasing)
            }
        }
    }

    /// Returns the association file of a host in look-up form; nil while it is not made.
    func file(_ kind: AssociationFile, forHost host: String, of table: PublishedTable) -> CachedAssociationFile? {
        let files = reference.load(ordering: .acquiring).files[table.tenant]
        // The hosts of a `*.` domain share a file.
        return files?.file(kind, forHost: table.settings.identity.domain(for: host)?.host ?? host)
    }
}

enum AssociationFile: Hashable {
    case apple, android
}

/// The association files of one table in the form in which they are served.
private struct TableFiles: Sendable {
    let table: PublishedTable
    private let byHost: [String: Pair]

    private struct Pair: Sendable {
        let apple: CachedAssociationFile
        let android: CachedAssociationFile
    }

    struct Unfinished: Error {}

    init(of table: PublishedTable, within budget: WorkBudget) throws {
        self.table = table
        let files = AssociationFiles(router: table.router, within: budget)
        var served: [[UInt8]: CachedAssociationFile] = [:]
        /// Returns the served form of a file, which most hosts share.
        func serve(_ bytes: [UInt8]) throws -> CachedAssociationFile {
            if let file = served[bytes] { return file }
            let file = try CachedAssociationFile(bytes)
            served[bytes] = file
            return file
        }
        byHost = try files.byHost.mapValues { Pair(apple: try serve($0.apple), android: try serve($0.android)) }
    }

    /// - Throws: ``Unfinished`` if the budget does not suffice: with more steps the files would differ.
    init(whole table: PublishedTable, within budget: WorkBudget) throws {
        try self.init(of: table, within: budget)
        guard !budget.isUsedUp else { throw Unfinished() }
    }

    private init(_ table: PublishedTable, _ byHost: [String: Pair]) {
        self.table = table
        self.byHost = byHost
    }

    /// Whether the other table would yield the same files.
    func isFor(_ other: PublishedTable) -> Bool {
        table.settings.identity == other.settings.identity && table.router.table == other.router.table
    }

    func moved(to table: PublishedTable) -> TableFiles { TableFiles(table, byHost) }

    func file(_ kind: AssociationFile, forHost host: String) -> CachedAssociationFile? {
        switch kind {
        case .apple: byHost[host]?.apple
        case .android: byHost[host]?.android
        }
    }
}
