package import LinkRouting

/// A document that exceeds the limits of what may be stored.
package struct DocumentTooLarge: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
}

extension Document {
    /// Maximum size of a tenant's stored settings, in bytes of compact JSON.
    package static let maximumSettingsBytes = 1 << 20

    /// Throws ``DocumentTooLarge`` for a document that must not be stored. Every document that passes can be read back
    /// and edited under the same limits.
    ///
    /// - Parameters:
    ///   - name: The document's name in the message, such as `The draft`.
    ///   - limit: The name of the configuration setting behind `maximumBytes`, such as `limits.tableBytes`; nil for a
    ///     fixed limit.
    package static func requireStorable(
        _ node: JSONNode,
        _ name: String,
        maximumBytes: Int,
        limit: String? = nil
    ) throws(DocumentTooLarge) {
        let size = DocumentSize(of: node)
        let cause = limit.map { " (\($0))" } ?? ""
        let problem: String? =
            if size.bytes > maximumBytes {
                "would have \(size.bytes) bytes as JSON; at most \(maximumBytes) are stored\(cause)"
            } else if size.depth > maximumDepth {
                "would nest \(size.depth) levels of lists and objects; at most \(maximumDepth) are stored"
            } else if size.values > maximumValues {
                "would have \(size.values) values and keys; at most \(maximumValues) are stored"
            } else {
                nil
            }
        if let problem { throw DocumentTooLarge(description: "\(name) \(problem). Nothing was changed.") }
    }
}
