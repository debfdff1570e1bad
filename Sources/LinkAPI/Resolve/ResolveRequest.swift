package import LinkEvents
package import LinkRouting

/// A parsed message of `POST /resolve`. Unknown fields are ignored and named in `warnings`.
package struct ResolveRequest: Sendable, Hashable {
    /// Maximum number of links in a batch.
    package static let maximumLinks = 100

    package enum Subject: Sendable, Hashable {
        case link(Link)
        /// Answered in order, recorded in one commit.
        case batch([Link])
        case continuation(token: String, clientEventID: String?)
    }

    package struct Link: Sendable, Hashable {
        package let url: String
        /// The caller's own id of the event, 1 to 128 bytes; nil if there is none.
        package let clientEventID: String?

        package init(url: String, clientEventID: String?) {
            self.url = url
            self.clientEventID = clientEventID
        }
    }

    package let subject: Subject
    package var context: LinkContext
    /// The environment whose table is used; the owner of the domain has a table for each. Nil if the message names
    /// none.
    package var environment: EnvironmentID?
    /// When the event occurred, according to the caller; nil if the message does not say.
    package let occurredAt: Timestamp?
    package let purpose: Event.Purpose
    package let explanation: Router.Explanation
    package var warnings: [String]

    /// Reads a message.
    ///
    /// - Throws: A `JSONSyntaxError` or a `DocumentError`.
    package init(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSONReader.Limits) throws {
        var members = Members()
        try JSONReader.read(bytes, limits: limits) { reader in
            members.position = reader.position
            guard reader.isObject else {
                _ = try DocumentField(reader.node(), path: "").anyObject()
                return
            }
            try reader.members { reader, key in try members.read(key, &reader) }
        }
        subject = try members.subject()
        environment = try members.environment?.identifier(EnvironmentID.self)
        warnings = members.warnings.message
        if !members.warnings.context.isEmpty { warnings += members.warnings.context }
        if !members.warnings.unreadable.isEmpty { warnings += members.warnings.unreadable }
        context = members.context
        occurredAt = members.occurredAt
        purpose = members.purpose
        explanation = members.explanation
    }

    /// The members of a message, as they are read.
    private struct Members {
        var position = JSONNode.Position.unknown
        var url, links, continuation, clientEventID, environment: DocumentField?
        var purpose = Event.Purpose.live
        var explanation = Router.Explanation.omitted
        var context = LinkContext()
        var occurredAt: Timestamp?
        /// Unknown members of the message, then of its context, then unreadable values of the context.
        var warnings: (message: [String], context: [String], unreadable: [String]) = ([], [], [])

        mutating func read(_ key: JSONReader.QuotedText, _ reader: inout JSONReader) throws {
            switch key {
            case "url": url = try Self.field("url", &reader)
            case "context":
                guard reader.isObject else {
                    _ = try Self.field("context", &reader)?.anyObject()
                    return
                }
                try reader.members { reader, key in
                    let key = key.text
                    try readContext(key, DocumentField(reader.node(), key, of: "context"))
                }
            case "clientEventId": clientEventID = try Self.field("clientEventId", &reader)
            case "links": links = try Self.field("links", &reader)
            case "continuation": continuation = try Self.field("continuation", &reader)
            case "environment": environment = try Self.field("environment", &reader)
            case "purpose":
                if let field = try Self.field("purpose", &reader) { purpose = try field.choice(Event.Purpose.self) }
            case "explain":
                if let field = try Self.field("explain", &reader) {
                    explanation = try field.bool() ? .included : .omitted
                }
            default:
                _ = try reader.node()
                warnings.message.append("\(key.text) is not known and was ignored.")
            }
        }

        /// Reads the value of a member; nil for null.
        private static func field(_ key: String, _ reader: inout JSONReader) throws -> DocumentField? {
            let node = try reader.node()
            if case .null = node.value { return nil }
            return DocumentField(node, key, of: "")
        }

        /// Returns the links of the message. May add warnings.
        mutating func subject() throws -> Subject {
            let clientEventID = try clientEventID.map(ResolveRequest.clientEventID)
            switch (url, links, continuation) {
            case (let url?, nil, nil): return .link(Link(url: try url.text(), clientEventID: clientEventID))
            case (nil, let links?, nil): return .batch(try batch(links))
            case (nil, nil, let token?): return .continuation(token: try token.text(), clientEventID: clientEventID)
            case (nil, nil, nil):
                throw DocumentField(JSONNode(.null, at: position), path: "").error(
                    "the link is missing; add 'url', such as {\"url\": \"https://www.example.com/item/7\"}, or 'links' for a batch."
                )
            default:
                throw DocumentField(JSONNode(.null, at: position), path: "").error(
                    "write exactly one of 'url', 'links' and 'continuation'."
                )
            }
        }

        private mutating func batch(_ links: DocumentField) throws -> [Link] {
            let fields = try links.list()
            guard (1...ResolveRequest.maximumLinks).contains(fields.count) else {
                throw links.error(
                    "a batch must have 1 to \(ResolveRequest.maximumLinks) links; use several batches for more."
                )
            }
            var batch: [Link] = []
            for field in fields { batch.append(try ResolveRequest.link(field, &warnings.message)) }
            if let field = clientEventID {
                warnings.message.append(
                    "\(field.path) applies to a single link and was ignored; give each of 'links' its own."
                )
            }
            return batch
        }

        private mutating func readContext(_ key: String, _ field: DocumentField) throws {
            if try context.read(key, field, warnings: &warnings.unreadable) { return }
            guard key == "occurredAt" else {
                warnings.context.append("\(field.path) is not known and was ignored.")
                return
            }
            if case .null = field.node.value { return }
            guard let timestamp = Timestamp(try field.text()) else {
                throw field.error("\(field.shown) is not a timestamp; write one such as 2026-11-21T10:00:00.000Z.")
            }
            occurredAt = timestamp
        }
    }

    private static func link(_ field: DocumentField, _ warnings: inout [String]) throws -> Link {
        guard field.node.text == nil else { return Link(url: try field.text(), clientEventID: nil) }
        let object = try field.anyObject()
        for (key, value) in object.all where !["url", "clientEventId"].contains(key) {
            warnings.append("\(value.path) is not known and was ignored.")
        }
        return Link(
            url: try object.required("url").text(),
            clientEventID: try object["clientEventId"].map(clientEventID)
        )
    }

    private static func clientEventID(_ field: DocumentField) throws -> String {
        let text = try field.text()
        guard (1...128).contains(text.utf8.count) else { throw field.error("an id must have 1 to 128 bytes.") }
        return text
    }
}
