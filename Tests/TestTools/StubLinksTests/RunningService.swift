import AsyncHTTPClient
import Foundation
import HTTPTransport
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import LinkStorage
import LinkTable
import Logging
import NIOCore
import NIOHTTP1
import TestSupport

/// The public port of the service on real files, with the clock of ``RunningStub``.
struct RunningService: Sendable {
    let port: Int
    private let client: HTTPClient

    struct IncompleteDocument: Error {}

    /// Runs `body` with the service after the documents were published in it.
    static func run(
        tenants: [String],
        signingKey: TablePrivateKey,
        _ body: (RunningService) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { path in
            let directory = try DataDirectory(path + "/data", for: .create)
            let database = try CatalogDatabase(directory.catalogPath)
            let links = try ShortLinkDatabase(directory.linksPath) { .random(in: 0..<$0) }
            let log = try EventLog(directory.eventsPath) { RunningStub.now }
            let dependencies = try build(directory, database, links, log, signingKey)
            for document in tenants { try await publish(document, in: dependencies) }
            await dependencies.appTableService.signTables()
            let (ports, listening) = AsyncStream.makeStream(of: Int.self)
            let server = buildPublicServer(dependencies, at: ListenAddress(host: "127.0.0.1", port: 0)) { port in
                listening.yield(port)
            }
            let client = HTTPClient(
                eventLoopGroupProvider: .singleton,
                configuration: HTTPClient.Configuration(
                    redirectConfiguration: .disallow,
                    timeout: .init(connect: .seconds(Int64(HangLimit.seconds)))
                )
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                let recorder = dependencies.linkResolver.recorder
                group.addTask { try await recorder.run() }
                group.addTask { try await server.run() }
                let result: Result<Void, any Error>
                do {
                    var iterator = ports.makeAsyncIterator()
                    guard let port = await iterator.next() else { throw IncompleteDocument() }
                    try await body(RunningService(port: port, client: client))
                    result = .success(())
                } catch {
                    result = .failure(error)
                }
                try await client.shutdown()
                recorder.stop()
                group.cancelAll()
                while await group.nextResult() != nil {}
                try result.get()
            }
            try log.close()
            try links.close()
            try database.close()
        }
    }

    func send(
        _ method: HTTPMethod,
        _ path: String,
        host: String?,
        headers: [(String, String)],
        body: String?
    ) async throws -> Answer {
        try await Answer.of(method, port, path, host: host, headers: headers, body: body, client)
    }

    private static func publish(_ text: String, in dependencies: ServerDependencies) async throws {
        let document = try TenantDocument(text)
        guard let tenant = document.tenant, let settings = document.settings, let table = document.table else {
            throw IncompleteDocument()
        }
        let change = AuditContext(
            actor: Actor(kind: .system, id: "test", name: "test"),
            at: RunningStub.now,
            requestID: "test"
        )
        _ = try await dependencies.publishing.saveSettings(settings, of: tenant, expected: nil, change: change)
        let place = PublishingService.DraftLocation(tenant, .production)
        _ = try await dependencies.publishing.saveDraft(table, at: place, expected: nil, change: change)
        _ = try await dependencies.publishing.publish(place, change: change)
    }

    private static func build(
        _ directory: DataDirectory,
        _ database: CatalogDatabase,
        _ links: ShortLinkDatabase,
        _ log: EventLog,
        _ signingKey: TablePrivateKey
    ) throws -> ServerDependencies {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let keys = [Data(repeating: 5, count: SealingKeys.keyBytes)]
        guard let sealer = ContinuationSealer(keys: keys), let installTokens = InstallTokenSealer(keys: keys) else {
            throw IncompleteDocument()
        }
        var limits = ServerLimits()
        limits.headSeconds = HangLimit.seconds
        limits.bodySeconds = HangLimit.seconds
        return ServerDependencies.build(
            ServerEnvironment(
                now: { RunningStub.now },
                uptime: { .now },
                limiterTime: { 0 },
                sleep: { _ in },
                randomBytes: { Data((0..<$0).map { _ in UInt8.random(in: 0...255) }) },
                randomWord: { .random(in: .min ... .max) },
                addressKey: { Data(repeating: 9, count: $0) },
                seed: 1,
                software: "fingerpost test"
            ),
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
            recorder: EventRecorder(store: log, now: { RunningStub.now }, logger: logger),
            sealer: sealer,
            installTokens: installTokens,
            sink: DirectoryExportSink(directory: directory.exportsPath),
            signer: TableSigner(signingKey),
            policy: .unlimited,
            locate: nil,
            node: "test",
            metrics: MetricRegistry(),
            limits: LiveLimits(limits),
            unsent: UnsentResponses(limit: limits.unsentBytes),
            logSettings: LogSettings(),
            logger: logger
        )
    }
}
