import LinkRouting

/// The columns of an export, in their order. docs/exports.md lists them; adding one raises the schema version.
package enum ExportSchema {
    package static let version = 1

    package enum Value: Sendable, Hashable {
        case text(String?)
        case int(Int64?)
        /// JSON text, a string in CSV.
        case json(String?)
    }

    package static let columns = [
        "seq", "id", "recordedAt", "occurredAt", "purpose", "kind", "parent", "clientEventId", "tenant", "environment",
        "app",
        "route", "revision", "settingsRevision", "outcome", "action", "reason", "experiment", "variant", "scheme",
        "host",
        "path", "linkLength", "query", "utmSource", "utmMedium", "utmCampaign", "utmTerm", "utmContent", "parameters",
        "platform", "device", "osVersion", "appVersion", "appBuild", "traits", "locale",
        "country",
        "referrerHost", "address", "userAgent", "botClass", "install", "source", "node", "requestId", "method",
        "latencyMicros",
    ]

    package static func values(of stored: StoredEvent) -> [Value] {
        let event = stored.event
        return [
            .int(stored.sequence), .text(event.id), .text(event.recordedAt.description),
            .text(event.occurredAt?.description),
            .text(event.purpose.rawValue), .text(event.kind.rawValue), .text(event.parent), .text(event.clientEventID),
            .text(event.tenant.rawValue), .text(event.environment.rawValue), .text(event.app?.rawValue),
            .text(event.route?.rawValue), .int(event.revision?.rawValue), .int(event.settingsRevision),
            .text(event.outcome.rawValue), .text(event.action?.rawValue), .text(event.reason), .text(event.experiment),
            .text(event.variant), .text(event.scheme), .text(event.host), .text(event.path),
            .int(Int64(event.linkLength)),
            .json(Self.json(of: event.query)), .text(event.utm(.source)), .text(event.utm(.medium)),
            .text(event.utm(.campaign)), .text(event.utm(.term)), .text(event.utm(.content)), .json(event.parameters),
            .text(event.platform?.rawValue), .text(event.device?.rawValue), .text(event.osVersion),
            .text(event.appVersion), .int(event.appBuild), .json(event.traits), .text(event.locale),
            .text(event.country), .text(event.referrerHost), .text(event.address), .text(event.userAgent),
            .text(event.botClass), .text(event.install),
            .text(event.source), .text(event.node), .text(event.requestID), .text(event.method),
            .int(event.latencyMicroseconds),
        ]
    }

    /// A list of `{"name", "value"}`, so that repeated names keep their order.
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

/// Writes events as the rows of an export.
package enum ExportEncoder: String, Sendable, CaseIterable {
    /// One JSON object a line, every column in every row.
    case ndjson
    /// RFC 4180 with a header row and CRLF. A text that a spreadsheet would read as a formula gets a `'` in front.
    case csv

    package var fileExtension: String { rawValue }

    package func header() -> [UInt8] {
        switch self {
        case .ndjson: []
        case .csv: Array(ExportSchema.columns.joined(separator: ",").utf8) + [0x0D, 0x0A]
        }
    }

    package func row(_ event: StoredEvent) -> [UInt8] {
        let values = ExportSchema.values(of: event)
        switch self {
        case .ndjson:
            var writer = JSONWriter()
            writer.beginObject()
            for (column, value) in zip(ExportSchema.columns, values) {
                writer.key(column)
                switch value {
                case .text(let text?): writer.string(text)
                case .int(let number?): writer.int(number)
                case .json(let text?): writer.number(text)
                case .text(nil), .int(nil), .json(nil): writer.null()
                }
            }
            writer.endObject()
            return writer.bytes + [0x0A]
        case .csv:
            let fields = values.map { value -> String in
                switch value {
                case .text(let text?), .json(let text?): Self.csvField(text)
                case .int(let number?): String(number)
                case .text(nil), .int(nil), .json(nil): ""
                }
            }
            return Array(fields.joined(separator: ",").utf8) + [0x0D, 0x0A]
        }
    }

    private static func csvField(_ text: String) -> String {
        var text = text
        if let first = text.utf8.first, Array("=+-@\t\r".utf8).contains(first) { text = "'" + text }
        guard text.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return text }
        // Byte by byte: a quote before a combining accent is one character with it, and must be doubled all the same.
        var quoted: [UInt8] = [0x22]
        for byte in text.utf8 { quoted += byte == 0x22 ? [0x22, 0x22] : [byte] }
        return String(decoding: quoted + [0x22], as: UTF8.self)
    }
}
