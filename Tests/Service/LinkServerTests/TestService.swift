import Examples
import Foundation
import HTTPTransport
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import LinkStorage
import Logging
import Networking
import Synchronization
import TestSupport

/// The service on real files, with a clock that only the test moves.
struct TestService: Sendable {
    let dependencies: ServerDependencies
    let clock: TestClock
    let directory: String
    let log: EventLog
    let health = Health()
    let readings = MetricReadings()
    let admin = TestAdminPort()

    /// Writes and publishes a tenant document.
    func load(_ text: String) async throws {
        let document = try TenantDocument(text)
        guard let tenant = document.tenant, let settings = document.settings, let table = document.table else {
            throw IncompleteDocument()
        }
        let change = AuditContext(
            actor: Actor(kind: .system, id: "test", name: "test"),
            at: clock.now,
            requestID: "test"
        )
        _ = try await dependencies.publishing.saveSettings(settings, of: tenant, expected: nil, change: change)
        let location = PublishingService.DraftLocation(tenant, .production)
        _ = try await dependencies.publishing.saveDraft(table, at: location, expected: nil, change: change)
        _ = try await dependencies.publishing.publish(location, change: change)
    }

    struct IncompleteDocument: Error {}

    func makeKey(
        tenant: String? = nil,
        scopes: Set<KeyGrant.Scope> = [.admin],
        expiresAt: Timestamp? = nil
    ) throws -> String {
        guard let key = APIKey(environment: .production, random: Data(repeating: 7, count: 41)) else {
            throw IncompleteDocument()
        }
        let grant = KeyGrant(
            id: key.id,
            secretHash: key.secretHash,
            tenant: tenant.flatMap { TenantID($0) },
            scopes: scopes,
            createdAt: clock.now,
            expiresAt: expiresAt,
            name: "test"
        )
        dependencies.keys.add(grant)
        return key.token
    }

    func events(of tenant: String) async throws -> [Event] {
        guard let tenant = TenantID(tenant) else { return [] }
        return try await log.events(of: tenant, in: 1...100_000, limit: 100_000).map(\.event)
    }

    /// The `-` of links without a tenant.
    func unownedEvents() async throws -> [Event] {
        try await log.events(of: .none, in: 1...100_000, limit: 100_000).map(\.event)
    }
}

final class TestClock: Sendable {
    private let instant = Mutex(Timestamp(milliseconds: 1_795_255_200_000))

    var now: Timestamp { instant.withLock(\.self) }

    private let reading = Mutex((instant: ContinuousClock.now, step: Duration.zero))

    /// Goes on by one step with each reading.
    var uptime: ContinuousClock.Instant {
        reading.withLock { reading in
            defer { reading.instant += reading.step }
            return reading.instant
        }
    }

    func setStep(_ step: Duration) { reading.withLock { $0.step = step } }

    func advance(seconds: Int64) {
        instant.withLock { $0 = Timestamp(milliseconds: $0.milliseconds + seconds * 1_000) }
    }
}

/// A log that fails for some events.
struct FailingStore: EventStore {
    let log: EventLog
    let failure: @Sendable ([Event]) -> EventStoreError?

    func lastSequence() async throws -> Int64 { try await log.lastSequence() }

    func append(_ events: [Event]) async throws -> Appended {
        if let error = failure(events) { throw error }
        return try await log.append(events)
    }

    func events(of tenant: TenantID, in range: ClosedRange<Int64>, limit: Int) async throws -> [StoredEvent] {
        try await log.events(of: tenant, in: range, limit: limit)
    }
}

/// A catalog in which the five example tenants are published. Publishing them takes longer than most tests, so each test
/// copies the file.
private enum ExampleCatalog {
    private static let file = Task {
        try await withTemporaryDirectory { path in
            let clock = TestClock()
            let directory = try DataDirectory(path, for: .create)
            let database = try CatalogDatabase(directory.catalogPath)
            let links = try openLinks(in: directory)
            let log = try EventLog(directory.eventsPath) { clock.now }
            let service = try makeService(directory, database, links, log, clock)
            for (_, document) in Examples.tenants { try await service.load(document) }
            try log.close()
            try links.close()
            try database.close()
            return try Data(contentsOf: URL(filePath: directory.catalogPath))
        }
    }

    static func write(to path: String) async throws { try await file.value.write(to: URL(filePath: path)) }
}

