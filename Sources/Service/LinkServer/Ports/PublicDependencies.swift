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
    /// Resolves the links of slow tables, each of which takes milliseconds.
    package var lookupPool = WorkQueue.forLookups()
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
        dependencies.lookupPool = lookupPool
        dependencies.tracePool = tracePool
        return dependencies
    }
}

extension WorkQueue {
    /// A pool for the links of slow tables. A burst of a tenant's clicks waits, and some tenants' bursts do not keep out
    /// the others.
    static func forLookups() -> WorkQueue { WorkQueue(waitingOfOwner: 256, waiting: 8_192) }

    /// A pool for traces. At most 64 requests wait, because their clients wait as well.
    static func forTraces() -> WorkQueue { WorkQueue(waitingOfOwner: 16, waiting: 64) }
}
