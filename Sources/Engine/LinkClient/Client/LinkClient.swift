public import LinkRouting
import LinkTable

/// Resolves the links of an app on the device, with the same engine and the same table as the server.
///
/// A client has a signed table. It resolves a link synchronously, without I/O. The result is the same as the server's,
/// or ``LinkAnswer/undecided(_:)`` if the server must decide. ``run()`` downloads newer tables and delivers the reports
/// of the app. Everything on the disk and the network happens outside the caller's actor.
public final class LinkClient: Sendable {
    private let setup: ClientSetup
    private let shared: SharedState
    let worker: ClientWorker
    private let environment: ClientEnvironment

    /// Creates a client. It has no table until ``load()`` or ``run()`` has read one.
    public convenience init(_ configuration: Configuration) throws(ConfigurationError) {
        try self.init(configuration, environment: .live)
    }

    package convenience init(
        _ configuration: Configuration,
        environment: ClientEnvironment
    ) throws(ConfigurationError) {
        self.init(try ClientSetup(configuration), environment, table: nil)
    }

    /// - Parameter table: A table to begin with.
    init(_ setup: ClientSetup, _ environment: ClientEnvironment, table: ActiveTable?) {
        self.setup = setup
        self.environment = environment
        shared = SharedState(table)
        worker = ClientWorker(setup, environment, shared)
    }

    // MARK: Resolving

    /// Resolves a link synchronously, without I/O.
    ///
    /// - Parameters:
    ///   - url: The link, as the system gave it to the app.
    ///   - context: The facts that the app has for this link. Missing facts are taken from the configuration's context.
    ///     The app and the time are added.
    public func resolve(_ url: String, in context: LinkContext = LinkContext()) -> LinkAnswer {
        guard let table = shared.table else { return .undecided(.noTable) }
        var (context, clock) = (completed(context), ActiveTable.Clock.right)
        if context.now == nil {
            let now = environment.now()
            if table.isClockWrong(at: now) { clock = .wrong } else { context.now = now }
        }
        let answer = table.resolve(url, in: context, clock: clock)
        if case .undecided(.unreadableRoute(let route, let problem)) = answer {
            shared.set(.unreadableRoute, ("unreadable", "The route '\(route)' cannot be read: \(problem)"))
        }
        return answer
    }

    /// Asks the server for the answer. The server records the link, so the app does not report it.
    ///
    /// - Throws: ``AskError``, or `CancellationError`.
    public func ask(_ url: String, in context: LinkContext = LinkContext()) async throws -> ResolvedLink {
        try await worker.ask(url, completed(context))
    }

    /// Returns the answer for a link: from the table, or from the server if it must decide. Waits for the table to be
    /// loaded, which takes milliseconds.
    ///
    /// - Throws: ``AskError``, or `CancellationError`.
    public func answer(to url: String, in context: LinkContext = LinkContext()) async throws -> ResolvedLink {
        await load()
        guard case .resolved(let link) = resolve(url, in: context) else { return try await ask(url, in: context) }
        return link
    }

    /// Continues a link that needed a sign-in, after the user has signed in: with the server's continuation if the
    /// server gave the answer, or else by resolving the link again. If the continuation has expired, asks about the link.
    ///
    /// - Parameters:
    ///   - link: The answer with the action `sign_in`.
    ///   - context: Facts that have changed. The others are those of the link, and `authenticated` is true.
    /// - Throws: ``AskError``, or `CancellationError`.
    public func resume(_ link: ResolvedLink, in context: LinkContext = LinkContext()) async throws -> ResolvedLink {
        var facts = context.completed(by: link.context)
        facts.authenticated = true
        facts.now = context.now
        guard case .server(_, let token?) = link.source else { return try await answer(to: link.url, in: facts) }
        return try await worker.resume(link.url, token, completed(facts))
    }

    /// The context of a call, completed by the configuration's context and by the app.
    func completed(_ context: LinkContext) -> LinkContext {
        var context = context.completed(by: setup.configuration.context)
        context.app = setup.scope.app
        return context
    }

    // MARK: Reporting

    /// Reports what the app did with a link. The report is on the disk when this returns, and is delivered once, by
    /// ``run()`` or ``deliver()``. Answers of the server are not reported again, nor links that belong to another
    /// tenant.
    public func report(_ link: ResolvedLink, _ result: LinkResult) async {
        await worker.report(link, result)
    }

    // MARK: Background work

    /// Loads the newest of the bundled table and the table on the disk. Returns immediately if that was done before.
    public func load() async { await worker.load() }

    /// Asks the server for a newer table. Returns when it is in use, or the attempt has failed; see
    /// ``LinkClientState/problems``.
    public func refresh() async { _ = await worker.refresh() }

    /// Delivers the waiting reports, until there are none or the server cannot be reached.
    public func deliver() async { _ = await worker.deliver() }

    /// Loads the table, keeps it current, and delivers reports, until the task is cancelled.
    public func run() async {
        await worker.load()
        await withTaskGroup { group in
            group.addTask { await self.worker.keepCurrent() }
            group.addTask { await self.worker.keepDelivering() }
        }
    }

    // MARK: State

    public var state: LinkClientState { shared.state }

    /// The present state and each change. A slow reader gets the newest state only.
    public var states: AsyncStream<LinkClientState> { shared.states() }

    /// Whether there is no table, or it has expired. The client uses an expired table until it has a newer one.
    public var isStale: Bool { state.table.map { $0.expiresAt < environment.now() } ?? true }

    /// The reason why the server gave no answer.
    public enum AskError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The configuration names no server, or there is no transport.
        case noServer
        case unreachable(String)
        /// The server refused the request with this status.
        case refused(status: Int, String)
        case unreadable(String)
        /// The link belongs to another tenant of the server than the configured one.
        case otherTenant(String, configured: String)

        public var description: String {
            switch self {
            case .noServer: "The configuration names no server that the client can ask. Set 'server'."
            case .unreachable(let reason):
                "The server cannot be reached: \(reason). Ask again when the device is online."
            case .refused(let status, let reason):
                "The server refused the request with status \(status): \(reason)\(Self.advice(on: status))"
            case .unreadable(let reason):
                "The response cannot be read: \(reason). Check that 'server' is the public address of a Fingerpost server."
            case .otherTenant(let tenant, let own):
                "The link belongs to the tenant '\(tenant)', and this app to '\(own)'. If the link is one of this app, "
                    + "correct 'tenant'."
            }
        }

        private static func advice(on status: Int) -> String {
            switch status {
            case 401, 403: " Set 'clientKey' to a key with the scope 'resolve'."
            case 408, 425, 429, 500...: " Ask again later."
            default: ""
            }
        }
    }
}

extension LinkContext {
    /// Returns the context, completed by the facts of another context.
    package func completed(by other: LinkContext) -> LinkContext {
        var context = self
        context.platform = platform ?? other.platform
        context.device = device ?? other.device
        context.osVersion = osVersion ?? other.osVersion
        context.appVersion = appVersion ?? other.appVersion
        context.appBuild = appBuild ?? other.appBuild
        context.installed = installed && other.installed
        if locale.isEmpty { context.locale = other.locale }
        context.country = country ?? other.country
        context.authenticated = authenticated ?? other.authenticated
        context.traits.merge(other.traits) { own, _ in own }
        context.stickyKey = stickyKey ?? other.stickyKey
        context.inAppBrowser = inAppBrowser ?? other.inAppBrowser
        context.now = now ?? other.now
        return context
    }
}
