package import LinkRouting

extension Document {
    /// Reads JSON that the store holds. It has no limit that a write of any version under any configuration could have
    /// passed: what is too large or too deep is refused before it is stored.
    package static func readStored(_ text: String) throws(JSONSyntaxError) -> JSONNode {
        try JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: .max, maximumDepth: .max))
    }
}

/// Something that the store holds and nobody can read: the file is damaged, or an older version stored what it could not
/// read back.
package struct UnreadableDocument: Error, Hashable, Sendable, CustomStringConvertible {
    package let kind: Kind
    package let reason: String

    package enum Kind: Hashable, Sendable {
        case settings(TenantID)
        case draft(String)
        case revision(Revision)
        case suite(String)
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

extension SettingsRow {
    /// The settings that the row holds. They were read before they were stored.
    package func read() throws -> Settings {
        do {
            return try Settings(Field(stored: content, path: "settings"))
        } catch {
            throw UnreadableDocument(.settings(tenant), "\(error)")
        }
    }
}

extension SuiteRow {
    package func read() throws -> LinkSuite {
        do {
            return try LinkSuite(content)
        } catch {
            throw UnreadableDocument(.suite(name), "\(error)")
        }
    }
}

/// A change that is committed, and that the service could not begin to answer from. It is no error of who asked for it, and
/// not to be repeated.
package struct StoredNotLive: Error, Hashable, Sendable, CustomStringConvertible {
    private let committed: String
    package let reason: String

    package init(_ committed: String, _ reason: String) {
        self.committed = committed
        self.reason = reason
    }

    package var description: String {
        committed + ", but the service could not read it back and goes on with what was live before. Do not repeat the "
            + "request: it takes effect with the next change, or with a restart."
    }
}
