package import LinkRouting

/// One decision of the app that the server does not know yet.
package struct OutboxEvent: Sendable, Hashable {
    /// 32 hexadecimal digits. The server stores each id of an install once.
    package let id: String
    package let occurredAt: Timestamp
    /// The version of the engine that decided. A batch has events of one version.
    package let engineVersion: String
    /// The event as JSON, as `POST /_fp/events` takes it.
    package let json: [UInt8]

    /// Maximum size of an event. A link has at most 8 KiB; the rest is for its context.
    package static let maximumBytes = 32 << 10

    /// Nil if the event is too large.
    package init?(
        id: String,
        occurredAt: Timestamp,
        engineVersion: String,
        members: (inout JSONWriter) -> Void
    ) {
        var writer = JSONWriter(reservingCapacity: 1_024)
        writer.beginObject()
        writer.member("clientEventId", id)
        writer.member("occurredAt", occurredAt.description)
        members(&writer)
        writer.endObject()
        guard writer.byteCount <= Self.maximumBytes else { return nil }
        self.id = id
        self.occurredAt = occurredAt
        self.engineVersion = engineVersion
        json = writer.finish()
    }

    /// The line of the file: `{"engineVersion":"1.0","event":{…}}`.
    package var line: [UInt8] {
        var writer = JSONWriter(reservingCapacity: json.count + 64)
        writer.beginObject()
        writer.member("engineVersion", engineVersion)
        writer.key("event")
        var line = writer.finish()
        line += json
        line += Array("}\n".utf8)
        return line
    }

    /// Reads a line without its line feed; nil if it is damaged.
    package init?(line: ArraySlice<UInt8>) {
        let limits = JSONReader.Limits(maximumBytes: Self.maximumBytes + 256, maximumDepth: 16)
        guard let node = try? JSONReader.parse(line, limits: limits), let event = node["event"],
            let engineVersion = node["engineVersion"]?.text, let id = event["clientEventId"]?.text,
            let occurredAt = event["occurredAt"]?.text.flatMap({ Timestamp($0) })
        else { return nil }
        self.id = id
        self.occurredAt = occurredAt
        self.engineVersion = engineVersion
        json = Array(event.json().utf8)
    }
}
