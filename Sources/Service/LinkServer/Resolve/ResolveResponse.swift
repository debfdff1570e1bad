package import LinkCatalog
package import LinkEvents
package import LinkRouting

/// One result of `POST /resolve`, as JSON. The command line writes the same for an offline resolution, without `id`,
/// `recorded` and `continuation`.
package struct ResolveResponse: Sendable {
    package var answer: CatalogResolution
    /// Id of the recorded event; nil offline.
    package var id: RecordedID?
    /// Whether the event is in the log; nil offline.
    package var isRecorded: Bool?
    /// The sealed continuation of the action `signIn`.
    package var continuation: (token: String, expiresAt: Timestamp)?
    /// Why nobody may follow the short link any more.
    var gone: LinkResolver.Gone?
    package var warnings: [String] = []

    package init(_ answer: CatalogResolution) { self.answer = answer }

    package func json() -> [UInt8] {
        // Enough for most answers; glibc allocates up to 1,032 bytes, with the array's header, in a third of the time.
        var writer = JSONWriter(reservingCapacity: 960)
        write(to: &writer)
        return writer.finish()
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        id?.write(to: &writer, key: "id")
        writer.member("recorded", isRecorded)
        answer.resolution.write(
            to: &writer,
            of: answer.table.map {
                AnswerSource(tenant: $0.tenant, environment: $0.environment, revision: $0.revision)
            },
            continuation: continuation
        )
        if let gone {
            writer.beginObject(key: "reason")
            writer.member("code", gone.code)
            writer.member("message", gone.message)
            writer.endObject()
        }
        if !warnings.isEmpty {
            writer.beginArray(key: "warnings")
            for warning in warnings { writer.string(warning) }
            writer.endArray()
        }
        writer.endObject()
    }
}
