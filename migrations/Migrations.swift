/// The SQL migrations of each file, oldest first. The lists are append-only: a released migration never changes, not even in a
/// comment, since files have its hash. ReleasedMigrationTests has those that are released.
///
/// A day file is migrated when it is first read, so a migration of `events` must be fast: it adds columns, without indexes.
package enum Migrations {
    /// `catalog.db`
    package static let catalog = [text(PackageResources.m0001_catalog_sql)]
    /// The catalog in PostgreSQL.
    package static let postgresql = [text(PackageResources.m0001_postgresql_sql)]
    /// The least number of migrations in PostgreSQL that a program must know to use a database with all of them. A migration that
    /// removes or renames something raises it to its own number.
    package static let postgresqlOldest = 1
    /// The day files of `events/`
    package static let events = [text(PackageResources.m0001_events_sql)]
    /// `events/ledger.db`
    package static let ledger = [text(PackageResources.m0001_ledger_sql)]
    /// `links.db`
    package static let links = [text(PackageResources.m0001_links_sql)]

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
