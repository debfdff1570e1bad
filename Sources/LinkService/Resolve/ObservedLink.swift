package import LinkCatalog
package import LinkEvents
package import LinkRouting

/// A link that was resolved, with all that decided about the answer.
package struct ObservedLink: Sendable {
    package let url: String
    package let context: LinkContext
    package let environment: EnvironmentID
    package let catalog: Catalog
    /// What the log records of it.
    package let event: Event.Fields
}
