package import LinkRouting

// Short links as JSON. docs/api.md describes the members.

extension ShortLink.Content {
    package static let keys = ["target", "title", "note", "tags", "utm", "preview", "expires"]

    private static let maximumTags = 20
    private static let maximumTagBytes = 64
    private static let maximumTitleBytes = 200
    private static let maximumNoteBytes = 2_000
    private static let maximumCampaignBytes = 200

    /// Reads the members ``keys`` of an object. Whether a link may lead to the target depends on the live table; see
    /// ``ShortLinkTargets``.
    package init(_ object: ObjectField) throws(DocumentError) {
        let target = try object.required("target")
        self.init(target: try target.text())
        guard self.target.first?.isWhitespace == false, self.target.last?.isWhitespace == false else {
            throw target.error("the target is empty or has white space around it; write a link such as https://….")
        }
        title = try object["title"]?.line(upTo: Self.maximumTitleBytes)
        note = try object["note"]?.note(upTo: Self.maximumNoteBytes)
        tags = try Self.tags(object["tags"])
        if let utm = object["utm"] {
            for (key, value) in try utm.object(ShortLink.campaignKeys).all where value.node.value != .null {
                campaign[key] = try value.line(upTo: Self.maximumCampaignBytes)
            }
        }
        preview = try Self.preview(object["preview"])
        expires = try object["expires"]?.time()
    }

    private static func tags(_ field: DocumentField?) throws(DocumentError) -> [String] {
        guard let field else { return [] }
        var tags: [String] = []
        for field in try field.list() {
            let tag = try field.line(upTo: maximumTagBytes)
            if !tags.contains(where: { $0.isExactly(tag) }) { tags.append(tag) }
        }
        guard tags.count <= maximumTags else {
            throw field.error("the link has \(tags.count) tags; at most \(maximumTags) are allowed. Remove some.")
        }
        return tags
    }

    private static func preview(_ field: DocumentField?) throws(DocumentError) -> ShortLink.Preview? {
        guard let object = try field?.object("title", "description", "image") else { return nil }
        let preview = ShortLink.Preview(
            title: try object["title"]?.line(upTo: LinkPreview.maximumTitleBytes),
            description: try object["description"]?.note(upTo: LinkPreview.maximumDescriptionBytes),
            image: try object["image"]?.line(upTo: LinkPreview.maximumImageBytes)
        )
        if let image = preview.image, (try? DeepLink.parse(image))?.scheme != "https" {
            throw try object.required("image").error("'\(image.prefix(80))' is not an https URL; write https://….")
        }
        return preview == ShortLink.Preview() ? nil : preview
    }

    /// The members ``keys`` that have a value.
    package var json: JSONNode {
        let utm = ShortLink.campaignKeys.compactMap { key in
            campaign[key].map { JSONNode.Member(key, .string($0)) }
        }
        return .object([
            "target": .string(target), "title": title.map(JSONNode.string), "note": note.map(JSONNode.string),
            "tags": tags.isEmpty ? nil : .array(tags.map(JSONNode.string)),
            "utm": utm.isEmpty ? nil : JSONNode(.object(utm)),
            "preview": preview.map {
                .object([
                    "title": $0.title.map(JSONNode.string), "description": $0.description.map(JSONNode.string),
                    "image": $0.image.map(JSONNode.string),
                ])
            },
            "expires": expires.map { .string($0.description) },
        ])
    }
}

extension NewShortLink {
    /// The members of a request for one link.
    package static let keys = ["code"] + ShortLink.Content.keys + ["reuse"]
    /// The members of a line of many links. Those of an exported link are among them; the service writes the last five
    /// anew.
    package static let keysOfLine =
        keys + ["createdAt", "archived", "status", "blockReason", "updatedAt", "createdBy", "fromApp", "version"]

    /// Reads the request for a link.
    ///
    /// - Parameter keys: ``keys`` or ``keysOfLine``.
    package init(_ field: DocumentField, _ keys: [String], by actor: Actor, at now: Timestamp) throws(DocumentError) {
        let object = try field.object(keys)
        self.init(
            code: try object["code"]?.shortCode(),
            content: try ShortLink.Content(object),
            createdAt: now,
            createdBy: actor,
            isReused: try object["reuse"]?.bool() ?? false
        )
        if let field = object["createdAt"] {
            createdAt = try field.time()
            guard createdAt <= now else { throw field.error("\(field.shown) is in the future; leave it out.") }
        }
        if let field = object["status"] {
            let status = try field.text()
            guard ["active", "expired", "archived", "blocked"].contains(status) else {
                throw field.error("\(field.shown) is not one of: active, expired, archived, blocked.")
            }
            // A blocked link must not become active because it was exported and imported.
            isArchived = ["archived", "blocked"].contains(status)
        }
        isArchived = try object["archived"]?.bool() ?? isArchived
    }
}

extension ShortLink {
    /// Formatted as `{code, target, …, expires, status, blockReason, createdAt, updatedAt, createdBy, fromApp, version}`,
    /// without the members that have no value. `fromApp` is true for a link that an app created.
    package func json(at now: Timestamp) -> JSONNode {
        let rest = JSONNode.object([
            "status": .string(statusName(at: now)), "blockReason": status.blockReason.map(JSONNode.string),
            "createdAt": .string(createdAt.description), "updatedAt": .string(updatedAt.description),
            "createdBy": .object([
                "kind": .string(createdBy.kind.rawValue), "id": .string(createdBy.id), "name": .string(createdBy.name),
            ]),
            "fromApp": isFromApp ? .bool(true) : nil, "version": .int(version),
        ])
        let code = [JSONNode.Member("code", .string(code.rawValue))]
        return JSONNode(.object(code + (content.json.members ?? []) + (rest.members ?? [])))
    }

    /// The content, `status` and `blockReason`.
    package var changeable: JSONNode {
        let rest = JSONNode.object([
            "status": .string(status.name), "blockReason": status.blockReason.map(JSONNode.string),
        ])
        return JSONNode(.object((content.json.members ?? []) + (rest.members ?? [])))
    }

    /// Maximum size of the reason for which a link is blocked.
    private static let maximumReasonBytes = 500

    /// Reads the reason for which a link is blocked. Visitors see it.
    package static func blockReason(_ field: DocumentField) throws(DocumentError) -> String {
        try field.line(upTo: maximumReasonBytes)
    }
}

extension DocumentField {
    fileprivate func shortCode() throws(DocumentError) -> ShortCode {
        guard let code = ShortCode(try text()) else {
            throw error(
                "\(shown) is not a code; use 1 to \(ShortCode.maximumLength) of letters, digits, '-' and '_', or parts of them "
                    + "with '/' in between. The first part must not be '_fp'."
            )
        }
        return code
    }

    fileprivate func time() throws(DocumentError) -> Timestamp {
        guard let time = Timestamp(try text()) else {
            throw error("\(shown) is not a time; write one such as 2026-11-21T10:00:00Z.")
        }
        return time
    }

    /// Returns a text of one line that is not empty.
    fileprivate func line(upTo maximum: Int) throws(DocumentError) -> String {
        let text = try note(upTo: maximum)
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw error("the text has a line break or another control character; remove it.")
        }
        return text
    }

    /// Returns a text that is not empty and may have several lines.
    fileprivate func note(upTo maximum: Int) throws(DocumentError) -> String {
        let text = try textWithoutNUL()
        guard !text.isEmpty else { throw error("the text is empty; leave the member out.") }
        guard text.utf8.count <= maximum else {
            throw error("the text has \(text.utf8.count) bytes; at most \(maximum) are allowed. Shorten it.")
        }
        return text
    }
}
