import LinkRouting

/// A stored suite.
package struct StoredSuite: Sendable, Hashable {
    package let name: SuiteName
    package let version: Int64
    /// The text as written, in YAML or JSON.
    package let content: String

    package init(name: SuiteName, version: Int64, content: String) {
        self.name = name
        self.version = version
        self.content = content
    }
}

/// The tenant has reached the number or the total size of its suites. Both are limited because each publication runs
/// all of them.
package enum TooManySuites: Error, Hashable, Sendable {
    case count
    case bytes

    package static let maximumCount = 64
    /// Maximum size of all suites of a tenant together.
    package static let maximumBytes = 16 << 20
}
