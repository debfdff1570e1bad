package import LinkEvents
import LinkRouting

/// The response of `POST /_fp/events`: the result of each event, in the order of the request.
package struct AppEventsResponse: Sendable {
    package var results: [AppEventResult]
    package var warnings: [String]

    package init(results: [AppEventResult], warnings: [String]) {
        self.results = results
        self.warnings = warnings
    }

    package func json() -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 1_024)
        writer.beginObject()
        writer.key("results")
        writer.beginArray()
        for result in results { result.write(to: &writer) }
        writer.endArray()
        if !warnings.isEmpty {
            writer.key("warnings")
            writer.beginArray()
            for warning in warnings { writer.string(warning) }
            writer.endArray()
        }
        writer.endObject()
        return writer.finish()
    }
}

/// The status of an event that an app reported. In each case, the app need not send it again.
package struct AppEventResult: Sendable {
    package let clientEventID: String?
    package let status: Status

    package enum Status: Sendable {
        /// The event is in the log.
        case stored(id: RecordedID)
        /// The event was stored when it was sent before.
        case duplicate
        case rejected(Refusal, detail: String)

        var name: String {
            switch self {
            case .stored: "stored"
            case .duplicate: "duplicate"
            case .rejected: "rejected"
            }
        }
    }

    /// Why an event is never stored.
    package enum Refusal: String, Sendable, CaseIterable {
        case invalidEvent = "invalid_event"
        /// The link belongs to another tenant, or to none.
        case otherTenant = "other_tenant"
        /// The log cannot store it.
        case notRecorded = "not_recorded"
        case recordingDisabled = "recording_disabled"
    }

    package init(clientEventID: String?, status: Status) {
        self.clientEventID = clientEventID
        self.status = status
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("clientEventId")
        if let clientEventID { writer.string(clientEventID) } else { writer.null() }
        writer.member("status", status.name)
        switch status {
        case .stored(let id): writer.member("id", id.description)
        case .duplicate: break
        case .rejected(let refusal, let detail):
            writer.member("code", refusal.rawValue)
            writer.member("detail", detail)
        }
        writer.endObject()
    }
}
