extension Event.Fields {
    /// The fields, in the order of an export's columns: the only list of them.
    ///
    /// A line gives the name in exports, from which follows the column of the log, and the property. The property's
    /// type says how the field is stored and exported, unless the line does.
    static func visit<Visitor: EventFieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
        try visitor.sequence("seq")
        try visitor.field("id", \.id)
        try visitor.field("recordedAt", \.recordedAt)
        try visitor.field("occurredAt", \.occurredAt)
        try visitor.field("purpose", \.purpose)
        try visitor.field("kind", \.kind)
        try visitor.field("parent", \.parent)
        try visitor.field("clientEventId", \.clientEventID)
        try visitor.field("tenant", \.tenant)
        try visitor.field("environment", \.environment)
        try visitor.field("app", \.app)
        try visitor.field("route", \.route)
        try visitor.field("revision", \.revision)
        try visitor.field("settingsRevision", \.settingsRevision)
        try visitor.field("outcome", \.outcome)
        try visitor.field("action", \.action)
        try visitor.field("reason", \.reason)
        try visitor.field("experiment", \.experiment)
        try visitor.field("variant", \.variant)
        try visitor.field("scheme", \.scheme)
        try visitor.field("host", \.host)
        try visitor.field("path", \.path, in: .row)
        try visitor.field("linkLength", \.linkLength)
        try visitor.field("query", \.query)
        visitor.utm("utmSource", .source)
        visitor.utm("utmMedium", .medium)
        visitor.utm("utmCampaign", .campaign)
        visitor.utm("utmTerm", .term)
        visitor.utm("utmContent", .content)
        try visitor.field("parameters", \.parameters, in: .row, as: .json)
        try visitor.field("platform", \.platform)
        try visitor.field("device", \.device)
        try visitor.field("osVersion", \.osVersion)
        try visitor.field("appVersion", \.appVersion)
        try visitor.field("appBuild", \.appBuild)
        try visitor.field("traits", \.traits, as: .json)
        try visitor.field("locale", \.locale)
        try visitor.field("country", \.country)
        try visitor.field("referrerHost", \.referrerHost)
        try visitor.field("address", \.address)
        try visitor.field("userAgent", \.userAgent)
        try visitor.field("botClass", \.botClass)
        try visitor.field("install", \.install)
        try visitor.field("source", \.source)
        try visitor.field("node", \.node)
        try visitor.field("requestId", \.requestID)
        try visitor.field("method", \.method)
        try visitor.field("latencyMicros", \.latencyMicroseconds)
        try visitor.field("result", \.result)
        try visitor.field("engineVersion", \.engineVersion)
        try visitor.field("agreement", \.agreement)
        try visitor.field("reading", \.reading)
        try visitor.field("shortLink", \.shortLink)
    }
}

/// Receives the fields of an event one by one. ``Event/Fields/visit(_:)`` is specialised for each visitor, so that a
/// field costs no more than an access to its property.
protocol EventFieldVisitor {
    associatedtype Failure: Error = Never

    /// The event's place in the log, which is not a property of the event.
    mutating func sequence(_ name: String) throws(Failure)
    mutating func visit<Value: EventFieldValue>(
        _ name: String,
        _ field: WritableKeyPath<Event.Fields, Value>,
        _ storage: EventColumn.Storage,
        _ form: ExportForm
    ) throws(Failure)
    /// A field that only exports have, because it is read from the query.
    mutating func utm(_ name: String, _ field: Event.UTM)
}

extension EventFieldVisitor {
    func utm(_: String, _: Event.UTM) {}

    @inline(__always) fileprivate mutating func field<Value: EventFieldValue>(
        _ name: String,
        _ field: WritableKeyPath<Event.Fields, Value>,
        in storage: EventColumn.Storage = Value.storage,
        as form: ExportForm = Value.form
    ) throws(Failure) {
        try visit(name, field, storage, form)
    }
}

/// The form in which an export writes a field.
enum ExportForm {
    case plain
    /// A count of milliseconds, written as a time.
    case time
    /// A text that is JSON.
    case json
    /// Bytes in the canonical form of a UUID.
    case uuid
    /// Bytes as hexadecimal digits.
    case digits
}

/// A column of the log's `event` table.
package struct EventColumn: Sendable, Hashable {
    package let name: String
    package let storage: Storage

    package enum Storage: Sendable {
        case integer
        /// A text in the row itself.
        case row
        /// A text that many rows have in common, so that the log may store it once.
        case shared
        /// A shared text that the log always stores as a number, because the column is indexed.
        case key
        /// 16 bytes; a text in the row for an id of another form.
        case bytes
    }

    /// All columns, in the order of ``Event/forEachValue(of:from:_:end:)``.
    package static let all: [EventColumn] = {
        var columns = Columns()
        Event.Fields.visit(&columns)
        return columns.columns
    }()

    private struct Columns: EventFieldVisitor {
        var columns: [EventColumn] = []

        mutating func sequence(_ name: String) { columns.append(EventColumn(name: name, storage: .integer)) }

        mutating func visit(
            _ name: String,
            _: WritableKeyPath<Event.Fields, some EventFieldValue>,
            _ storage: Storage,
            _: ExportForm
        ) {
            columns.append(EventColumn(name: Self.column(name), storage: storage))
        }

        /// `settingsRevision` is the column `settings_revision`.
        private static func column(_ name: String) -> String {
            name.reduce(into: "") { column, letter in
                column += letter.isUppercase ? "_" + letter.lowercased() : String(letter)
            }
        }
    }
}
