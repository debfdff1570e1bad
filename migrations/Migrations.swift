/// The SQL migrations of each file, oldest first. Append-only: a released migration never changes.
package enum Migrations {
    /// `catalog.db`
    package static let catalog = [
        text(PackageResources.m0001_catalog_sql), text(PackageResources.m0002_catalog_sql),
        text(PackageResources.m0003_catalog_sql), text(PackageResources.m0004_catalog_sql),
        text(PackageResources.m0005_catalog_sql), text(PackageResources.m0006_catalog_sql),
        text(PackageResources.m0007_catalog_sql),
    ]
    /// The day files of `events/`
    package static let events = [
        text(PackageResources.m0001_events_sql), text(PackageResources.m0002_events_sql),
        text(PackageResources.m0003_events_sql), text(PackageResources.m0004_events_sql),
        text(PackageResources.m0005_events_sql),
    ]
    /// `events/ledger.db`
    package static let ledger = [
        text(PackageResources.m0001_ledger_sql), text(PackageResources.m0002_ledger_sql),
        text(PackageResources.m0003_ledger_sql), text(PackageResources.m0004_ledger_sql),
        text(PackageResources.m0005_ledger_sql),
    ]

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
