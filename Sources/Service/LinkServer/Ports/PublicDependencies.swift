package import LinkCatalog

/// The dependencies of the endpoints of the public port.
package struct PublicDependencies: Sendable {
    package var linkResolver: LinkResolver
    package var appEvents: AppEventRecorder
    package var associationFiles: AssociationFileCache
    package var appTables: AppTableCache
    package var limits: LiveLimits
    package var admission: Admission
    package var keys: APIKeyAuthenticator
    /// Computes the traces of `explain`. A caller may ask for many, and each takes longer than a lookup.
    package var tracePool = WorkQueue.forTraces()

    package init(
        linkResolver: LinkResolver,
        appEvents: AppEventRecorder,
        associationFiles: AssociationFileCache,
        appTables: AppTableCache,
        limits: LiveLimits,
        admission: Admission,
        keys: APIKeyAuthenticator
    ) {
        self.linkResolver = linkResolver
        self.appEvents = appEvents
        self.associationFiles = associationFiles
        self.appTables = appTables
        self.limits = limits
        self.admission = admission
        self.keys = keys
    }
}

extension ServerDependencies {
    var publicDependencies: PublicDependencies {
        var dependencies = PublicDependencies(
            linkResolver: linkResolver,
            appEvents: appEvents,
            associationFiles: associationFiles,
            appTables: appTables,
            limits: limits,
            admission: admission,
            keys: keys
        )
        dependencies.tracePool = tracePool
        return dependencies
    }
}

extension WorkQueue {
    /// A pool for traces. At most 64 requests wait, because their clients wait as well.
    static func forTraces() -> WorkQueue { WorkQueue(waitingOfOwner: 16, waiting: 64) }
}
