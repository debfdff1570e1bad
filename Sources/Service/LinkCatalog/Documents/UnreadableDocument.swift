package import LinkRouting

/// A stored document that cannot be read, because the file is damaged.
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
