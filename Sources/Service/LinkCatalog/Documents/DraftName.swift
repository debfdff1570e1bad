import LinkRouting

/// The name of a draft within its tenant and environment.
package struct DraftName: Identifier {
    package let rawValue: String
    /// The default draft.
    package static let main = DraftName(known: "main")

    package init?(_ text: some StringProtocol) {
        guard isIdentifier(text) else { return nil }
        rawValue = String(text)
    }

    private init(known: String) { rawValue = known }
}
