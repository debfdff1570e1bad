package import HTTPTransport
package import Hummingbird
import HummingbirdCore
import LinkCatalog
import LinkEvents
import LinkRouting
import Logging
package import NIOCore
import Networking

/// Builds the public port: resolve, association files, clicks.
///
/// - Parameter certificates: If given, the port speaks only TLS, and HTTP/2 if it is offered.
package func buildPublicServer(
    _ dependencies: ServerDependencies,
    at address: ListenAddress,
    certificates: ServerCertificates? = nil,
    onListening: @escaping @Sendable (Int) async -> Void
) -> PublicServer {
    PublicServer(address: address, connection: publicConnection(dependencies, certificates), onListening: onListening)
}

func publicConnection(_ dependencies: ServerDependencies, _ certificates: ServerCertificates? = nil) -> PublicConnection
{
    let service = PublicService(
        router: publicRouter(dependencies.publicDependencies),
        catalog: dependencies.linkResolver.catalog,
        instrumentation: instrumentation(dependencies, .public),
        admission: dependencies.admission,
        keys: dependencies.keys,
        buffers: dependencies.requestBuffers,
        date: ResponseDate(dependencies.linkResolver.now)
    )
    var connection = PublicConnection(service: service, http1: http1Pipeline(dependencies, .public))
    if dependencies.proxyProtocol != .off {
        connection.isTrustedProxy = { [admission = dependencies.admission] in admission.policy.proxies.contains($0) }
    }
    if let certificates {
        let streams = ConnectionRegistry(
            limit: connections(dependencies, .public),
            of: "fingerpost_http2_streams",
            port: .public,
            metrics: dependencies.metrics
        )
        connection.secure = PublicConnection.Secure(
            certificates: certificates,
            limits: HTTP2Limits(connection.http1.limits),
            streams: streams
        )
    }
    return connection
}

/// Builds the admin port: tenants, tables, routes, exports; every request needs a key.
///
/// - Parameter addPages: Adds the pages of the console.
package func buildAdminApplication(
    _ dependencies: ServerDependencies,
    at address: ListenAddress,
    addPages: (Hummingbird.Router<ServerRequestContext>) -> Void = { _ in },
    onListening: @escaping @Sendable (Int) async -> Void
) -> some ApplicationProtocol {
    let router = adminRouter(dependencies)
    addPages(router)
    return application(dependencies, .admin, at: address, router: router, onListening: onListening)
}

func adminRouter(_ dependencies: ServerDependencies) -> Hummingbird.Router<ServerRequestContext> {
    let router = newRouter(dependencies, .admin)
    router.add(middleware: AdmissionMiddleware(admission: dependencies.admission, keys: dependencies.keys))
    addAdminEndpoints(dependencies, to: router)
    return router
}

/// The router of the control socket. Its requests count as those of the admin port.
func controlRouter(_ dependencies: ServerDependencies, _ tasks: OperatorTasks)
    -> Hummingbird.Router<ServerRequestContext>
{
    let router = newRouter(dependencies, .admin)
    addControlEndpoints(dependencies, tasks, to: router)
    return router
}

/// Builds the ops port: health and metrics.
///
/// - Parameter loops: Event loops for its connections; nil shares those of the other ports.
package func buildOpsApplication(
    _ dependencies: OpsDependencies,
    at address: ListenAddress,
    on loops: (any EventLoopGroup)? = nil,
    onListening: @escaping @Sendable (Int) async -> Void
) -> some ApplicationProtocol {
    application(dependencies, .ops, at: address, router: opsRouter(dependencies), on: loops, onListening: onListening)
}

/// Has no admission control: probes and Prometheus must not be refused.
func opsRouter(_ dependencies: OpsDependencies) -> Hummingbird.Router<ServerRequestContext> {
    let router = newRouter(dependencies, .ops)
    HealthController(health: dependencies.health).addRoutes(to: router)
    MetricsController(metrics: dependencies.metrics, readings: dependencies.readings).addRoutes(to: router)
    return router
}

