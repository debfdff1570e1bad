#if canImport(Observation)
    public import Observation

    /// The state of a client for views: `@State private var links = LinkClientObserver(client)`.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @MainActor @Observable
    public final class LinkClientObserver {
        public private(set) var state: LinkClientState
        private let client: LinkClient

        public init(_ client: LinkClient) {
            self.client = client
            state = client.state
        }

        /// Follows the state until the task is cancelled, as in `.task { await links.run() }`. It does not run the
        /// client itself.
        public func run() async {
            for await state in client.states { self.state = state }
        }
    }
#endif
