import Foundation
package import HTTPTransport
package import LinkCatalog
package import LinkEvents
package import LinkRouting
package import Logging
package import Networking

extension ServerDependencies {
    /// Builds the object graph of the public and the admin port, for the process and for tests.
    ///
    /// - Parameters:
    ///   - served: What the public port and this node's own work read; nil for the store.
    ///   - recorder: Writes to `log`. The caller runs it.
    ///   - signer: Signs the tables of apps; nil if no key is configured.
    ///   - keys: The keys that exist.
    ///   - noteUse: Called with a key's id and the hour of its use.
    package static func build(
        _ environment: ServerEnvironment,
        store: any CatalogStore,
        served: (any CatalogStore)? = nil,
        shortLinks: any ShortLinkStore,
        log: ServiceLog,
        recorder: EventRecorder,
        sealer: ContinuationSealer,
        installTokens: InstallTokenSealer,
        sink: any ExportSink,
        signer: TableSigner? = nil,
        keys: [KeyGrant] = [],
        noteUse: @escaping @Sendable (_ id: KeyID, _ hour: Timestamp) -> Void = { _, _ in },
        maximumRoutes: Int = RouteTable.maximumRoutes,
        maximumDrafts: Int = 64,
        policy: AdmissionPolicy,
        proxyProtocol: ProxyProtocol = .off,
        locate: (@Sendable (NetworkAddress) -> String?)?,
        node: String,
        isRecording: Bool = true,
        metrics: MetricRegistry,
        limits: LiveLimits,
        unsent: UnsentResponses,
        logSettings: LogSettings,
        logger: Logger
    ) -> ServerDependencies {
        let served = served ?? store
        let files = AssociationFileCache()
        let appTables = AppTableCache(signer: signer)
        let tenants = TenantMetrics(metrics: metrics)
        let catalog = LiveCatalog {
            files.update(for: $0, isStart: $1)
            tenants.add(tenantsOf: $0)
            appTables.update(for: $0)
        }
        let publicQueue = WorkQueue(threads: 1)
        let clients = ClientCheck(analytics: log.analytics, now: environment.now)
        let editorQueue = WorkQueue()
        let linkCheck = ShortLinkCheck(
            links: shortLinks,
            analytics: log.analytics,
            queue: editorQueue,
            catalog: catalog,
            now: environment.now,
            uptime: environment.uptime
        )
        let publishing = PublishingService(
            store: store,
            queue: editorQueue,
            maximumRoutes: maximumRoutes,
            maximumTableBytes: { limits.tableBytes },
            maximumDrafts: maximumDrafts,
            random: environment.randomBytes,
            known: { catalog.known },
            clientFindings: { content, location, settings in
                try await clients.findings(
                    for: content,
                    of: location.tenant,
                    in: location.environment,
                    minimum: settings.minimumClient
                )
            },
            linkFindings: { try await linkCheck.findings(for: $0) }
        ) { suite, table, budget in
            suite.run(against: table, at: environment.now(), within: budget)
        } prepare: {
            try files.prepare($0, unless: $1)
        } onPublication: { revision, tenant, change in
            logger.info(
                "revision published",
                metadata: [
                    "tenant": "\(tenant)", "environment": "\(revision.environment)",
                    "revision": .stringConvertible(revision.revision.rawValue),
                    "routes": .stringConvertible(revision.routeCount), "origin": "\(revision.origin.name)",
                    "actor": "\(revision.actor.name)", "actor.id": "\(revision.actor.id)",
                    "request_id": "\(change.requestID)",
                ]
            )
        } onCommit: {
            for table in catalog.update(from: $0) {
                logger.error(
                    "a tenant's table or settings cannot be read; replace them with PUT …/settings or publish a table",
                    metadata: [
                        "tenant": "\(table.tenant)", "environment": "\(table.environment)", "error": "\(table.reason)",
                    ]
                )
            }
        }
        let exporter = ExportService(
            store: log.events,
            ledger: log.exports,
            sink: sink,
            recorder: recorder,
            plans: { catalog.current.tables.map { ExportPlan($0) } },
            webhooks: log.webhooks,
            now: environment.now,
            uptime: environment.uptime,
            sleep: environment.sleep,
            node: log.dropCopies == nil ? nil : node,
            software: environment.software,
            logger: logger
        )
        let authenticator = APIKeyAuthenticator(keys, now: environment.now, noteUse: noteUse)
        let keyIssuer = APIKeyIssuer(store: store, authenticator: authenticator, random: environment.randomBytes)
        let admission = Admission(
            policy,
            seed: environment.seed,
            metrics: metrics,
            uptime: environment.limiterTime
        )
        let linkResolver = LinkResolver(
            catalog: catalog,
            recorder: recorder,
            sealer: sealer,
            installTokens: installTokens,
            eventIDs: EventIDGenerator(random: environment.randomWord),
            addressKeys: AddressKeys(random: environment.addressKey),
            locate: locate,
            now: environment.now,
            uptime: environment.uptime,
            node: node,
            isRecording: isRecording,
            tenants: tenants,
            shortLinks: shortLinks,
            admission: admission
        )
        return ServerDependencies(
            linkResolver: linkResolver,
            appEvents: AppEventRecorder(
                linkResolver: linkResolver,
                tables: RevisionTables(store: served, queue: publicQueue, uptime: environment.uptime),
                metrics: metrics,
                logger: logger
            ),
            associationFiles: files,
            appTables: appTables,
            appTableService: AppTableService(
                cache: appTables,
                store: served,
                queue: publicQueue,
                now: environment.now,
                sleep: environment.sleep,
                logger: logger
            ),
            keys: authenticator,
            admission: admission,
            keyIssuer: keyIssuer,
            publishing: publishing,
            publicQueue: publicQueue,
            store: store,
            shortLinks: shortLinks,
            exporter: exporter,
            retention: RetentionService(
                days: log.days,
                rules: { catalog.current.retentionRules },
                removeElsewhere: { now in
                    // Rows must be dropped all the same: the disk may be full, or the catalog's database away.
                    for (what, work) in [
                        ("short links", { try await shortLinks.deleteOldLinks(of: served, at: now) }),
                        ("keys", { try await keyIssuer.removeEndedKeys(at: now) }),
                        (
                            "events in PostgreSQL",
                            { try await log.dropCopies?(catalog.current.retentionRules, now.day) }
                        ),
                    ] as [(String, () async throws -> Void)] {
                        do { try await work() } catch let error where !(error is CancellationError) {
                            logger.error(
                                "old \(what) could not be deleted; the next pass of retention continues",
                                metadata: ["error": "\(error)"]
                            )
                        }
                    }
                },
                now: environment.now,
                sleep: environment.sleep,
                logger: logger
            ),
            eraser: Eraser(
                days: log.days,
                recorder: recorder,
                exporter: exporter,
                eraseElsewhere: { install, tenant, now in
                    _ = try await shortLinks.eraseInstall(Data(install.bytes), of: tenant, at: now)
                },
                now: environment.now,
                logger: logger
            ),
            log: log,
            replayer: Replayer(history: log.history, publishing: publishing, now: environment.now),
            metrics: metrics,
            limits: limits,
            unsent: unsent,
            traces: TraceSource(seed: environment.seed),
            logSettings: logSettings,
            proxyProtocol: proxyProtocol,
            logger: logger
        )
    }
}
