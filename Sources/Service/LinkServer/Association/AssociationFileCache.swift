import AppAssociation
import Atomics
package import LinkCatalog
import LinkRouting
import Synchronization

/// The association files of all tables, in the form in which they are served.
///
/// The files are generated before a request can ask for them. A publication generates those of its table before it
/// stores the table (``prepare(_:unless:)``), and a start generates those of all tables (``update(for:isStart:)``).
/// Files that exceed the budget are generated later (``makeMissing(on:)``). Until then the cache serves the files of
/// the tenant's previous table, or none.
package final class AssociationFileCache: Sendable {
    private let reference = ManagedAtomic(Box([], [:]))
    /// Files that are generated but not live yet: the latest of each tenant. The lock is held while ``reference``
    /// changes.
    private let prepared = Mutex<[TenantID: TableFiles]>([:])

    private final class Box: AtomicReference, Sendable {
        /// The production tables. Only they have hosts, and so only they have files.
        let tables: [PublishedTable]
        let files: [TenantID: TableFiles]

        init(_ tables: [PublishedTable], _ files: [TenantID: TableFiles]) {
            self.tables = tables
            self.files = files
        }

        /// The tables whose files are not generated yet.
        var missing: [PublishedTable] { tables.filter { files[$0.tenant]?.table !== $0 } }
    }

    /// Budgets in steps for generating files that were not prepared, while a catalog goes live.
    private static let stepsOnStart = 20_000_000
    private static let stepsOnUpdate = 2_000_000

    /// Yields an element when files are missing.
    let incomplete: AsyncStream<Void>
    private let tellIncomplete: AsyncStream<Void>.Continuation

    package init() {
        (incomplete, tellIncomplete) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Generates the files of a production table that is about to be published. ``update(for:isStart:)`` serves them.
    ///
    /// - Throws: `CancellationError` if `cancellation` is cancelled.
    package func prepare(_ table: PublishedTable, unless cancellation: Cancellation) throws {
        guard table.environment == .production else { return }
        let files = try TableFiles(of: table, within: cancellation.budget(of: .associationFiles))
        guard !cancellation.isCancelled else { throw CancellationError() }
        prepared.withLock { $0[table.tenant] = files }
    }

    /// Serves the files of a catalog that is about to go live. If generating a table's files exceeds the budget, the
    /// tenant's previous files are kept.
    package func update(for catalog: Catalog, isStart: Bool) {
        let tables = catalog.tables.filter { $0.environment == .production }
        let budget = WorkBudget(steps: isStart ? Self.stepsOnStart : Self.stepsOnUpdate)
        let isComplete = prepared.withLock { prepared in
            let earlier = reference.load(ordering: .acquiring).files
            var files: [TenantID: TableFiles] = [:]
            for table in tables {
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
            let box = Box(tables, files)
            reference.store(box, ordering: .releasing)
            return box.missing.isEmpty
        }
        if !isComplete { tellIncomplete.yield() }
    }

    /// Whether the files of every table are generated.
    package var isComplete: Bool { reference.load(ordering: .acquiring).missing.isEmpty }

    /// Generates the missing files in `queue`, and serves them.
    package func makeMissing(on queue: WorkQueue) async throws {
        for table in reference.load(ordering: .acquiring).missing {
            let files = try await queue.run(for: .server) { cancellation in
                try TableFiles(of: table, within: cancellation.budget(of: .associationFiles))
            }
            prepared.withLock { _ in
                let box = reference.load(ordering: .acquiring)
                guard box.tables.contains(where: { $0 === table }) else { return }
                let all = box.files.merging([table.tenant: files]) { _, new in new }
                reference.store(Box(box.tables, all), ordering: .releasing)
            }
        }
    }

    /// Returns the association file of a host in lookup form; nil until it is generated.
    func file(_ kind: AssociationFile, forHost host: String, of table: PublishedTable) -> CachedAssociationFile? {
        let files = reference.load(ordering: .acquiring).files[table.tenant]
        // The hosts of a `*.` domain share a file.
        return files?.file(kind, forHost: table.settings.identity.domain(for: host)?.host ?? host)
    }
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

    /// - Throws: ``Unfinished`` if the budget is used up, because with more steps the files would differ.
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
