/// One recorded resolution. Data that must not be recorded is left out before an event is created, see ``Redaction``.
///
/// An event is one reference, because it is passed on often on its way to the log. Its ``Fields`` are set before it is
/// created: changing a field of an event copies all of them.
@dynamicMemberLookup
package struct Event: Sendable, Hashable {
    /// Shared by the copies of the event. Code that runs for each event and belongs to another module reads
    /// `content.fields`: there, the subscript below costs a key path, and here it costs nothing.
    package let content: Content

    package final class Content: Sendable {
        package let fields: Fields
        /// Identifies an event that its sender may send again. The log stores an event with this hash at most once.
        /// Nil for all other events, and for events that are read from the log.
        package let reportHash: Bytes16?

        init(_ fields: Fields, _ reportHash: Bytes16?) {
            self.fields = fields
            self.reportHash = reportHash
        }
    }

    package init(_ fields: Fields, reportHash: Bytes16? = nil) { content = Content(fields, reportHash) }

    package subscript<Value>(dynamicMember field: WritableKeyPath<Fields, Value>) -> Value {
        get { content.fields[keyPath: field] }
        set {
            var fields = content.fields
            fields[keyPath: field] = newValue
            self = Event(fields, reportHash: content.reportHash)
        }
    }

    package static func == (left: Event, right: Event) -> Bool {
        left.content === right.content || left.content.fields == right.content.fields
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(content.fields) }

    package struct QueryItem: Sendable, Hashable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// UTM fields: the campaign of a link, as far as the tenant allows its query to be recorded.
    package enum UTM: String, Sendable, CaseIterable {
        case source = "utm_source"
        case medium = "utm_medium"
        case campaign = "utm_campaign"
        case term = "utm_term"
        case content = "utm_content"
    }

    /// Where a short link was followed, and its code: `go.acme.com/spring`, and `acme:/spring` for a custom scheme. Recorded
    /// only for codes that exist.
    package struct ShortLinkName: Sendable, Hashable {
        /// The host, or a custom scheme with its colon.
        package let place: String
        package let code: String

        package init(place: String, code: String) {
            self.place = place
            self.code = code
        }

        /// Nil unless the text has a slash.
        package init?(_ text: String) {
            guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
            place = String(text[..<slash])
            code = String(text[text.utf8.index(after: slash)...])
        }

        package var text: String { "\(place)/\(code)" }
    }

    package enum Purpose: String, Sendable, CaseIterable {
        case live, test, preview, prefetch
        /// A request that no person makes by a link: for a browser's icon, by a crawler for its rules, or by a scanner.
        case probe
        /// An app was installed because of a click. Only the service names this purpose and the next one.
        case install
        /// A copied link was given to an app after its installation. Everybody can invent one.
        case pasted
    }

    /// The kind of event. An open set: callers and later versions add their own.
    package struct Kind: RawRepresentable, Sendable, Hashable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        package static let resolve = Kind(rawValue: "resolve")
        package static let click = Kind(rawValue: "click")
        /// A decision of an app's own engine, which the app reported.
        package static let app = Kind(rawValue: "app")
        /// An app asked for its link after its installation.
        package static let install = Kind(rawValue: "install")
    }

    /// The action of an app on the destination that it decided itself.
    package enum AppResult: String, Sendable, CaseIterable {
        case shown, failed
    }

    /// Whether the server decides as the app did.
    package enum Agreement: String, Sendable, CaseIterable {
        case same, different
        /// The table of the app's revision is not available, or loading it would exceed the limit of such work.
        case unchecked
    }
}

/// An event with its sequence in the log.
package struct StoredEvent: Sendable, Hashable {
    /// Counts from 1 over all tenants of a log, in commit order.
    package let sequence: Int64
    package let event: Event
    /// The number of the log, if there are those of several nodes.
    package let log: Int64

    package init(sequence: Int64, event: Event, log: Int64 = LogCursor.ownLog) {
        self.sequence = sequence
        self.event = event
        self.log = log
    }
}