/// Runs `body` with the service and the five example tenants in a fresh folder; the recorder writes until it returns.
///
/// - Parameter sink: Nil for a folder of the data directory.
func withService<Value: Sendable>(
    failing failure: @escaping @Sendable ([Event]) -> EventStoreError? = { _ in nil },
    locating locate: (@Sendable (NetworkAddress) -> String?)? = nil,
    admitting policy: AdmissionPolicy = .unlimited,
    dayBytes: Int = 0,
    exportingTo sink: (any ExportSink)? = nil,
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
    _ body: (TestService) async throws -> Value
) async throws -> Value {
    try await withTemporaryDirectory { path in
        let clock = TestClock()
        let directory = try DataDirectory(path + "/data", for: .create)
        try await ExampleCatalog.write(to: directory.catalogPath)
        let database = try CatalogDatabase(directory.catalogPath)
        let links = try openLinks(in: directory)
        let log = try EventLog(directory.eventsPath) { clock.now }
        let service = try makeService(
            directory,
            database,
            links,
            log,
            clock,
            failing: failure,
            locating: locate,
            admitting: policy,
            dayBytes: dayBytes,
            exportingTo: sink,
            logger: logger
        )
        try await service.dependencies.publishing.reload()
        let recorder = service.dependencies.linkResolver.recorder
        let value = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await recorder.run() }
            let result: Result<Value, any Error>
            do { result = .success(try await body(service)) } catch { result = .failure(error) }
            recorder.stop()
            try await group.waitForAll()
            return try result.get()
        }
        try log.close()
        try links.close()
        try database.close()
        return value
    }
}

private func openLinks(in directory: DataDirectory) throws -> ShortLinkDatabase {
    try ShortLinkDatabase(directory.linksPath) { .random(in: 0..<$0) }
}

func makeService(
    _ directory: DataDirectory,
    _ database: CatalogDatabase,
    _ links: ShortLinkDatabase,
    _ log: EventLog,
    _ clock: TestClock,
    failing failure: @escaping @Sendable ([Event]) -> EventStoreError? = { _ in nil },
    locating locate: (@Sendable (NetworkAddress) -> String?)? = nil,
    admitting policy: AdmissionPolicy = .unlimited,
    dayBytes: Int = 0,
    exportingTo sink: (any ExportSink)? = nil,
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
) throws -> TestService {
    let recorder = EventRecorder(
        store: FailingStore(log: log, failure: failure),
        now: { clock.now },
        dayBytes: dayBytes,
        logger: logger
    )
    let keys = [Data(repeating: 5, count: SealingKeys.keyBytes)]
    guard let sealer = ContinuationSealer(keys: keys), let installTokens = InstallTokenSealer(keys: keys) else {
        throw TestService.IncompleteDocument()
    }
    var limits = ServerLimits()
    // On a busy machine, the limits of production would end connections of tests that are about something else.
    limits.headSeconds = HangLimit.seconds
    limits.bodySeconds = HangLimit.seconds
    limits.idleSeconds = HangLimit.seconds
    limits.stalledSeconds = HangLimit.seconds
    limits.proxyHeaderSeconds = HangLimit.seconds
    // A tail tells what there is and ends.
    limits.tailSeconds = 0
    let environment = ServerEnvironment(
        now: { clock.now },
        uptime: { clock.uptime },
        limiterTime: { UInt64(clock.now.milliseconds) * 1_000_000 },
        sleep: { _ in },
        randomBytes: { Data((0..<$0).map { _ in UInt8.random(in: 0...255) }) },
        randomWord: { 1 },
        addressKey: { Data(repeating: 9, count: $0) },
        seed: 1,
        software: "fingerpost test"
    )
    let dependencies = ServerDependencies.build(
        environment,
        store: database,
        shortLinks: links,
        log: ServiceLog(
            events: log,
            history: log,
            analytics: log,
            days: log,
            exports: log.exportLedger,
            webhooks: nil
        ),
        recorder: recorder,
        sealer: sealer,
        installTokens: installTokens,
        sink: sink ?? DirectoryExportSink(directory: directory.exportsPath),
        policy: policy,
        locate: locate,
        node: "test",
        metrics: MetricRegistry(),
        limits: LiveLimits(limits),
        unsent: UnsentResponses(limit: limits.unsentBytes),
        logSettings: LogSettings(),
        logger: logger
    )
    return TestService(dependencies: dependencies, clock: clock, directory: directory.servicePath, log: log)
}
