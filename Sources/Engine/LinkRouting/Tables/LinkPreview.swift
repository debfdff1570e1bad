/// What chats show of one link.
package struct LinkPreview: Sendable, Hashable {
    package var title: String?
    package var description: String?
    /// An https URL.
    package var image: String?

    package static let maximumTitleBytes = 200
    package static let maximumDescriptionBytes = 1_000
    package static let maximumImageBytes = 2_048

    package init(title: String? = nil, description: String? = nil, image: String? = nil) {
        self.title = title
        self.description = description
        self.image = image
    }

    /// The preview with the parts of another one where it has none.
    package func completed(by other: LinkPreview) -> LinkPreview {
        LinkPreview(
            title: title ?? other.title,
            description: description ?? other.description,
            image: image ?? other.image
        )
    }
}
