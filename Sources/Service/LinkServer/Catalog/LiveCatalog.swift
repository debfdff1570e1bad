import Atomics
package import LinkCatalog
import LinkRouting
import Synchronization

/// The catalog that requests are answered from. A request takes one atomic load; a publication replaces the whole
/// catalog.
package final class LiveCatalog: Sendable {
    private let reference: ManagedAtomic<Box>
    /// Version of the live snapshot. The lock is held while a newer one is compiled, so that none overtakes another.
    private let version = Mutex<Int64>(-1)
    private let willGoLive: @Sendable (_ catalog: Catalog, _ isFirst: Bool) -> Void

    private final class Box: AtomicReference, Sendable {
        let catalog: Catalog

        init(_ catalog: Catalog) { self.catalog = catalog }
    }

    /// - Parameter willGoLive: Called with each new catalog before requests are answered from it, on the thread of the
    ///   update.
    package init(
        _ catalog: Catalog = Catalog(),
        willGoLive: @escaping @Sendable (_ catalog: Catalog, _ isFirst: Bool) -> Void = { _, _ in }
    ) {
        reference = ManagedAtomic(Box(catalog))
        self.willGoLive = willGoLive
    }

    /// The live catalog.
    package var current: Catalog { reference.load(ordering: .acquiring).catalog }

    /// The compiled tables.
    package var known: Set<TableVersion> { Set(current.tables.map(TableVersion.init)) }

    /// Compiles a snapshot and makes it live; ignores one that is not newer than the last. Returns the tenants that
    /// have become unreadable. Takes a while, so call it on a separate thread.
    @discardableResult
    package func update(from snapshot: CatalogSnapshot) -> [UnreadableTenant] {
        version.withLock { version in
            guard snapshot.version > version else { return [] }
            let earlier = current
            let catalog = snapshot.catalog(reusing: earlier)
            willGoLive(catalog, version < 0)
            version = snapshot.version
            reference.store(Box(catalog), ordering: .releasing)
            return catalog.unreadable.filter { !earlier.unreadable.contains($0) }
        }
    }
}
