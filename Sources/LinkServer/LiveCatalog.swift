import AppAssociation
import Atomics
package import LinkCatalog
import LinkRouting
import Synchronization

/// The catalog that requests are answered from: one atomic load a request, replaced whole when something is published.
package final class LiveCatalog: Sendable {
    private let reference: ManagedAtomic<Box>
    /// The version of the snapshot that is live; held while a newer one is compiled, so that none overtakes another.
    private let version = Mutex<Int64>(-1)

    /// A catalog and what is made from it once.
    private final class Box: AtomicReference, Sendable {
        let catalog: Catalog
        let files: Mutex<[FileKey: Once<ServedFile>]>

        init(_ catalog: Catalog, files: [FileKey: Once<ServedFile>] = [:]) {
            self.catalog = catalog
            self.files = Mutex(files)
        }
    }

    private struct FileKey: Hashable {
        let kind: AssociationFile
        let host: String
        let version: TableVersion
    }

    package init(_ catalog: Catalog = Catalog()) { reference = ManagedAtomic(Box(catalog)) }

    package var current: Catalog { reference.load(ordering: .acquiring).catalog }

    /// Compiles what is stored, and answers from it; a snapshot that is older than the last is ignored.
    package func update(from snapshot: CatalogSnapshot) throws {
        try version.withLock { version in
            guard snapshot.version > version else { return }
            replace(by: try snapshot.catalog(reusing: current))
            version = snapshot.version
        }
    }

    /// Files of tables that stay are kept: publishing for one tenant makes no other one's files anew.
    package func replace(by catalog: Catalog) {
        let versions = Set(catalog.tables.map(TableVersion.init))
        let files = reference.load(ordering: .acquiring).files.withLock { files in
            files.filter { versions.contains($0.key.version) }
        }
        reference.store(Box(catalog, files: files), ordering: .releasing)
    }

    /// The association file of a host in look-up form, made once for each revision of its table.
    func file(_ kind: AssociationFile, forHost host: String, of table: PublishedTable) throws -> ServedFile {
        // Hosts of one `*.` domain share a file, so that made-up hosts cannot fill the memory.
        let fileHost = table.settings.identity.domain(for: host)?.host ?? host
        let key = FileKey(kind: kind, host: fileHost, version: TableVersion(table))
        let file = reference.load(ordering: .acquiring).files.withLock { files in
            if let file = files[key] { return file }
            let file = Once<ServedFile>()
            files[key] = file
            return file
        }
        return try file.value {
            switch kind {
            case .apple: try ServedFile(AppleFileGenerator.file(for: fileHost, router: table.router))
            case .android: try ServedFile(AndroidFileGenerator.file(for: fileHost, router: table.router))
            }
        }
    }
}

enum AssociationFile: Hashable {
    case apple, android
}
