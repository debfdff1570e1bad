import Foundation
import LinkRouting
import NIOCore
import NIOPosix
import NIOSSL
import StubMatching

/// A server for tests: it answers from stubs as WireMock does, and keeps everything in memory but the files of its
/// folder.
package final class StubServer: Sendable {
    private let configuration: StubConfiguration
    private let listener: StubListener
    private let secureListener: StubListener?
    private let sessions: StubSessions
    private let proxy: StubProxy
    private let admin: AdminAPI
    private let stopRequest: StopRequest
    private let watchedMappings: WatchedMappings?

    /// Reads the folder, and listens.
    ///
    /// - Parameter report: Called with each mapping that is left out.
    package init(
        _ configuration: StubConfiguration,
        report: (_ problem: String) -> Void = { _ in }
    ) async throws {
        let folder = configuration.folder.map(StubFolder.init)
        try folder?.refuseProductionData()
        if configuration.answersOnlyFromStubs { try folder?.refuseMisplacedMappings() }
        let stubs = try Self.stubs(configuration, folder, report)
        let journalBudget = JournalBudget(maximumBytes: configuration.journalBytes)
        let main = StubSession(
            id: nil,
            name: nil,
            stubs: stubs,
            journal: Journal(maximumCount: configuration.journalCount, budget: journalBudget),
            unmatched: configuration.unmatched,
            endpoints: try configuration.endpoints?.endpoints(of: nil, settings: nil)
        )
        let sessions = StubSessions(main: main, limit: configuration.limits.sessions, journalBudget: journalBudget)
        let proxy = StubProxy(limits: configuration.limits, id: UUID().uuidString)
        let stopRequest = StopRequest()
        let boundPort = SharedPort()
        let admin = AdminAPI(
            configuration: configuration,
            folder: folder,
            sessions: sessions,
            url: { "http://\(configuration.host):\(boundPort.value)" },
            shutDown: { stopRequest.fulfil() }
        )
        let responder = Responder(configuration: configuration, folder: folder, proxy: proxy)
        let memory = MessageMemory(limit: configuration.limits.messageBytes)
        let router = StubRouter(
            configuration: configuration,
            memory: memory,
            sessions: sessions,
            responder: responder,
            admin: admin,
            adminCallers: AdminCallers(hosts: configuration.hosts)
        )
        self.configuration = configuration
        self.sessions = sessions
        self.proxy = proxy
        self.admin = admin
        self.stopRequest = stopRequest
        watchedMappings = folder.map(WatchedMappings.init)
        let listener = try await Self.listen(configuration.port, nil, configuration, router, memory)
        self.listener = listener
        do {
            secureListener = try await Self.secureListener(configuration, router, memory)
        } catch {
            await listener.stop()
            throw error
        }
        boundPort.value = listener.port
    }

    private static func secureListener(
        _ configuration: StubConfiguration,
        _ router: StubRouter,
        _ memory: MessageMemory
    ) async throws -> StubListener? {
        guard let https = configuration.https else { return nil }
        return try await listen(https.port, try NIOSSLContext.server(https.identity), configuration, router, memory)
    }

    private static func listen(
        _ port: Int,
        _ tls: NIOSSLContext?,
        _ configuration: StubConfiguration,
        _ router: StubRouter,
        _ memory: MessageMemory
    ) async throws -> StubListener {
        do {
            return try await StubListener(
                host: configuration.host,
                port: port,
                tls: tls,
                limits: configuration.limits,
                memory: memory,
                group: MultiThreadedEventLoopGroup.singleton,
                handle: router.handle
            )
        } catch {
            throw StubStartFailure(
                kind: .address,
                description: "cannot listen on \(configuration.host):\(port): \(reason(error, configuration.host))",
                details: []
            )
        }
    }

    private static func reason(_ error: any Error, _ host: String) -> String {
        if error is SocketAddressError.UnknownHost || error is SocketAddressError {
            return "the host \(host) does not resolve to an address; choose another --bind-address"
        }
        guard let error = error as? IOError else { return "\(error)" }
        return switch error.errnoCode {
        case EADDRINUSE: "the port is in use; take another one, or --port 0 for any free one"
        case EADDRNOTAVAIL: "this machine has no address \(host); choose another --bind-address"
        default: "\(error)"
        }
    }

    private static func stubs(
        _ configuration: StubConfiguration,
        _ folder: StubFolder?,
        _ report: (String) -> Void
    ) throws -> StubStore {
        var store = StubStore()
        if let target = configuration.proxyAll {
            // The lowest priority that WireMock gives its proxy.
            let proxy = JSONNode.object(["priority": .int(10), "response": .object(["proxyBaseUrl": .string(target)])])
            store.add(try StubMapping(MappingField(proxy), templating: .off, newID: configuration.environment.newID))
        }
        guard let folder else { return store }
        let (stubs, problems) = folder.stubs(
            templating: configuration.templating,
            newID: configuration.environment.newID
        )
        if !problems.isEmpty, configuration.unreadable == .stopTheStart {
            throw StubStartFailure(
                kind: .unreadableMapping,
                description: "\(problems[0])",
                details: problems.dropFirst().prefix(20).map(\.description)
            )
        }
        for problem in problems { report(problem.description) }
        folder.mistakes(in: stubs).forEach(configuration.warn)
        for (stub, file) in stubs { store.add(stub, file: file) }
        return store
    }

    package var port: Int { listener.port }
    package var url: String { "http://\(configuration.host):\(listener.port)" }
    /// Nil without HTTPS.
    package var secureURL: String? { secureListener.map { "https://\(configuration.host):\($0.port)" } }
    /// The certificate that clients of HTTPS must trust; nil without HTTPS.
    package var authorityFile: String? { configuration.https?.identity.authorityFile }
    /// Nil without HTTPS.
    package var securePort: Int? { secureListener?.port }
    /// The number of stubs, without the proxy stubs of a recording and of `proxyAll`.
    package var stubCount: Int {
        sessions.main.rules.stubs.entries.count { $0.file != nil || $0.stub.response.proxy == nil }
    }

    /// Why stubs of the folder are probably missing: lines for people.
    package var folderWarnings: [String] {
        guard let folder = configuration.folder.map(StubFolder.init) else { return [] }
        guard configuration.answersOnlyFromStubs, folder.isWithoutStubs else { return folder.unreadFiles }
        return ["\(folder.path) has no folder 'mappings': no stub is loaded"]
    }

    /// Waits until `/__admin/shutdown` is called or `stop` runs.
    package func waitForStop() async { await stopRequest.wait() }

    /// Lets `waitForStop` return.
    package func requestStop() { stopRequest.fulfil() }

    // MARK: Changed files

    /// The polling interval of the files.
    package static let watchInterval = Duration.milliseconds(100)

    /// Reads mapping files and those of the endpoints again when they change, until the task is cancelled.
    ///
    /// - Parameter sleep: Throws when the task is cancelled.
    package func watch(
        sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        report: @Sendable (_ line: String) -> Void
    ) async {
        while (try? await sleep(Self.watchInterval)) != nil {
            let lines = await configuration.endpoints?.reload() ?? []
            for line in reloadMappings() + lines { report(line) }
        }
    }

    private func reloadMappings() -> [String] {
        guard let watchedMappings, watchedMappings.haveChanged() else { return [] }
        let problems = admin.reloadMappings(sessions.main).prefix(20).map(\.description)
        return problems.isEmpty ? ["the mappings have changed: read again"] : problems
    }

    /// Stops listening, closes all connections and ends a recording.
    package func stop() async {
        await listener.stop()
        await secureListener?.stop()
        await proxy.stop()
        stopRequest.fulfil()
    }

    /// Records the requests to a target and its answers.
    ///
    /// - Parameter headers: The names of headers that the stubs compare.
    /// - Throws: ``StubStartFailure`` if the folder has other content than stubs.
    package func record(from target: String, onlyMissing: Bool, comparing headers: [String] = []) throws {
        try configuration.folder.map(StubFolder.init)?.refuseOtherContent()
        let document = JSONNode.object([
            "targetBaseUrl": .string(target), "persist": .bool(true),
            "captureHeaders": .object(headers.map { JSONNode.Member($0, .object([:])) }),
        ])
        let specification = try RecordingSpecification(MappingField(document))
        let lowest = 1_000_000_000
        try admin.startRecording(
            specification,
            to: target,
            of: sessions.main,
            priority: onlyMissing ? lowest : nil
        )
    }

    /// Ends a recording, and returns the number of its stubs and the requests that it left out.
    package func endRecording() throws -> (stubs: Int, omitted: [String])? {
        guard let recording = try admin.stopRecording(of: sessions.main) else { return nil }
        let omitted = recording["omitted"]?.elements?.map { entry in
            "\(entry["method"]?.text ?? "") \(entry["url"]?.text ?? ""): \(entry["reason"]?.text ?? "")"
        }
        return (recording["mappings"]?.elements?.count ?? 0, omitted ?? [])
    }

    /// The JUnit report of the server and its sessions, and whether a strict session had a request that no stub answered.
    package var report: (junit: String, isFailed: Bool) {
        let all = [sessions.main] + sessions.all
        let isFailed = all.contains { $0.withState { $0.rules.unmatched == .strict && $0.hasFailure } }
        return (SessionReport.junit(all.map(SessionReport.init)), isFailed)
    }
}
