import LinkCatalog

/// Why the catalog in PostgreSQL cannot be used. Its description says what to do.
package enum PostgresError: Error, Hashable, CustomStringConvertible {
    /// No host takes connections, or the connection was lost.
    case unreachable(String)
    /// The server did not answer in time.
    case late(after: Duration)
    /// More transactions wait than ``PostgresStore/maximumWaiting``.
    case busy
    /// The server refused a statement: its SQLSTATE and message.
    case statement(code: String, message: String)
    /// The database cannot hold the catalog, or its password cannot be read. Nothing was changed.
    case unsuitable(String)

    package var description: String {
        switch self {
        case .unreachable(let detail):
            "PostgreSQL is unreachable (\(detail)): check the server, the network and store.hosts."
        case .late(let limit): "PostgreSQL did not answer within \(limit): check its load and its disk."
        case .busy: "\(PostgresStore.maximumWaiting) transactions already wait for PostgreSQL."
        case .statement("42P01", let message):
            "the database lacks a table (\(message)): it is another one, or an empty one. Check store.database, or restore it."
        case .statement("55P03", let message):
            "a lock in PostgreSQL was not released in time (\(message)): pg_stat_activity shows who holds it."
        case .statement(let code, let message): "PostgreSQL refused a statement (\(code), \(message))."
        case .unsuitable(let reason): reason
        }
    }

    /// Whether the connection's state is unknown, so that another one must be opened.
    var endsConnection: Bool {
        switch self {
        case .unreachable, .late: true
        case .statement(let code, _): Self.endsConnection(code)
        case .busy, .unsuitable: false
        }
    }

    /// 08, 57P01 to 57P05: the server shuts down, crashes or starts, or an idle session ended. 25: the session is read-only,
    /// as after a failover, when another host takes writes; or its transaction has failed.
    static func endsConnection(_ code: String) -> Bool {
        code.hasPrefix("57P") || code.hasPrefix("08") || code.hasPrefix("25")
    }

    /// Nil for a mistake in a statement or in the configuration, which a later attempt would repeat.
    var unavailable: CatalogUnavailable? {
        let passes: Bool =
            switch self {
            // 53: no memory, no space, too many connections. 55P03, 57014: a lock or statement took too long. 40: a
            // deadlock.
            case .statement(let code, _):
                Self.endsConnection(code) || code.hasPrefix("53") || code.hasPrefix("40")
                    || ["55P03", "57014"].contains(code)
            case .unsuitable: false
            case .unreachable, .late, .busy: true
            }
        return passes ? CatalogUnavailable(description) : nil
    }
}
