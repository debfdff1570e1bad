import Atomics
package import LinkCatalog
import LinkRouting
import LinkTable
import Synchronization

/// The signed tables of all apps, in the form in which they are served.
///
/// ``AppTableService`` signs them when a catalog goes live, when the key changes, and once a week. Until the table of a
/// new revision is signed, the table of the previous one is served.
package final class AppTableCache: Sendable {
    private let reference = ManagedAtomic(Box([:]))
    private let state: Mutex<State>
    /// Yields an element when tables may have to be signed.
    let changes: AsyncStream<Void>
    private let tellChange: AsyncStream<Void>.Continuation

    private struct State {
        var signer: TableSigner?
        var catalog = Catalog()
    }

    private final class Box: AtomicReference, Sendable {
        let tables: [TableScope: Entry]

        init(_ tables: [TableScope: Entry]) { self.tables = tables }
    }

    struct Entry: Sendable {
        let origin: Origin
        /// Nil if the table could not be signed.
        let table: CachedAppTable?
    }

    /// The inputs of a signed table. A table with equal inputs need not be signed again.
    struct Origin: Sendable, Hashable {
        let version: TableVersion
        let app: AppID
        let keyID: String
        let issuedAt: Timestamp

        var scope: TableScope { TableScope(tenant: version.tenant, environment: version.environment, app: app) }
    }

    /// The maximum memory of all tables. Further ones are not served.
    static let mostBytes = 256 << 20

    /// - Parameter signer: Nil if no key is configured: then there are no tables for apps.
    package init(signer: TableSigner?) {
        state = Mutex(State(signer: signer))
        (changes, tellChange) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Takes note of a catalog that is about to go live.
    package func update(for catalog: Catalog) {
        state.withLock { $0.catalog = catalog }
        tellChange.yield()
    }

    /// Signs with another key from now on. Tables signed with the old key are served until they are signed again. Nil
    /// ends signing and removes all tables.
    package func update(_ signer: TableSigner?) {
        state.withLock { $0.signer = signer }
        if signer == nil { reference.store(Box([:]), ordering: .releasing) }
        tellChange.yield()
    }

    /// Makes the service check for tables to sign, such as those whose period is over.
    func nudge() { tellChange.yield() }

    /// The key that signs; nil if none is configured.
    package var signer: TableSigner? { state.withLock(\.signer) }

    var byteCount: Int {
        reference.load(ordering: .acquiring).tables.values.reduce(0) { $0 + ($1.table?.byteCount ?? 0) }
    }

    /// Returns the entry of an app's table; nil until it is signed.
    func entry(for scope: TableScope) -> Entry? { reference.load(ordering: .acquiring).tables[scope] }

    /// Removes the tables that no longer belong to a live one, and returns the origins of those to sign.
    func begin(issuedAt: Timestamp) -> (missing: [Origin], signer: TableSigner)? {
        let (catalog, signer) = state.withLock { ($0.catalog, $0.signer) }
        guard let signer else { return nil }
        var origins: [Origin] = []
        for table in catalog.tables where table.revision != nil {
            for app in table.settings.identity.apps where app.kind == .app && app.isPart(of: table.environment) {
                origins.append(
                    Origin(
                        version: TableVersion(table),
                        app: app.id,
                        keyID: signer.publicKey.id,
                        issuedAt: issuedAt
                    )
                )
            }
        }
        let scopes = Set(origins.map(\.scope))
        let current = reference.load(ordering: .acquiring).tables.filter { scopes.contains($0.key) }
        reference.store(Box(current), ordering: .releasing)
        return (origins.filter { current[$0.scope]?.origin != $0 }, signer)
    }

    /// Serves a table. Only ``AppTableService`` calls it, so changes of the cache never overlap.
    ///
    /// - Returns: False if the memory of all tables would exceed its limit.
    func store(_ table: CachedAppTable?, of origin: Origin) -> Bool {
        let tables = reference.load(ordering: .acquiring).tables
        let old = tables[origin.scope]
        let hasRoom = byteCount - (old?.table?.byteCount ?? 0) + (table?.byteCount ?? 0) <= Self.mostBytes
        // If a table cannot be signed, the earlier one stays.
        let entry = Entry(origin: origin, table: (hasRoom ? table : nil) ?? old?.table)
        reference.store(Box(tables.merging([origin.scope: entry]) { $1 }), ordering: .releasing)
        return hasRoom
    }
}
