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
    }

    package let subject: Subject
    package var context: Context
    /// The environment whose table is used; the owner of the domain has a table for each. Nil if the message names
    /// none.
    package var environment: EnvironmentID?
    /// When the event occurred, according to the caller; nil if the message does not say.
    package let occurredAt: Timestamp?
    package let purpose: Event.Purpose
    package let explanation: Router.Explanation
    package var warnings: [String]

    /// A message with one link and no warnings.
    init(
        _ link: Link,
        context: Context,
        environment: EnvironmentID?,
        occurredAt: Timestamp?,
        purpose: Event.Purpose,
        explanation: Router.Explanation
    ) {
        subject = .link(link)
        self.context = context
        self.environment = environment
        self.occurredAt = occurredAt
        self.purpose = purpose
        self.explanation = explanation
        warnings = []
    }

    package init(_ field: Field) throws {
        let object = try field.anyObject()
        var warnings: [String] = []
        let known = ["url", "links", "continuation", "context", "purpose", "clientEventId", "explain", "environment"]
        for (key, value) in object.all where !known.contains(key) {
            warnings.append("\(value.path) is not known and was ignored.")
        }
        let clientEventID = try object["clientEventId"].map(Self.clientEventID)
        switch (object["url"], object["links"], object["continuation"]) {
        case (let url?, nil, nil):
            subject = .link(Link(url: try url.text(), clientEventID: clientEventID))
        case (nil, let links?, nil):
            let fields = try links.list()
            guard (1...Self.maximumLinks).contains(fields.count) else {
                throw links.error("a batch has 1 to \(Self.maximumLinks) links; send several.")
            }
            var batch: [Link] = []
            for field in fields { batch.append(try Self.link(field, &warnings)) }
            subject = .batch(batch)
            if let field = object["clientEventId"] {
                warnings.append("\(field.path) is for one link and was ignored; give each of 'links' its own.")
            }
        case (nil, nil, let token?):
            subject = .continuation(token: try token.text(), clientEventID: clientEventID)
        default:
            throw field.error("write exactly one of 'url', 'links' and 'continuation'.")
        }
        var context = Context()
        if let field = object["context"] { context = try Context(field, warnings: &warnings) }
        self.context = context
        if let instant = try object["context"]?.anyObject()["occurredAt"] {
            guard let timestamp = Timestamp(try instant.text()) else {
                throw instant.error("\(instant.shown) is not an instant; write one such as 2026-11-21T10:00:00.000Z.")
            }
            occurredAt = timestamp
        } else {
            occurredAt = nil
        }
        self.warnings = warnings
        environment = try object["environment"]?.identifier(EnvironmentID.self)
        purpose = try object["purpose"]?.choice(Event.Purpose.self) ?? .live
        explanation = try object["explain"]?.bool() == true ? .included : .omitted
    }

    private static func link(_ field: Field, _ warnings: inout [String]) throws -> Link {
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

    private static func clientEventID(_ field: Field) throws -> String {
        let text = try field.text()
        guard (1...128).contains(text.utf8.count) else { throw field.error("an id has 1 to 128 bytes.") }
        return text
    }
}
