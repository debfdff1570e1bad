#if canImport(FoundationNetworking) || canImport(Darwin)
    public import LinkRouting
    public import struct Foundation.URL

    /// The system hands links to an app as URLs.
    extension LinkClient {
        /// Resolves a link synchronously, without I/O; see ``resolve(_:in:)-(String,_)``.
        public func resolve(_ url: URL, in context: LinkContext = LinkContext()) -> LinkAnswer {
            resolve(url.absoluteString, in: context)
        }

        /// Asks the server for the answer; see ``ask(_:in:)-(String,_)``.
        public func ask(_ url: URL, in context: LinkContext = LinkContext()) async throws -> ResolvedLink {
            try await ask(url.absoluteString, in: context)
        }

        /// Returns the answer for a link, from the table or from the server; see ``answer(to:in:)-(String,_)``.
        public func answer(to url: URL, in context: LinkContext = LinkContext()) async throws -> ResolvedLink {
            try await answer(to: url.absoluteString, in: context)
        }
    }
#endif
