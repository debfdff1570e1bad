import Hummingbird
import LinkCatalog
import LinkEvents

/// Adds the endpoints of the admin port to a router. The middleware precedes the endpoints that it applies to.
func addAdminEndpoints(_ dependencies: ServerDependencies, to router: Hummingbird.Router<ServerRequestContext>) {
    let authorizer = AdminAuthorizer(
        keys: dependencies.keys,
        admission: dependencies.admission,
        catalog: dependencies.linkResolver.catalog,
        now: dependencies.linkResolver.now
    )
    OpenAPIController(document: .adminPort).addRoutes(to: router)
    router.add(middleware: DocumentMemoryMiddleware(memory: dependencies.documentMemory, keys: dependencies.keys))
    router.add(
        middleware: IdempotencyMiddleware(
            answers: IdempotencyResponses(store: dependencies.store, now: authorizer.now, logger: dependencies.logger),
            keys: dependencies.keys
        )
    )
    TenantController(
        authorizer: authorizer,
        publishing: dependencies.publishing,
        store: dependencies.store,
        limits: dependencies.limits
    ).addRoutes(
        to: router
    )
    DraftController(
        authorizer: authorizer,
        publishing: dependencies.publishing,
        store: dependencies.store,
        limits: dependencies.limits
    ).addRoutes(
        to: router
    )
    ApplyController(authorizer: authorizer, publishing: dependencies.publishing, limits: dependencies.limits).addRoutes(
        to: router
    )
    ReplayController(authorizer: authorizer, replayer: dependencies.replayer, limits: dependencies.limits).addRoutes(
        to: router
    )
    DraftResolveController(
        authorizer: authorizer,
        publishing: dependencies.publishing,
        store: dependencies.store,
        linkResolver: dependencies.linkResolver,
        limits: dependencies.limits
    ).addRoutes(to: router)
    RevisionController(
        authorizer: authorizer,
        publishing: dependencies.publishing,
        store: dependencies.store,
        limits: dependencies.limits
    ).addRoutes(
        to: router
    )
    SuiteController(authorizer: authorizer, store: dependencies.store, limits: dependencies.limits).addRoutes(
        to: router
    )
    KeyController(
        authorizer: authorizer,
        keys: dependencies.keyIssuer,
        store: dependencies.store,
        limits: dependencies.limits
    ).addRoutes(to: router)
    SessionController(authorizer: authorizer, store: dependencies.store).addRoutes(to: router)
    AuditController(authorizer: authorizer, store: dependencies.store).addRoutes(to: router)
    RouteController(
        authorizer: authorizer,
        publishing: dependencies.publishing,
        analytics: dependencies.log.analytics,
        limits: dependencies.limits
    ).addRoutes(to: router)
    AssociationToolsController(
        authorizer: authorizer,
        live: dependencies.linkResolver.catalog,
        publishing: dependencies.publishing,
        files: dependencies.associationFiles,
        queue: dependencies.editorQueue
    ).addRoutes(to: router)
    RetentionController(
        authorizer: authorizer,
        retention: dependencies.retention,
        store: dependencies.store,
        limits: dependencies.limits
    ).addRoutes(
        to: router
    )
    ErasureController(
        authorizer: authorizer,
        eraser: dependencies.eraser,
        days: dependencies.log.days,
        store: dependencies.store,
        limits: dependencies.limits
    ).addRoutes(to: router)
    AnalyticsController(
        authorizer: authorizer,
        store: dependencies.store,
        catalog: dependencies.linkResolver.catalog,
        analytics: dependencies.log.analytics,
        queue: dependencies.editorQueue
    ).addRoutes(to: router)
    EventController(
        authorizer: authorizer,
        store: dependencies.store,
        history: dependencies.log.history,
        commits: dependencies.linkResolver.recorder.commits,
        limits: dependencies.limits,
        sleep: { try await Task.sleep(for: $0) }
    ).addRoutes(to: router)
    ExplainController(
        authorizer: authorizer,
        store: dependencies.store,
        history: dependencies.log.history,
        catalog: dependencies.linkResolver.catalog,
        queue: dependencies.editorQueue
    ).addRoutes(to: router)
    ShortLinkController(
        authorizer: authorizer,
        service: ShortLinkService(
            dependencies.shortLinks,
            store: dependencies.store,
            queue: dependencies.editorQueue
        ) { [catalog = dependencies.linkResolver.catalog] in
            catalog.current
        },
        links: dependencies.shortLinks,
        store: dependencies.store,
        catalog: dependencies.linkResolver.catalog,
        analytics: dependencies.log.analytics,
        limits: dependencies.limits
    ).addRoutes(to: router)
    ShortLinkStats(
        authorizer: authorizer,
        links: dependencies.shortLinks,
        store: dependencies.store,
        analytics: dependencies.log.analytics
    ).addRoutes(to: router)
    ExportController(
        authorizer: authorizer,
        exporter: dependencies.exporter,
        catalog: dependencies.linkResolver.catalog,
        store: dependencies.store
    )
    .addRoutes(to: router)
}