extension Logger {
    /// The level of Hummingbird's logger. Hummingbird logs that each port listens, which `serve` prints, and logs an
    /// error if a port is already closed in a forced shutdown. A failure of a port ends it, and ``ListeningPort``
    /// reports that.
    var levelOfHummingbird: Level { logLevel < .info ? logLevel : .critical }
}

/// The dependencies of the instrumentation that all ports share.
private protocol PortDependencies {
    var metrics: MetricRegistry { get }
    var tenants: TenantMetrics? { get }
    var limits: LiveLimits { get }
    var unsent: UnsentResponses { get }
    var traces: TraceSource { get }
    var logSettings: LogSettings { get }
    var logger: Logger { get }
    var now: @Sendable () -> Timestamp { get }
    var uptime: @Sendable () -> ContinuousClock.Instant { get }
    var makeRequestID: @Sendable () -> RecordedID { get }
}

extension OpsDependencies: PortDependencies {
    fileprivate var tenants: TenantMetrics? { nil }
}

extension ServerDependencies: PortDependencies {
    fileprivate var tenants: TenantMetrics? { linkResolver.tenants }
    fileprivate var now: @Sendable () -> Timestamp { linkResolver.now }
    fileprivate var uptime: @Sendable () -> ContinuousClock.Instant { linkResolver.uptime }
    fileprivate var makeRequestID: @Sendable () -> RecordedID {
        { [ids = linkResolver.eventIDs, now = linkResolver.now] in ids.next(at: now()) }
    }
}

private func instrumentation(_ dependencies: some PortDependencies, _ port: PortRole) -> RequestInstrumentation {
    RequestInstrumentation(
        port: port,
        metrics: RequestMetrics(port: port, metrics: dependencies.metrics, tenants: dependencies.tenants),
        log: RequestLog(port: port, settings: dependencies.logSettings, logger: dependencies.logger),
        errors: ErrorMapper(logger: dependencies.logger),
        traces: dependencies.traces,
        uptime: dependencies.uptime,
        makeRequestID: dependencies.makeRequestID
    )
}

/// Returns a router with the instrumentation of every request.
private func newRouter(_ dependencies: some PortDependencies, _ port: PortRole)
    -> Hummingbird.Router<ServerRequestContext>
{
    let router = Router(context: ServerRequestContext.self)
    router.add(middleware: InstrumentationMiddleware(instrumentation: instrumentation(dependencies, port)))
    return router
}

/// The part of the descriptors that the connections of a port may use.
private func connections(_ dependencies: some PortDependencies, _ port: PortRole) -> Int {
    let limits = dependencies.limits.current
    return DescriptorShares(limit: limits.descriptors, requested: limits.connections).connections(of: port)
}

private func http1Pipeline(_ dependencies: some PortDependencies, _ port: PortRole) -> HTTP1Pipeline {
    let (limits, makeRequestID) = (dependencies.limits.current, dependencies.makeRequestID)
    let pipeline = HTTP1Pipeline(
        port: port,
        limits: ConnectionLimits(limits, bodySeconds: port == .admin ? limits.tableSeconds : limits.bodySeconds),
        refusals: TransportErrorResponses(
            port: port,
            metrics: dependencies.metrics,
            date: ResponseDate(dependencies.now),
            makeRequestID: { makeRequestID().description }
        ),
        registry: ConnectionRegistry(limit: connections(dependencies, port), port: port, metrics: dependencies.metrics),
        unsent: dependencies.unsent
    )
    pipeline.createGenericTypes()
    return pipeline
}

private func application(
    _ dependencies: some PortDependencies,
    _ port: PortRole,
    at address: ListenAddress,
    router: Hummingbird.Router<ServerRequestContext>,
    on loops: (any EventLoopGroup)? = nil,
    onListening: @escaping @Sendable (Int) async -> Void
) -> some ApplicationProtocol {
    router.refuseOtherMethods()
    let pipeline = http1Pipeline(dependencies, port)
    var logger = dependencies.logger
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
