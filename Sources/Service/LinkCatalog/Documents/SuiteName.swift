import LinkRouting

/// The name of a suite within its tenant.
package struct SuiteName: Identifier {
    package let rawValue: String

    package init?(_ text: some StringProtocol) {
        guard isIdentifier(text) else { return nil }
        rawValue = String(text)
    }
}
