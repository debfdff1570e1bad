extension DataDirectory {
    /// A file of the directory and the number of its migrations.
    package struct Schema: Sendable {
        package let name: String
        package let found: Int
        package let known: Int
    }

    /// The files that opening the directory migrates, except past days of the log, which are migrated when they are read. Files that
    /// cannot be read are missing: opening them says why.
    package var olderSchemas: [Schema] {
        let files = [
            (catalogPath, CatalogDatabase.schema), (linksPath, ShortLinkDatabase.schema),
            (eventsPath + "/ledger.db", EventLog.ledgerSchema),
        ]
        return files.compactMap { path, schema in
            guard let found = try? SQLiteHeader.inspect(path, schema), found < schema.migrations.count else {
                return nil
            }
            return Schema(
                name: String(path.dropFirst(servicePath.count + 1)),
                found: found,
                known: schema.migrations.count
            )
        }
    }
}
