/// The SQL migrations of each file, oldest first. The first one is the baseline. It changes until version 0.1.0 is
/// released. Afterwards the lists are append-only: a released migration never changes.
package enum Migrations {
    /// `catalog.db`
    package static let catalog = [text(PackageResources.m0001_catalog_sql)]
    /// The catalog in PostgreSQL.
    package static let postgresql = [text(PackageResources.m0001_postgresql_sql)]
    /// The day files of `events/`
    package static let events = [text(PackageResources.m0001_events_sql)]
    /// `events/ledger.db`
    package static let ledger = [text(PackageResources.m0001_ledger_sql)]
    /// `links.db`
    package static let links = [text(PackageResources.m0001_links_sql)]

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
