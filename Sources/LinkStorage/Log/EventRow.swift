import GRDB
import LinkEvents
import LinkRouting

/// Maps an event to a row of a day file, see m0001_events.sql.
enum EventRow {
    /// The order in which ``bind(_:sequence:to:texts:_:)`` writes columns and ``event(_:texts:)`` reads them.
    private static let columns = [
        "seq", "recorded_at", "tenant", "environment", "purpose", "kind", "outcome", "action", "reason", "route",
        "revision", "settings_revision", "app", "experiment", "variant", "scheme", "host", "path", "link_length",
        "query",
        "parameters", "platform", "device", "os_version", "app_version", "app_build", "traits", "locale", "country",
        "referrer_host", "address", "user_agent", "bot_class", "install", "source", "node", "method", "latency_micros",
        "id", "request_id", "occurred_at", "parent", "client_event_id",
    ]

    /// The columns that may hold the number of a text in the dictionary.
    static let textColumns = [
        "tenant", "environment", "purpose", "kind", "outcome", "action", "reason", "route", "app", "experiment",
        "variant", "scheme", "host", "query", "platform", "device", "os_version", "app_version", "traits", "locale",
        "country", "referrer_host", "address", "user_agent", "bot_class", "source", "node", "method",
    ]

    static let insertSQL = """
        INSERT INTO event (\(columns.joined(separator: ", ")))
        VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
        """

    static let selectSQL = "SELECT \(columns.joined(separator: ", ")) FROM event"

    // MARK: Writing

    /// Binds an event to ``insertSQL``. Inserts texts that are new to the dictionary into the file first.
    static func bind(
        _ event: Event,
        sequence: Int64,
        to row: inout RowBinder,
        texts: inout TextDictionary,
        _ db: Database
    ) throws {
        func word(_ text: String?) throws {
            if let text, let number = try texts.number(of: text, in: row.count, db) {
                row.int(number)
            } else {
                row.text(text)
            }
        }
        func uuid(_ text: String?) {
            if let bytes = text.flatMap(Hex.bytes(ofUUID:)) { row.blob(bytes) } else { row.text(text) }
        }
        row.int(sequence)
        row.int(event.recordedAt.milliseconds)
        try row.int(texts.number(of: event.tenant.rawValue, db, always: true))
        try word(event.environment.rawValue)
        try word(event.purpose.rawValue)
        try word(event.kind.rawValue)
        try word(event.outcome.rawValue)
        try word(event.action?.rawValue)
        try word(event.reason)
        try word(event.route?.rawValue)
        row.int(event.revision?.rawValue)
        row.int(event.settingsRevision)
        try word(event.app?.rawValue)
        try word(event.experiment)
        try word(event.variant)
        try word(event.scheme)
        try word(event.host)
        row.text(event.path)
        row.int(Int64(event.linkLength))
        try word(ExportSchema.json(of: event.query))
        row.text(event.parameters)
        try word(event.platform?.rawValue)
        try word(event.device?.rawValue)
        try word(event.osVersion)
        try word(event.appVersion)
        row.int(event.appBuild)
        try word(event.traits)
        try word(event.locale)
        try word(event.country)
        try word(event.referrerHost)
        try word(event.address)
        try word(event.userAgent)
        try word(event.botClass)
        if let bytes = event.install.flatMap(Hex.bytes(of:)) {
            row.blob(bytes)
        } else {
            row.text(event.install)
        }
        try word(event.source)
        try word(event.node)
        try word(event.method)
        row.int(event.latencyMicroseconds)
        uuid(event.id)
        uuid(event.requestID)
        row.int(event.occurredAt?.milliseconds)
        uuid(event.parent)
        uuid(event.clientEventID)
    }

    // MARK: Reading

    /// Selects rows above the `counted` watermark. Only the newest rows of the newest day are.
    static let uncountedSQL = "seq > (SELECT seq FROM counted)"

    static func uncounted(_ db: Database) throws -> [StoredEvent] {
        let rows = try Row.fetchCursor(db, sql: "\(selectSQL) WHERE \(uncountedSQL) ORDER BY seq")
        var events: [StoredEvent] = []
        let texts = try DayTexts().all(db)
        while let row = try rows.next() { events.append(try event(row, texts: texts)) }
        return events
    }

    static func isCounted(_ db: Database) throws -> Bool {
        try Bool.fetchOne(db, sql: "SELECT NOT EXISTS (SELECT 1 FROM event WHERE \(uncountedSQL))") ?? true
    }

