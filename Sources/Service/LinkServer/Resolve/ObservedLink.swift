package import LinkCatalog
package import LinkEvents
package import LinkRouting

/// A link that was resolved, with all that decided about the answer.
package struct ObservedLink: Sendable {
    package let url: String
    package let context: LinkContext
    package let environment: EnvironmentID
    package let catalog: Catalog
    /// The answer of the link that was followed; nil if the link's own table answers.
    package let followed: CatalogResolution?
    /// The form in which the log records the link.
    package let event: Event.Fields
}
