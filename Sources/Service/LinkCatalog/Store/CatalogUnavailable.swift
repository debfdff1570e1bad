/// The database that has the catalog cannot be used now. Links are answered from this node's copy. A change whose commit
/// was under way may be stored.
package struct CatalogUnavailable: Error, Hashable, CustomStringConvertible {
    /// What failed, for operators: it may name addresses.
    package let description: String

    package init(_ description: String) { self.description = description }
}
