package import LinkRouting

extension Document {
    /// Reads JSON from the store, without size or depth limits. Documents that are too large or too deep are refused
    /// before they are stored, and a stored document must stay readable under any version and configuration.
    package static func readStored(_ text: String) throws(JSONSyntaxError) -> JSONNode {
        try JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: .max, maximumDepth: .max))
    }
}

/// A stored document that cannot be read: the file is damaged, or an older version stored a document that it could not
/// read back.
package struct UnreadableDocument: Error, Hashable, Sendable, CustomStringConvertible {
    package let kind: Kind
    package let reason: String

    package enum Kind: Hashable, Sendable {
        case settings(TenantID)
        case draft(DraftName)
        case revision(Revision)
        case suite(SuiteName)
    }

    package init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    package var description: String {
        switch kind {
        case .settings(let tenant):
            "The stored settings of '\(tenant)' cannot be read (\(reason)). Replace them with PUT …/settings."
        case .draft(let name):
            "The stored draft '\(name)' cannot be read (\(reason)). Replace it with PUT …/draft, or remove it with "
                + "DELETE …/draft."
        case .revision(let revision):
            "The stored table of revision \(revision) cannot be read (\(reason)). Publish another table, or roll back to "
                + "another revision."
        case .suite(let name):
            "The stored suite '\(name)' cannot be read (\(reason)). Replace it with PUT …/suites/\(name), or remove it with "
                + "DELETE."
        }
    }
}

extension StoredSettings {
    /// Returns the stored settings. They were validated before they were stored.
    ///
    /// - Throws: ``UnreadableDocument``.
    package func read() throws -> Settings {
        do {
            return try Settings(Field(stored: content, path: "settings"))
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
            return try LinkSuite(content)
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
