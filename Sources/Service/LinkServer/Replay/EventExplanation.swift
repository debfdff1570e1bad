import LinkCatalog
import LinkEvents
import LinkRouting

/// Why a recorded link led to its destination: the recorded parts, resolved again with the table that answered the link.
struct EventExplanation {
    private let stored: StoredEvent
    /// Nil if nothing of the link is recorded, or its table is not available.
    private let link: RecordedLink?
    private let source: AnswerSource?
    /// With a trace. Nil if too little of the link is recorded.
    private let resolution: Resolution?
    /// What is missing, in sentences.
    private let notes: [String]

    /// - Parameter table: The table of the event's revision; nil if it is not available any more.
    init(_ stored: StoredEvent, by table: PublishedTable?) {
        self.stored = stored
        let event = stored.event
        source = table.map { AnswerSource(tenant: $0.tenant, environment: $0.environment, revision: $0.revision) }
        guard let table else {
            (link, resolution, notes) = (nil, nil, ExplanationNotes.shortLink(event) + [Self.missingTable(of: event)])
            return
        }
        do {
            let link = try RecordedLink(event, table: table)
            let resolution = Self.resolution(of: link, event, by: table)
            self.link = link
            self.resolution = resolution
            notes = ExplanationNotes(event, link, resolution, table).texts
        } catch {
            (link, resolution, notes) = (nil, nil, ExplanationNotes.shortLink(event) + [error.note(about: event)])
        }
    }

    private static func resolution(of link: RecordedLink, _ event: Event, by table: PublishedTable) -> Resolution? {
        guard !link.isCut else { return nil }
        let context = link.context(at: event.decidedAt)
        return link.resolved(by: table, in: context, standInsFor: [table]).map {
            table.router.resolve($0.link, in: context, explanation: .included)
        }
    }

    private static func missingTable(of event: Event) -> String {
        guard let settings = event.settingsRevision else {
            return "The event names no revision of the table and of the settings, so it cannot be resolved again."
        }
        let names = [event.revision.map { "revision \($0) of the table" }, "revision \(settings) of the settings"]
        return
            "The link cannot be resolved again, because \(names.compactMap(\.self).joined(separator: " or ")) does not "
            + "exist any more or cannot be read. POST /resolve says what the live table answers."
    }

    /// Formatted as `{event, link, context, resolution, differs, notes}`.
    func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("event")
        writer.row(of: stored)
        writer.key("link")
        if let link { writer.string(link.shown) } else { writer.null() }
        writer.key("context")
        writer.node(link?.contextJSON ?? .null)
        writer.key("resolution")
        if let resolution {
            writer.beginObject()
            resolution.write(to: &writer, of: source)
            writer.endObject()
        } else {
            writer.null()
        }
        writer.key("differs")
        writer.node(.array((resolution?.differences(from: stored.event) ?? []).map(JSONNode.string)))
        writer.key("notes")
        writer.node(.array(notes.map(JSONNode.string)))
        writer.endObject()
        return writer.finish()
    }
}

extension Event {
    /// The time that conditions on the time were decided with: an app decides by its own clock.
    var decidedAt: Timestamp { self.kind == .app ? self.occurredAt ?? self.recordedAt : self.recordedAt }
}

extension Resolution {
    /// Returns the names of the recorded parts that differ; empty if the answer is the recorded one, or a link to follow,
    /// whose target decided.
    func differences(from event: Event) -> [String] {
        guard followed == nil else { return [] }
        let parts = [
            ("route", route == event.route), ("outcome", outcome == event.outcome), ("action", action == event.action),
        ]
        return parts.filter { !$0.1 }.map(\.0)
    }
}

extension JSONWriter {
    /// Writes an event as the row of an NDJSON export, which is JSON already.
    mutating func row(of event: StoredEvent) {
        number(String(decoding: ExportEncoder.ndjson.rows([event]).dropLast(), as: UTF8.self))
    }
}
