package import LinkEvents
package import LinkRouting

/// A parsed message of `POST /resolve`. Unknown fields are ignored and named in `warnings`, of which there are at most 20.
package struct ResolveRequest: Sendable, Hashable {
    /// Maximum number of links in a batch.
    package static let maximumLinks = 100

    package enum Subject: Sendable, Hashable {
        case link(Link)
        /// The links. They are answered in order and recorded in one commit.
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
    /// The time of the event by the caller's clock; nil if the message has none.
    package let occurredAt: Timestamp?
    package let purpose: Event.Purpose
    package let explanation: Router.Explanation
    package var warnings: [String]
}

extension ResolveRequest {
    /// Reads a message.
    ///
    /// - Throws: A `JSONSyntaxError` or a `DocumentError`.
    package init(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSONReader.Limits) throws {
        self = try JSONReader.read(bytes, limits: limits) { reader in try Self.message(&reader) }
    }

    private static func message(_ reader: inout JSONReader) throws -> ResolveRequest {
        // Variables of their own are moved into the request; out of `Members`, the context would be copied.
        var context = LinkContext()
        var members = Members(position: reader.position)
        guard reader.isObject else {
            throw DocumentField(try reader.node(), path: "").notAnObject()
        }
        var object = try reader.beginObject()
        while let key = try reader.nextKey(of: &object) { try members.read(key, &context, &reader) }
        let subject = try members.subject()
        let environment = try members.environment.map { node in
            try DocumentField(node, "environment", of: "").identifier(EnvironmentID.self)
        }
        var warnings = members.warnings.message
        warnings.add(members.warnings.context)
        warnings.add(members.warnings.unreadable)
        return ResolveRequest(
            subject: subject,
            context: context,
            environment: environment,
            occurredAt: members.occurredAt,
            purpose: members.purpose,
            explanation: members.explanation,
            warnings: warnings.texts
        )
    }

    /// The members of a message except `context`. Values that are checked once all members are known
    /// are nodes, because a field is only needed for an error.
    private struct Members {
        let position: JSONNode.Position
        var url, links, continuation, clientEventID, environment: JSONNode?
        var purpose = Event.Purpose.live
        var explanation = Router.Explanation.omitted
        var occurredAt: Timestamp?
        /// The name of the first unknown member of the message, shortened.
        var unknownMember: String?
        /// Unknown members of the message, then of its context, then unreadable values of the context.
        var warnings = (message: WarningList(), context: WarningList(), unreadable: WarningList())

        private static let names = [
            "url", "context", "clientEventId", "links", "continuation", "environment", "purpose", "explain",
        ]

        init(position: JSONNode.Position) { self.position = position }

        mutating func read(
            _ key: JSONReader.QuotedText,
            _ context: inout LinkContext,
            _ reader: inout JSONReader
        ) throws {
            switch key {
            case "url": url = try Self.value(&reader)
            case "context": try readContext(&context, &reader)
            case "clientEventId": clientEventID = try Self.value(&reader)
            case "links": links = try Self.value(&reader)
            case "continuation": continuation = try Self.value(&reader)
            case "environment": environment = try Self.value(&reader)
            case "purpose":
                guard let node = try Self.value(&reader) else { return }
                purpose = try DocumentField(node, "purpose", of: "").choice(CallersPurpose.self).purpose
            case "explain":
                guard let node = try Self.value(&reader) else { return }
                explanation = try DocumentField(node, "explain", of: "").bool() ? .included : .omitted
            default:
                _ = try reader.node()
                if unknownMember == nil { unknownMember = WarningList.shortened(key.text) }
                warnings.message.addUnknown(key.text, besides: Self.names)
            }
        }

        /// Reads the value of a member; nil for null.
        private static func value(_ reader: inout JSONReader) throws -> JSONNode? {
            let node = try reader.node()
            if case .null = node.value { return nil }
            return node
        }

        /// Returns the links of the message. May add warnings.
        mutating func subject() throws -> Subject {
            let clientEventID = try clientEventID.map { node in
                try ResolveRequest.clientEventID(DocumentField(node, "clientEventId", of: ""))
            }
            if let url, links == nil, continuation == nil {
                return .link(Link(url: try DocumentField(url, "url", of: "").text(), clientEventID: clientEventID))
            }
            if let links, url == nil, continuation == nil {
                return .batch(try batch(DocumentField(links, "links", of: "")))
            }
            if let continuation, url == nil, links == nil {
                let token = try DocumentField(continuation, "continuation", of: "").text()
                return .continuation(token: token, clientEventID: clientEventID)
            }
            let isMissing = url == nil && links == nil && continuation == nil
            throw DocumentField(JSONNode(.null, at: position), path: "").error(
                isMissing ? missingLink : "write exactly one of 'url', 'links' and 'continuation'."
            )
        }

        /// Also names the first unknown member, which is probably the link.
        private var missingLink: String {
            let cause = unknownMember.map { "'\($0)' is not known, and the link is missing" } ?? "the link is missing"
            return "\(cause); add 'url', such as {\"url\": \"https://www.example.com/item/7\"}, or 'links' for a batch."
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
            if clientEventID != nil {
                warnings.message.add(
                    "clientEventId applies to a single link and was ignored; give each of 'links' its own."
                )
            }
            return batch
        }

        private mutating func readContext(_ context: inout LinkContext, _ reader: inout JSONReader) throws {
            guard reader.isObject else {
                guard let node = try Self.value(&reader) else { return }
                throw DocumentField(node, "context", of: "").notAnObject()
            }
            var object = try reader.beginObject()
            while let key = try reader.nextKey(of: &object) {
                if let known = LinkContext.Key(key) {
                    let field = DocumentField(try reader.node(), known.rawValue, of: "context")
                    var unreadable: [String] = []
                    try context.read(known, field, warnings: &unreadable)
                    if known == .country, let warning = Self.warning(about: context.country) {
                        unreadable.append(warning)
                    }
                    if !unreadable.isEmpty { warnings.unreadable.add(unreadable) }
                } else {
                    try readOther(key.text, DocumentField(reader.node(), key.text, of: "context"))
                }
            }
        }

        /// Returns a warning about a text that is not a country; nil for two letters.
        private static func warning(about country: String?) -> String? {
            guard let country else { return nil }
            // Letters of ASCII in upper case.
            let letters = country.utf8.prefix(3).map { $0 & 0xDF }
            let isCode =
                letters.count == 2 && letters.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
            guard isCode else {
                return "context.country: '\(WarningList.shortened(country))' is not a code of ISO 3166, so it is not "
                    + "recorded and no condition can name it; write two letters such as GB."
            }
            guard letters == Array("UK".utf8) else { return nil }
            return "context.country: 'UK' is not a code of ISO 3166; the United Kingdom is GB, Ukraine is UA."
        }

        /// Reads a member of the context that is not part of it.
        private mutating func readOther(_ key: String, _ field: DocumentField) throws {
            guard key == "occurredAt" else {
                warnings.context.addUnknown(key, of: "context", besides: LinkContext.Key.names)
                return
            }
            if case .null = field.node.value { return }
            guard let timestamp = Timestamp(try field.text()) else {
                throw field.error("\(field.shown) is not a timestamp; write one such as 2026-11-21T10:00:00.000Z.")
            }
            occurredAt = timestamp
        }
    }

    private static func link(_ field: DocumentField, _ warnings: inout WarningList) throws -> Link {
        guard field.node.text == nil else { return Link(url: try field.text(), clientEventID: nil) }
        let object = try field.anyObject()
        let known = ["url", "clientEventId"]
        for (key, _) in object.all where !known.contains(key) {
            warnings.addUnknown(key, of: field.path, besides: known)
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
