package import HTTPTransport
package import Hummingbird
import HummingbirdCore
package import LinkCatalog
package import LinkEvents
import LinkRouting
package import LinkService
package import Logging
package import NIOCore
package import NetworkTypes

/// The dependencies of the public and the admin port.
package struct ServerDependencies: Sendable {
    package var resolving: LinkResolver
    package var appEvents: AppEventRecorder
    package var associationFiles: AssociationFileCache
    package var appTables: AppTableCache
    package var appTableMaker: AppTableMaker
    package var keys: APIKeyAuthenticator
    package var admission: Admission
    package var keyMaker: APIKeyIssuer
    package var editor: PublishingService
    /// The editor's pool, for all other work that grows with what a caller sends.
    package var pool: WorkPool { editor.pool }
    package var store: any CatalogStore
    package var exporter: Exporter
    package var keeper: RetentionService
    package var eraser: Eraser
    package var days: any EventDays
    package var log: any EventStore & EventHistory & EventStatistics
    package var replayer: Replayer
    package var metrics: MetricRegistry
    package var limits: LiveLimits
    package var unsent: UnsentAnswers
    package var traces: TraceSource
    package var logSettings: LogSettings
    /// For the public port.
    package var proxyProtocol: ProxyProtocol
    /// For the public port.
    package var requestBuffers = RequestBufferBudget()
    /// For the admin port.
    package var largeDocuments: LargeDocuments
    package var logger: Logger

    package init(
        resolving: LinkResolver,
        appEvents: AppEventRecorder,
        associationFiles: AssociationFileCache,
        appTables: AppTableCache,
        appTableMaker: AppTableMaker,
        keys: APIKeyAuthenticator,
        admission: Admission,
        keyMaker: APIKeyIssuer,
        editor: PublishingService,
        store: any CatalogStore,
        exporter: Exporter,
        keeper: RetentionService,
        eraser: Eraser,
        days: any EventDays,
        log: any EventStore & EventHistory & EventStatistics,
        replayer: Replayer,
        metrics: MetricRegistry,
        limits: LiveLimits,
        unsent: UnsentAnswers,
        traces: TraceSource,
        logSettings: LogSettings,
        proxyProtocol: ProxyProtocol = .off,
        logger: Logger
    ) {
        self.resolving = resolving
        self.appEvents = appEvents
        self.associationFiles = associationFiles
        self.appTables = appTables
        self.appTableMaker = appTableMaker
        self.keys = keys
        self.admission = admission
        self.keyMaker = keyMaker
        self.editor = editor
        largeDocuments = LargeDocuments(pool: editor.pool) { LargeDocuments.giveMemoryBack() }
        self.store = store
        self.exporter = exporter
        self.keeper = keeper
        self.eraser = eraser
        self.days = days
        self.log = log
        self.replayer = replayer
        self.metrics = metrics
        self.limits = limits
        self.unsent = unsent
        self.traces = traces
        self.logSettings = logSettings
        self.proxyProtocol = proxyProtocol
        self.logger = logger
    }
}

/// The dependencies of the ops port, which opens before everything else and closes after everything else.
package struct OpsDependencies: Sendable {
    package var health: Health
    package var metrics: MetricRegistry
    package var readings: MetricReadings
    package var limits: LiveLimits
    package var unsent: UnsentAnswers
    package var traces: TraceSource
    package var logSettings: LogSettings
    package var logger: Logger
    package var uptime: @Sendable () -> ContinuousClock.Instant
    package var makeRequestID: @Sendable () -> RecordedID

    package init(
        health: Health,
        metrics: MetricRegistry,
        readings: MetricReadings,
        limits: LiveLimits,
        unsent: UnsentAnswers,
        traces: TraceSource,
        logSettings: LogSettings,
        logger: Logger,
        uptime: @escaping @Sendable () -> ContinuousClock.Instant,
        makeRequestID: @escaping @Sendable () -> RecordedID
    ) {
        self.health = health
        self.metrics = metrics
        self.readings = readings
        self.limits = limits
        self.unsent = unsent
        self.traces = traces
        self.logSettings = logSettings
        self.logger = logger
        self.uptime = uptime
        self.makeRequestID = makeRequestID
    }
}

/// Builds the public port: resolve, association files, clicks.
///
/// - Parameter certificates: If given, the port speaks only TLS, and HTTP/2 if it is offered.
package func buildPublicServer(
    _ parts: ServerDependencies,
    at address: ListenAddress,
    certificates: ServerCertificates? = nil,
    onListening: @escaping @Sendable (Int) async -> Void
) -> PublicServer {
    PublicServer(address: address, connection: publicConnection(parts, certificates), onListening: onListening)
}

