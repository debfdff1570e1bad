import LinkRouting

/// The columns of an export, in order. docs/exports.md lists them. Adding a column raises the schema version.
package enum ExportSchema {
    package static let version = 1

    package static let columns: [String] = {
        var names = ColumnNames()
        let event = Event(
            id: "",
            recordedAt: Timestamp(milliseconds: 0),
            tenant: .none,
            environment: .production,
            outcome: .unmatched,
            linkLength: 0,
            source: "",
            node: "",
            requestID: "",
            method: ""
        )
        write(StoredEvent(sequence: 1, event: event), to: &names)
        return names.names
    }()

    /// Writes one row, column by column. The only definition of the contents of each column.
    static func write(_ stored: StoredEvent, to row: inout some ExportRow) {
        let event = stored.event
        row.int("seq", stored.sequence)
        row.text("id", event.id)
        row.text("recordedAt", event.recordedAt.description)
        row.text("occurredAt", event.occurredAt?.description)
        row.text("purpose", event.purpose.rawValue)
        row.text("kind", event.kind.rawValue)
        row.text("parent", event.parent)
        row.text("clientEventId", event.clientEventID)
        row.text("tenant", event.tenant.rawValue)
        row.text("environment", event.environment.rawValue)
        row.text("app", event.app?.rawValue)
        row.text("route", event.route?.rawValue)
        row.int("revision", event.revision?.rawValue)
        row.int("settingsRevision", event.settingsRevision)
        row.text("outcome", event.outcome.rawValue)
        row.text("action", event.action?.rawValue)
        row.text("reason", event.reason)
        row.text("experiment", event.experiment)
        row.text("variant", event.variant)
        row.text("scheme", event.scheme)
        row.text("host", event.host)
        row.text("path", event.path)
        row.int("linkLength", Int64(event.linkLength))
        row.json("query", json(of: event.query))
        row.text("utmSource", event.utm(.source))
        row.text("utmMedium", event.utm(.medium))
        row.text("utmCampaign", event.utm(.campaign))
        row.text("utmTerm", event.utm(.term))
        row.text("utmContent", event.utm(.content))
        row.json("parameters", event.parameters)
        row.text("platform", event.platform?.rawValue)
        row.text("device", event.device?.rawValue)
        row.text("osVersion", event.osVersion)
        row.text("appVersion", event.appVersion)
        row.int("appBuild", event.appBuild)
        row.json("traits", event.traits)
        row.text("locale", event.locale)
        row.text("country", event.country)
        row.text("referrerHost", event.referrerHost)
        row.text("address", event.address)
        row.text("userAgent", event.userAgent)
        row.text("botClass", event.botClass)
        row.text("install", event.install)
        row.text("source", event.source)
        row.text("node", event.node)
        row.text("requestId", event.requestID)
        row.text("method", event.method)
        row.int("latencyMicros", event.latencyMicroseconds)
    }

    /// Returns the query as a JSON list of `{"name", "value"}`, so that repeated names keep their order; nil if it is
    /// empty.
    package static func json(of query: [Event.QueryItem]) -> String? {
        guard !query.isEmpty else { return nil }
        var writer = JSONWriter()
        writer.beginArray()
        for item in query {
            writer.beginObject()
            writer.member("name", item.name)
            writer.member("value", item.value)
            writer.endObject()
        }
        writer.endArray()
        return writer.text
    }
}

/// Receives the columns of one row in order.
protocol ExportRow {
    mutating func text(_ column: String, _ value: String?)
    mutating func int(_ column: String, _ value: Int64?)
    /// - Parameter value: JSON text.
    mutating func json(_ column: String, _ value: String?)
}

private struct ColumnNames: ExportRow {
    var names: [String] = []

    mutating func text(_ column: String, _: String?) { names.append(column) }
    mutating func int(_ column: String, _: Int64?) { names.append(column) }
    mutating func json(_ column: String, _: String?) { names.append(column) }
}
