/// What chats show of links, with placeholders for captured values: in a route, and in the table's defaults.
public struct PreviewTemplates: Sendable, Hashable {
    public var title: Template?
    public var description: Template?
    /// An https URL.
    public var image: URLTemplate?

    public init(title: Template? = nil, description: Template? = nil, image: URLTemplate? = nil) {
        self.title = title
        self.description = description
        self.image = image
    }

    package static let keys = ["title", "description", "image"]

    /// Reads `{title, description, image}`.
    init(_ field: DocumentField) throws(DocumentError) {
        let object = try field.object(Self.keys)
        self.init(
            title: try object["title"].map { field throws(DocumentError) in
                try Self.line(field, LinkPreview.maximumTitleBytes)
            },
            description: try object["description"].map { field throws(DocumentError) in
                try Self.line(field, LinkPreview.maximumDescriptionBytes)
            },
            image: try object["image"].map { field throws(DocumentError) in try Self.image(field) }
        )
        guard !all.isEmpty else { throw field.error("write a title, a description or an image.") }
    }

    private static func line(_ field: DocumentField, _ maximum: Int) throws(DocumentError) -> Template {
        guard try !text(field, maximumBytes: maximum).isEmpty else {
            throw field.error("the text is empty; leave it out.")
        }
        return try template(field)
    }

    private static func image(_ field: DocumentField) throws(DocumentError) -> URLTemplate {
        _ = try text(field, maximumBytes: LinkPreview.maximumImageBytes)
        let template = try urlTemplate(field)
        guard template.scheme == "https" else {
            throw field.error("\(field.shown) is not an https URL; write https://….")
        }
        return template
    }

    /// Every template with the key of its member, for checks.
    var all: [(key: String, template: Template)] {
        var all: [(key: String, template: Template)] = []
        if let title { all.append(("preview.title", title)) }
        if let description { all.append(("preview.description", description)) }
        if let image { all.append(("preview.image", image.template)) }
        return all
    }
}
