import AppAssociation
import Atomics
package import LinkCatalog
import LinkRouting
import Synchronization

/// The catalog that requests are answered from: one atomic load a request, replaced whole when something is published.
package final class LiveCatalog: Sendable {
    private let reference: ManagedAtomic<Box>

    /// A catalog and what is made from it once.
    private final class Box: AtomicReference, Sendable {
        let catalog: Catalog
        let files = Mutex<[FileKey: [UInt8]]>([:])

        init(_ catalog: Catalog) { self.catalog = catalog }
    }

    private struct FileKey: Hashable {
        let kind: AssociationFile
        let tenant: TenantID
        let host: String
    }

    package init(_ catalog: Catalog = Catalog()) { reference = ManagedAtomic(Box(catalog)) }

    package var current: Catalog { reference.load(ordering: .acquiring).catalog }

    package func replace(by catalog: Catalog) { reference.store(Box(catalog), ordering: .releasing) }

    /// The association file of a host in look-up form, made once for each catalog; nil for a host that nobody owns.
    func file(_ kind: AssociationFile, forHost host: String) -> [UInt8]? {
        let box = reference.load(ordering: .acquiring)
        guard let table = box.catalog.tableForAssociation(ofHost: host) else { return nil }
        // Hosts of one `*.` domain share a file, so that made-up hosts cannot fill the memory.
        let fileHost = table.settings.identity.domain(for: host)?.host ?? host
        let key = FileKey(kind: kind, tenant: table.tenant, host: fileHost)
        if let file = box.files.withLock({ $0[key] }) { return file }
        let file =
            switch kind {
            case .apple: AppleFileGenerator.file(for: fileHost, router: table.router)
            case .android: AndroidFileGenerator.file(for: fileHost, router: table.router)
            }
        box.files.withLock { $0[key] = file }
        return file
    }
}

enum AssociationFile: Hashable {
    case apple, android
}
