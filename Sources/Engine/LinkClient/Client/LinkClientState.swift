public import LinkRouting

/// The state of a ``LinkClient``: its table, its reports and its problems. ``LinkClient/states`` delivers each change.
public struct LinkClientState: Sendable, Hashable {
    /// The table in use; nil if there is none.
    public var table: Table?
    /// The number of reports that the server has not confirmed.
    public var waitingReports = 0
    /// The number of reports that were lost: the outbox was full, they became too old, or the server refused them.
    public var lostReports = 0
    /// The current problems, at most one of each kind. The client continues with the table that it has.
    public var problems: [Problem] = []

    public init() {}

    /// A table in use.
    public struct Table: Sendable, Hashable {
        public var revision: Revision
        public var settingsRevision: Int64
        public var issuedAt: Timestamp
        /// The time after which the app should have a newer table. It continues to use this table after that time.
        public var expiresAt: Timestamp
        public var origin: Origin
    }

    public enum Origin: Sendable, Hashable {
        /// Part of the app.
        case bundle
        /// Stored by an earlier run.
        case disk
        case download
        case preview
    }

    /// A current problem.
    public struct Problem: Sendable, Hashable, CustomStringConvertible {
        public var kind: Kind
        /// For a rejected table or route, the reason as a stable word such as `bad_signature`; else nil.
        public var code: String?
        /// The failure and its remedy, for developers.
        public var message: String
        public var description: String { message }
    }

    public enum Kind: Int, Sendable, Hashable, CaseIterable {
        /// The table of the app's bundle is not accepted.
        case bundledTable
        /// The table on the disk is not accepted.
        case storedTable
        /// The downloaded table is not accepted. The previous one stays in use.
        case downloadedTable
        /// A route of the table in use cannot be read. The server must decide about its links.
        case unreadableRoute
        /// No table can be downloaded.
        case download
        /// A file cannot be written. The client continues in memory.
        case storage
        /// Reports cannot be delivered. They are kept.
        case delivery
        /// The server refused a report, which is therefore lost.
        case refusedReport
        /// The last answer of the server is not accepted, because it belongs to another tenant.
        case answer
    }
}
