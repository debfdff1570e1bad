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
        let members = try JSONReader.read(bytes, limits: limits) { reader in
            var members = Members(position: reader.position)
            guard reader.isObject else {
                _ = try DocumentField(reader.node(), path: "").anyObject()
                return members
            }
            try reader.members { reader, key in try members.read(key, &reader) }
            return members
        }
        try self.init(members)
    }

    /// The members of a message, as they are read.
    private struct Members {
        let position: JSONNode.Position
        var url, links, continuation, clientEventID, environment: DocumentField?
        var purpose = Event.Purpose.live
        var explanation = Router.Explanation.omitted
        var context = LinkContext()
        var occurredAt: Timestamp?
        /// Unknown members of the message, then of its context, then unreadable values of the context.
        var warnings: (message: [String], context: [String], unreadable: [String]) = ([], [], [])

        mutating func read(_ key: String, _ reader: inout JSONReader) throws {
            if key == "context", reader.isObject {
                return try reader.members { reader, key in
                    try readContext(key, DocumentField(reader.node(), key, of: "context"))
                }
            }
            let field = DocumentField(try reader.node(), key, of: "")
            if case .null = field.node.value, Self.keys.contains(key) { return }
            switch key {
            case "url": url = field
            case "context": _ = try field.anyObject()
            case "clientEventId": clientEventID = field
            case "links": links = field
            case "continuation": continuation = field
            case "environment": environment = field
            case "purpose": purpose = try field.choice(Event.Purpose.self)
            case "explain": explanation = try field.bool() ? .included : .omitted
            default: warnings.message.append("\(field.path) is not known and was ignored.")
            }
        }

        private static let keys: Set = [
            "url", "links", "continuation", "context", "purpose", "clientEventId", "explain", "environment",
        ]

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

    private init(_ members: Members) throws {
        var warnings = members.warnings.message
        let clientEventID = try members.clientEventID.map(Self.clientEventID)
        switch (members.url, members.links, members.continuation) {
        case (let url?, nil, nil):
            subject = .link(Link(url: try url.text(), clientEventID: clientEventID))
        case (nil, let links?, nil):
            let fields = try links.list()
            guard (1...Self.maximumLinks).contains(fields.count) else {
                throw links.error("a batch must have 1 to \(Self.maximumLinks) links; use several batches for more.")
            }
            var batch: [Link] = []
            for field in fields { batch.append(try Self.link(field, &warnings)) }
            subject = .batch(batch)
            if let field = members.clientEventID {
                warnings.append("\(field.path) applies to a single link and was ignored; give each of 'links' its own.")
            }
        case (nil, nil, let token?):
            subject = .continuation(token: try token.text(), clientEventID: clientEventID)
        case (nil, nil, nil):
            throw DocumentField(JSONNode(.null, at: members.position), path: "").error(
                "the link is missing; add 'url', such as {\"url\": \"https://www.example.com/item/7\"}, or 'links' for a batch."
            )
        default:
            throw DocumentField(JSONNode(.null, at: members.position), path: "").error(
                "write exactly one of 'url', 'links' and 'continuation'."
            )
        }
        context = members.context
        occurredAt = members.occurredAt
        self.warnings = warnings + members.warnings.context + members.warnings.unreadable
        environment = try members.environment?.identifier(EnvironmentID.self)
        purpose = members.purpose
        explanation = members.explanation
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