func publicConnection(_ parts: ServerDependencies, _ certificates: ServerCertificates? = nil) -> PublicConnection {
    let service = PublicService(
        router: publicRouter(parts.publicParts),
        catalog: parts.resolving.catalog,
        instrumentation: instrumentation(parts, .public),
        admission: parts.admission,
        keys: parts.keys,
        buffers: parts.requestBuffers,
        date: ResponseDate(parts.resolving.now)
    )
    var connection = PublicConnection(service: service, http1: http1Pipeline(parts, .public))
    if parts.proxyProtocol != .off {
        connection.isTrustedProxy = { [admission = parts.admission] in admission.policy.proxies.contains($0) }
    }
    if let certificates {
        let streams = ConnectionRegistry(
            limit: connections(parts, .public),
            of: "fingerpost_http2_streams",
            port: .public,
            metrics: parts.metrics
        )
        connection.secure = PublicConnection.Secure(
            certificates: certificates,
            limits: HTTP2Limits(connection.http1.limits),
            streams: streams
        )
    }
    return connection
}

/// The endpoints of the public port.
func publicRouter(_ parts: PublicParts) -> PublicRouter {
    PublicRouter(
        [
            OpenAPIController(document: .publicPort).endpoint,
            ResolveController(resolving: parts.resolving, limits: parts.limits, admission: parts.admission).endpoint,
            AppEventController(
                resolving: parts.resolving,
                recorder: parts.appEvents,
                limits: parts.limits,
                admission: parts.admission
            ).endpoint,
            AppTableController(
                live: parts.resolving.catalog,
                tables: parts.appTables,
                admission: parts.admission
            ).endpoint,
        ]
            + AssociationController(
                live: parts.resolving.catalog,
                files: parts.associationFiles,
                admission: parts.admission,
                tenants: parts.resolving.tenants
            ).endpoints
            + ClickController(resolving: parts.resolving, admission: parts.admission).endpoints
    )
}

/// Builds the admin port: tenants, tables, routes, exports; every request needs a key.
package func buildAdminApplication(
    _ parts: ServerDependencies,
    at address: ListenAddress,
    onListening: @escaping @Sendable (Int) async -> Void
) -> some ApplicationProtocol {
    application(parts, .admin, at: address, router: adminRouter(parts), onListening: onListening)
}

func adminRouter(_ parts: ServerDependencies) -> Hummingbird.Router<ServerRequestContext> {
    let gate = AdminAuthorizer(keys: parts.keys, admission: parts.admission, now: parts.resolving.now)
    let router = newRouter(parts, .admin)
    router.add(middleware: AdmissionMiddleware(admission: parts.admission, keys: parts.keys))
    OpenAPIController(document: .adminPort).addRoutes(to: router)
    router.add(middleware: LargeDocumentMiddleware(documents: parts.largeDocuments, keys: parts.keys))
    router.add(
        middleware: IdempotencyMiddleware(
            answers: KeptAnswers(store: parts.store, now: gate.now, logger: parts.logger),
            keys: parts.keys
        )
    )
    TenantController(gate: gate, editor: parts.editor, store: parts.store, limits: parts.limits).addRoutes(
        to: router
    )
    DraftController(gate: gate, editor: parts.editor, store: parts.store, limits: parts.limits).addRoutes(
        to: router
    )
    ApplyController(gate: gate, editor: parts.editor, limits: parts.limits).addRoutes(to: router)
    ReplayController(gate: gate, replayer: parts.replayer, limits: parts.limits).addRoutes(to: router)
    RevisionController(gate: gate, editor: parts.editor, store: parts.store, limits: parts.limits).addRoutes(
        to: router
    )
    SuiteController(gate: gate, store: parts.store, limits: parts.limits).addRoutes(to: router)
    KeyController(gate: gate, keys: parts.keyMaker, store: parts.store, limits: parts.limits).addRoutes(to: router)
    AuditController(gate: gate, store: parts.store).addRoutes(to: router)
    RouteController(gate: gate, editor: parts.editor, limits: parts.limits).addRoutes(to: router)
    AssociationToolsController(
        gate: gate,
        live: parts.resolving.catalog,
        files: parts.associationFiles,
        pool: parts.pool
    ).addRoutes(to: router)
    RetentionController(gate: gate, keeper: parts.keeper, store: parts.store, limits: parts.limits).addRoutes(
        to: router
    )
    ErasureController(
        gate: gate,
        eraser: parts.eraser,
        days: parts.days,
        store: parts.store,
        limits: parts.limits
    ).addRoutes(to: router)
    StatisticsController(
        gate: gate,
        store: parts.store,
        catalog: parts.resolving.catalog,
        statistics: parts.log,
        pool: parts.pool
    ).addRoutes(to: router)
    EventController(
        gate: gate,
        store: parts.store,
        log: parts.log,
        commits: parts.resolving.recorder.commits,
        limits: parts.limits,
        sleep: { try await Task.sleep(for: $0) }
    ).addRoutes(to: router)
    ExportController(gate: gate, exporter: parts.exporter, catalog: parts.resolving.catalog).addRoutes(to: router)
    return router
}

