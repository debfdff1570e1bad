/// The endpoints of the public port.
func publicRouter(_ dependencies: PublicDependencies) -> PublicRouter {
    PublicRouter(
        [
            OpenAPIController(document: .publicPort).endpoint,
            ResolveController(
                linkResolver: dependencies.linkResolver,
                limits: dependencies.limits,
                admission: dependencies.admission,
                tracePool: dependencies.tracePool
            ).endpoint,
            AppEventController(
                linkResolver: dependencies.linkResolver,
                recorder: dependencies.appEvents,
                limits: dependencies.limits,
                admission: dependencies.admission
            ).endpoint,
            AppLinkController(
                linkResolver: dependencies.linkResolver,
                limits: dependencies.limits,
                admission: dependencies.admission
            ).endpoint,
            InstallController(
                linkResolver: dependencies.linkResolver,
                limits: dependencies.limits,
                admission: dependencies.admission
            ).endpoint,
            AppTableController(
                live: dependencies.linkResolver.catalog,
                tables: dependencies.appTables,
                admission: dependencies.admission
            ).endpoint,
        ]
            + AssociationController(
                live: dependencies.linkResolver.catalog,
                files: dependencies.associationFiles,
                admission: dependencies.admission,
                tenants: dependencies.linkResolver.tenants
            ).endpoints
            + ClickController(
                linkResolver: dependencies.linkResolver,
                admission: dependencies.admission
            ).endpoints
    )
}