    /// Decodes a row of ``selectSQL``.
    static func event(_ row: Row, texts: [String]) throws -> StoredEvent {
        var row = RowReader(row, texts: texts)
        let sequence = try row.integer()
        let recordedAt = try row.integer()
        let tenant = try row.word { $0 == TenantID.none.rawValue ? TenantID.none : TenantID($0) }
        let environment = try row.word { EnvironmentID($0) }
        let purpose = try row.word(Event.Purpose.init(rawValue:))
        let kind = try row.word(Event.Kind.init(rawValue:))
        let outcome = try row.word(Outcome.init(rawValue:))
        var event = Event(
            id: "",
            recordedAt: Timestamp(milliseconds: recordedAt),
            tenant: tenant,
            environment: environment,
            outcome: outcome,
            linkLength: 0,
            source: "",
            node: "",
            requestID: "",
            method: ""
        )
        event.purpose = purpose
        event.kind = kind
        event.action = try row.optionalWord().flatMap(Action.init(rawValue:))
        event.reason = try row.optionalWord()
        event.route = try row.optionalWord().flatMap { RouteID($0) }
        event.revision = try row.optionalInteger().map(Revision.init(rawValue:))
        event.settingsRevision = try row.optionalInteger()
        event.app = try row.optionalWord().flatMap { AppID($0) }
        event.experiment = try row.optionalWord()
        event.variant = try row.optionalWord()
        event.scheme = try row.optionalWord()
        event.host = try row.optionalWord()
        event.path = try row.optionalWord()
        event.linkLength = Int(try row.integer())
        if let text = try row.optionalWord() {
            guard let query = query(text) else { throw row.broken() }
            event.query = query
        }
        event.parameters = try row.optionalWord()
        event.platform = try row.optionalWord().flatMap(Platform.init(rawValue:))
        event.device = try row.optionalWord().flatMap(Device.init(rawValue:))
        event.osVersion = try row.optionalWord()
        event.appVersion = try row.optionalWord()
        event.appBuild = try row.optionalInteger()
        event.traits = try row.optionalWord()
        event.locale = try row.optionalWord()
        event.country = try row.optionalWord()
        event.referrerHost = try row.optionalWord()
        event.address = try row.optionalWord()
        event.userAgent = try row.optionalWord()
        event.botClass = try row.optionalWord()
        event.install = try row.optionalWord(blob: Hex.text)
        event.source = try row.word { $0 }
        event.node = try row.word { $0 }
        event.method = try row.word { $0 }
        event.latencyMicroseconds = try row.optionalInteger()
        event.id = try row.word { $0 }
        event.requestID = try row.word { $0 }
        event.occurredAt = try row.optionalInteger().map(Timestamp.init(milliseconds:))
        event.parent = try row.optionalWord()
        event.clientEventID = try row.optionalWord()
        return StoredEvent(sequence: sequence, event: event)
    }

    private static func query(_ json: String) -> [Event.QueryItem]? {
        guard let node = try? JSONReader.parse(json, limits: JSONReader.Limits(maximumBytes: 1 << 20)) else {
            return nil
        }
        return (node.elements ?? []).compactMap { item in
            guard let name = item["name"]?.text, let value = item["value"]?.text else { return nil }
            return Event.QueryItem(name: name, value: value)
        }
    }

    /// Reads the columns of a row in order.
    private struct RowReader {
        private let row: Row
        private let texts: [String]
        private var index = -1

        init(_ row: Row, texts: [String]) {
            self.row = row
            self.texts = texts
        }

        mutating func optionalInteger() throws -> Int64? {
            index += 1
            switch row[index] as StoredValue? {
            case nil: return nil
            case .integer(let value): return value
            default: throw broken()
            }
        }

        mutating func integer() throws -> Int64 {
            guard let value = try optionalInteger() else { throw broken() }
            return value
        }

        /// Reads a text that is stored inline, in the dictionary, or as bytes.
        mutating func optionalWord(blob: ([UInt8]) -> String = Hex.uuid) throws -> String? {
            index += 1
            switch row[index] as StoredValue? {
            case nil: return nil
            case .text(let text): return text
            case .integer(let number):
                guard number >= 1, number <= texts.count else { throw broken() }
                return texts[Int(number) - 1]
            case .bytes(let bytes): return blob(bytes)
            case .real: throw broken()
            }
        }

        mutating func word<Value>(_ value: (String) -> Value?) throws -> Value {
            guard let value = try optionalWord().flatMap(value) else { throw broken() }
            return value
        }

        func broken() -> DatabaseError {
            DatabaseError(
                resultCode: .SQLITE_CORRUPT,
                message: "row \(row[0] as Int64): the column \(EventRow.columns[index]) cannot be read"
            )
        }
    }
}