/// Builds the ops port: health and metrics.
///
/// - Parameter loops: Event loops for its connections; nil shares those of the other ports.
package func buildOpsApplication(
    _ parts: OpsDependencies,
    at address: ListenAddress,
    on loops: (any EventLoopGroup)? = nil,
    onListening: @escaping @Sendable (Int) async -> Void
) -> some ApplicationProtocol {
    application(parts, .ops, at: address, router: opsRouter(parts), on: loops, onListening: onListening)
}

/// Has no admission control: probes and Prometheus must not be refused.
func opsRouter(_ parts: OpsDependencies) -> Hummingbird.Router<ServerRequestContext> {
    let router = newRouter(parts, .ops)
    HealthController(health: parts.health).addRoutes(to: router)
    MetricsController(metrics: parts.metrics, readings: parts.readings).addRoutes(to: router)
    return router
}

extension Logger {
    /// The level of Hummingbird's logger. Hummingbird logs that each port listens, which `serve` prints, and logs an
    /// error if a port is already closed in a hurried shutdown. A failure of a port ends it, and ``ListeningPort``
    /// reports that.
    var levelOfHummingbird: Level { logLevel < .info ? logLevel : .critical }
}

/// The dependencies of the instrumentation that all ports share.
private protocol PortParts {
    var metrics: MetricRegistry { get }
    var tenants: TenantMetrics? { get }
    var limits: LiveLimits { get }
    var unsent: UnsentAnswers { get }
    var traces: TraceSource { get }
    var logSettings: LogSettings { get }
    var logger: Logger { get }
    var uptime: @Sendable () -> ContinuousClock.Instant { get }
    var makeRequestID: @Sendable () -> RecordedID { get }
}

extension OpsDependencies: PortParts {
    fileprivate var tenants: TenantMetrics? { nil }
}

extension ServerDependencies: PortParts {
    fileprivate var tenants: TenantMetrics? { resolving.tenants }
    fileprivate var uptime: @Sendable () -> ContinuousClock.Instant { resolving.uptime }
    fileprivate var makeRequestID: @Sendable () -> RecordedID {
        { [ids = resolving.eventIDs, now = resolving.now] in ids.next(at: now()) }
    }
}

private func instrumentation(_ parts: some PortParts, _ port: PortRole) -> RequestInstrumentation {
    RequestInstrumentation(
        port: port,
        metrics: RequestMetrics(port: port, metrics: parts.metrics, tenants: parts.tenants),
        log: RequestLog(port: port, settings: parts.logSettings, logger: parts.logger),
        errors: ErrorMapper(logger: parts.logger),
        traces: parts.traces,
        uptime: parts.uptime,
        makeRequestID: parts.makeRequestID
    )
}

/// Returns a router with the instrumentation of every request.
private func newRouter(_ parts: some PortParts, _ port: PortRole) -> Hummingbird.Router<ServerRequestContext> {
    let router = Router(context: ServerRequestContext.self)
    router.add(middleware: FrameMiddleware(frame: instrumentation(parts, port)))
    return router
}

/// The part of the descriptors that the connections of a port may use.
private func connections(_ parts: some PortParts, _ port: PortRole) -> Int {
    let limits = parts.limits.current
    return DescriptorShares(limit: limits.descriptors, wanted: limits.connections).connections(of: port)
}

private func http1Pipeline(_ parts: some PortParts, _ port: PortRole) -> HTTP1Pipeline {
    let (limits, makeRequestID) = (parts.limits.current, parts.makeRequestID)
    let pipeline = HTTP1Pipeline(
        port: port,
        limits: ConnectionLimits(limits, bodySeconds: port == .admin ? limits.tableSeconds : limits.bodySeconds),
        refusals: TransportErrorResponses(
            port: port,
            metrics: parts.metrics,
            makeRequestID: { makeRequestID().description }
        ),
        registry: ConnectionRegistry(limit: connections(parts, port), port: port, metrics: parts.metrics),
        unsent: parts.unsent
    )
    pipeline.createGenericTypes()
    return pipeline
}

private func application(
    _ parts: some PortParts,
    _ port: PortRole,
    at address: ListenAddress,
    router: Hummingbird.Router<ServerRequestContext>,
    on loops: (any EventLoopGroup)? = nil,
    onListening: @escaping @Sendable (Int) async -> Void
) -> some ApplicationProtocol {
    router.refuseOtherMethods()
    let pipeline = http1Pipeline(parts, port)
    var logger = parts.logger
    logger.logLevel = logger.levelOfHummingbird
    let application = Application(
        router: router,
        server: HTTPServerBuilder { HummingbirdConnection(responder: $0, pipeline: pipeline) },
        configuration: ApplicationConfiguration(
            address: .hostname(address.host, port: address.port),
            serverName: nil,
            backlog: ListenAddress.backlog,
            availableConnectionsDelegate: pipeline.registry.room
        ),
        onServerRunning: { channel in await onListening(channel.localAddress?.port ?? address.port) },
        eventLoopGroupProvider: loops.map { .shared($0) } ?? .singleton,
        logger: logger
    )
    return ConnectedApplication(base: application, registry: pipeline.registry)
}
