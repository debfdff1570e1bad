public import LinkRouting

/// The link that led to the installation of the app.
extension LinkClient {
    /// Asks the server for the link that a person clicked before the installation from Google Play. Call it at the first
    /// start. The server counts the install once, and answers as often as it is asked within 30 days.
    ///
    /// - Parameter referrer: The text of Google's library for install referrers.
    /// - Returns: The answer. Nil if the installation had another reason, if the click is older than 30 days, or if its link
    ///   is kept from stores.
    /// - Throws: ``AskError``, or `CancellationError`.
    public func installed(
        referrer: String,
        in context: LinkContext = LinkContext()
    ) async throws -> ResolvedLink? {
        let items = referrer.utf8.split(separator: UInt8(ascii: "&"))
        guard let item = items.first(where: { $0.starts(with: "fp=".utf8) }) else { return nil }
        return try await worker.claim(.token(String(Substring(item.dropFirst(3)))), completed(context))
    }

    /// Asks the server for the answer to a link that a person has pasted into the app after its installation.
    ///
    /// - Returns: The answer; nil for a text that is not one of the tenant's links.
    /// - Throws: ``AskError``, or `CancellationError`.
    public func pasted(_ link: String, in context: LinkContext = LinkContext()) async throws -> ResolvedLink? {
        try await worker.claim(.pasted(link), completed(context))
    }
}

/// What an app knows about its installation.
enum InstallEvidence: Sendable {
    /// The token of a click.
    case token(String)
    case pasted(String)
}
