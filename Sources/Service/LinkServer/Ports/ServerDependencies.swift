package import HTTPTransport
package import LinkCatalog
package import LinkEvents
package import LinkRouting
package import Logging
package import Networking

/// The dependencies of the public and the admin port.
package struct ServerDependencies: Sendable {
    package var linkResolver: LinkResolver
    package var appEvents: AppEventRecorder
    package var associationFiles: AssociationFileCache
    package var appTables: AppTableCache
    package var appTableService: AppTableService
    package var keys: APIKeyAuthenticator
    package var admission: Admission
    package var keyIssuer: APIKeyIssuer
    package var publishing: PublishingService
    /// The queue of ``PublishingService``, for all other work that grows with what an editor sends.
    package var editorQueue: WorkQueue { publishing.queue }
    /// The queue of work for the public port.
    package var publicQueue: WorkQueue
    package var store: any CatalogStore
    package var shortLinks: any ShortLinkStore
    package var exporter: ExportService
    package var retention: RetentionService
    package var eraser: Eraser
    package var log: ServiceLog
    package var replayer: Replayer
    package var metrics: MetricRegistry
    package var limits: LiveLimits
    package var unsent: UnsentResponses
    package var traces: TraceSource
    package var logSettings: LogSettings
    /// For the public port.
    package var proxyProtocol: ProxyProtocol
    /// For the public port.
    package var requestBuffers = RequestBufferBudget()
    /// For the traces of the public port.
    package var tracePool = WorkQueue.forTraces()
    /// For the admin port.
    package var documentMemory: DocumentMemory
    package var logger: Logger

    package init(
        linkResolver: LinkResolver,
        appEvents: AppEventRecorder,
        associationFiles: AssociationFileCache,
        appTables: AppTableCache,
        appTableService: AppTableService,
        keys: APIKeyAuthenticator,
        admission: Admission,
        keyIssuer: APIKeyIssuer,
        publishing: PublishingService,
        publicQueue: WorkQueue,
        store: any CatalogStore,
        shortLinks: any ShortLinkStore,
        exporter: ExportService,
        retention: RetentionService,
        eraser: Eraser,
        log: ServiceLog,
        replayer: Replayer,
        metrics: MetricRegistry,
        limits: LiveLimits,
        unsent: UnsentResponses,
        traces: TraceSource,
        logSettings: LogSettings,
        proxyProtocol: ProxyProtocol = .off,
        logger: Logger
    ) {
        self.linkResolver = linkResolver
        self.appEvents = appEvents
        self.associationFiles = associationFiles
        self.appTables = appTables
        self.appTableService = appTableService
        self.keys = keys
        self.admission = admission
        self.keyIssuer = keyIssuer
        self.publishing = publishing
        self.publicQueue = publicQueue
        documentMemory = DocumentMemory(queue: publishing.queue) {
            // A body alone reaches its own limit first, which the last part that is read exceeds.
            max(64 << 20, 2 * (limits.tableBytes + (64 << 10)))
        } whenDone: {
            DocumentMemory.giveMemoryBack()
        }
        self.store = store
        self.shortLinks = shortLinks
        self.exporter = exporter
        self.retention = retention
        self.eraser = eraser
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
    package var unsent: UnsentResponses
    package var traces: TraceSource
    package var logSettings: LogSettings
    package var logger: Logger
    package var now: @Sendable () -> Timestamp
    package var uptime: @Sendable () -> ContinuousClock.Instant
    package var makeRequestID: @Sendable () -> RecordedID

    package init(
        health: Health,
        metrics: MetricRegistry,
        readings: MetricReadings,
        limits: LiveLimits,
        unsent: UnsentResponses,
        traces: TraceSource,
        logSettings: LogSettings,
        logger: Logger,
        now: @escaping @Sendable () -> Timestamp,
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
        self.now = now
        self.uptime = uptime
        self.makeRequestID = makeRequestID
    }
}
