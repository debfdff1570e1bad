import Foundation
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
package import LinkTable
package import Logging
import Networking
package import StubMatching
package import StubServer
import Synchronization

/// The link endpoints of a stub server: those of the service, for the tables of tenant files and without its storage.
package final class StubLinks: StubEndpoints {
    package struct Configuration: Sendable {
        /// The paths of tenant files.
        package var tenants: [String] = []
        /// The paths of suites, whose links a page lists.
        package var suites: [String] = []
        /// A folder whose folders `tenants` and `suites` are read, too.
        package var folder: String?
        /// Signs the tables of apps; nil makes a key for this run.
        package var signingKey: TablePrivateKey?
        package var environment = StubEnvironment()
        package var logger = Logger(label: "fingerpost.stub") { _ in SwiftLogNoOpLogHandler() }

        package init() {}
    }

    let now: @Sendable () -> Timestamp
    let limits = LiveLimits(ServerLimits())
    private let configuration: Configuration
    private let files: LinkFiles
    private let documents: TenantDocuments
    private let live: LiveCatalog
    private let associationFiles = AssociationFileCache()
    private let appTables: AppTableCache
    private let tableService: AppTableService
    private let queue = WorkQueue(threads: 1)
    private let shortLinks = TenantLinks()
    /// The tenants whose files have no short links.
    private let unlinked = Mutex<Set<TenantID>>([])
    private let metrics = MetricRegistry()
    private let tenantMetrics: TenantMetrics
    private let admission: Admission
    private let recorder: EventRecorder
    private let recording: Task<Void, Never>
    private let sealer: ContinuationSealer
    private let installTokens: InstallTokenSealer
    private let traces: TraceSource
    private let sessionCount = Mutex(0)
    private let liveSuites = Mutex<[LinkSuite]>([])

    /// Reads the files and makes everything that requests need.
    ///
    /// - Throws: ``UnusableFile``.
    package init(_ configuration: Configuration) async throws {
        self.configuration = configuration
        let (now, random) = (configuration.environment.now, configuration.environment.random)
        self.now = now
        files = LinkFiles(
            tenants: configuration.tenants,
            suites: configuration.suites,
            folder: configuration.folder
        )
        let content = try await files.read()
        let key = try configuration.signingKey ?? TablePrivateKey(seed: Array(Self.bytes(32, random)))
        let keys = [Self.bytes(SealingKeys.keyBytes, random)]
        guard let sealer = ContinuationSealer(keys: keys), let installTokens = InstallTokenSealer(keys: keys) else {
            preconditionFailure("the key has the length of a key")
        }
        self.sealer = sealer
        self.installTokens = installTokens
        traces = TraceSource(seed: random())
        documents = TenantDocuments(now: now)
        let appTables = AppTableCache(signer: TableSigner(key))
        self.appTables = appTables
        let tenantMetrics = TenantMetrics(metrics: metrics)
        self.tenantMetrics = tenantMetrics
        let associationFiles = associationFiles
        live = LiveCatalog {
            associationFiles.update(for: $0, isStart: $1)
            tenantMetrics.add(tenantsOf: $0)
            appTables.update(for: $0)
        }
        admission = Admission(.unlimited, seed: random(), metrics: metrics, uptime: { 0 })
        tableService = AppTableService(
            cache: appTables,
            store: documents,
            queue: queue,
            now: now,
            sleep: { _ in },
            logger: configuration.logger
        )
        // The limit on events without an owner needs a running clock.
        let recorder = EventRecorder(
            store: ReportNumbers(),
            now: StubEnvironment.systemTime,
            logger: configuration.logger
        )
        self.recorder = recorder
        // `stop` awaits it. It fails only if the store does, and this store cannot.
        recording = Task { try? await recorder.run() }
        try await publish(content)
    }

    private static func bytes(_ count: Int, _ random: () -> UInt64) -> Data {
        Data((0..<count).map { _ in UInt8(truncatingIfNeeded: random()) })
    }

    /// The number of tenants.
    package var tenantCount: Int { Set(catalog.tables.map(\.tenant)).count }
    /// The public key that apps pin to accept the signed tables.
    package var tableKey: String { appTables.signer.map { "\($0.publicKey)" } ?? "" }

    var catalog: Catalog { live.current }
    var suites: [LinkSuite] { liveSuites.withLock(\.self) }

    /// Ends the work in the background.
    package func stop() async {
        recorder.stop()
        await recording.value
    }

    // MARK: Files

    private func publish(_ content: LinkFiles.Content) async throws {
        liveSuites.withLock { $0 = content.suites }
        live.update(from: try documents.update(content.tenants))
        shortLinks.replace(
            by: Dictionary(content.tenants.map { ($0.tenant, $0.links ?? []) }, uniquingKeysWith: { first, _ in first })
        )
        unlinked.withLock { $0 = Set(content.tenants.filter { $0.links == nil }.map(\.tenant)) }
        if !associationFiles.isComplete { try await associationFiles.makeMissing(on: queue) }
        await tableService.signTables()
    }

    /// Reads the files that have changed, and serves the new tables. A file with errors leaves its tenant unchanged.
    ///
    /// - Returns: Lines for people about the files that were read and their errors.
    @discardableResult
    package func reload() async -> [String] {
        let change = await files.readChanges()
        var lines = change.problems
        guard let content = change.content else { return lines }
        do {
            try await publish(content)
            lines += change.changedFiles.map { "\($0): read again" }
        } catch {
            lines.append("the tables cannot be used: \(error)")
        }
        return lines
    }

    // MARK: Sessions

    package func endpoints(
        of session: String?,
        settings: MappingField?
    ) throws(MappingError) -> any SessionEndpoints {
        LinkSession(self, facts: try settings.map { field throws(MappingError) in try LinkFacts(field) } ?? LinkFacts())
    }

    /// Makes the endpoints of the service with the facts of a session.
    func makeEndpoints(for facts: SessionFacts, keys: APIKeyAuthenticator) -> LinkEndpoints {
        let now = now
        let sessionNow: @Sendable () -> Timestamp = { facts.current.clock ?? now() }
        let linkResolver = LinkResolver(
            catalog: live,
            recorder: recorder,
            sealer: sealer,
            installTokens: installTokens,
            eventIDs: EventIDGenerator(random: configuration.environment.random),
            addressKeys: AddressKeys(random: { [random = configuration.environment.random] in Self.bytes($0, random) }),
            locate: { _ in facts.current.country },
            now: sessionNow,
            uptime: { .now },
            node: nextNode(),
            tenants: tenantMetrics,
            shortLinks: shortLinks,
            admission: admission,
            observe: { [self] link in
                RequestLinks.current?.append(link, hasShortLinks: !unlinked.withLock { $0.contains(link.event.tenant) })
            }
        )
        let dependencies = PublicDependencies(
            linkResolver: linkResolver,
            appEvents: AppEventRecorder(
                linkResolver: linkResolver,
                tables: RevisionTables(store: documents, queue: queue, uptime: { .now }),
                metrics: metrics,
                logger: configuration.logger
            ),
            associationFiles: associationFiles,
            appTables: appTables,
            limits: limits,
            admission: admission,
            keys: keys
        )
        return LinkEndpoints(dependencies, metrics: metrics, traces: traces, logger: configuration.logger)
    }

    /// A name that no other session has, so that ``ReportNumbers`` distinguishes their reports.
    private func nextNode() -> String {
        sessionCount.withLock { count in
            count += 1
            return "stub-\(count)"
        }
    }
}
