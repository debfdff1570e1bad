import LinkService

/// The endpoints of the public port.
func publicRouter(_ dependencies: PublicDependencies) -> PublicRouter {
    PublicRouter(
        [
            OpenAPIController(document: .publicPort).endpoint,
            ResolveController(
                resolving: dependencies.resolving,
                limits: dependencies.limits,
                admission: dependencies.admission
            ).endpoint,
            AppEventController(
                resolving: dependencies.resolving,
                recorder: dependencies.appEvents,
                limits: dependencies.limits,
                admission: dependencies.admission
            ).endpoint,
            AppTableController(
                live: dependencies.resolving.catalog,
                tables: dependencies.appTables,
                admission: dependencies.admission
            ).endpoint,
        ]
            + AssociationController(
                live: dependencies.resolving.catalog,
                files: dependencies.associationFiles,
                admission: dependencies.admission,
                tenants: dependencies.resolving.tenants
            ).endpoints
            + ClickController(resolving: dependencies.resolving, admission: dependencies.admission).endpoints
    )
}
