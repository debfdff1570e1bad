package import LinkRouting

extension Document {
    /// Reads JSON from the store, without size or depth limits. Documents that are too large or too deep are refused
    /// before they are stored, and a stored document must stay readable under any version and configuration.
    package static func readStored(_ text: String) throws(JSONSyntaxError) -> JSONNode {
        try JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: .max, maximumDepth: .max))
    }
}

extension StoredSettings {
    /// Returns the stored settings. They were validated before they were stored.
    ///
    /// - Throws: ``UnreadableDocument``.
    package func read() throws -> Settings {
        do {
            return try Settings(stored: content)
        } catch {
            throw UnreadableDocument(.settings(tenant), "\(error)")
        }
    }
}

extension StoredSuite {
    /// Returns the parsed suite.
    ///
    /// - Throws: ``UnreadableDocument``.
    package func read() throws -> LinkSuite {
        do {
            return try LinkSuite(content, isStored: true)
        } catch {
            throw UnreadableDocument(.suite(name), "\(error)")
        }
    }
}

/// A change that is committed, but that could not be made live. The caller is not at fault and must not repeat the
/// request.
package struct StoredNotLive: Error, Hashable, Sendable, CustomStringConvertible {
    private let committed: String
    package let reason: String

    package init(_ committed: String, _ reason: String) {
        self.committed = committed
        self.reason = reason
    }

    package var description: String {
        committed + ", but the service could not read it back and still uses the previous version. Do not retry the "
            + "request: the change takes effect with the next change, or with a restart."
    }
}
