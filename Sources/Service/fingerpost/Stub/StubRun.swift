import ArgumentParser
import Foundation
import LinkRouting
import StubLinks
import StubMatching
import StubServer
import UnixSignals

struct StubRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the stub server until standard input closes.",
        discussion: """
            EXAMPLE
              fingerpost stub run Tests/Stubs --port 0 --strict
              fingerpost stub run --tenant shop.yaml --suite shop.suite.yaml --watch

            Prints one line of JSON with the server's URLs when it is ready. It listens on the loopback address and \
            connects to nothing, unless it records or a mapping proxies. WireMock's options are accepted, too: \
            '--proxy-all URL --record-mappings' means '--record URL', and those for its log, threads, buffers and \
            timeouts have no effect.
            """
    )

    @ArgumentParser.Argument(help: "The folder with mappings and __files.") var folder: String?
    @ArgumentParser.Option(help: "The port; 0 takes any free one.") var port = 0
    @ArgumentParser.Option(help: "The address to listen on.") var bindAddress = "127.0.0.1"
    @OptionGroup var https: StubHTTPSOptions
    @Flag(help: "Do not stop when standard input closes; run in the background.") var detach = false
    @ArgumentParser.Option(help: "Where to write the process id.") var pidFile: String?
    @Flag(help: "Exit with 1 at the end if a request or a link had no answer.") var strict = false
    @Flag(help: "Skip mappings that cannot be read, instead of exiting.") var lenient = false
    @ArgumentParser.Option(help: "The time that the server sees, such as 2026-01-01T00:00:00Z.") var clock: String?
    @ArgumentParser.Option(help: "The seed for random ids, delays and template values.") var seed: UInt64?
    @ArgumentParser.Option(help: "Forward all requests to this URL, and record its responses into the folder.")
    var record: String?
    @Flag(help: "With --record: forward and record only requests that no stub answers.") var onlyMissing = false
    @OptionGroup var masking: StubMaskOptions
    @ArgumentParser.Option(help: "Forward requests that no stub answers to this URL.") var proxyAll: String?
    @ArgumentParser.Option(help: "How many requests the journal keeps.")
    var maxRequestJournalEntries = Journal.defaultMaximumCount
    @Flag(help: "Treat every response as a template.") var globalResponseTemplating = false
    @Flag(help: "Read mappings, tenant files and suites again when they change.") var watch = false
    @OptionGroup(title: "Links") var links: StubLinkOptions
    @Flag(help: "Do not compress answers for clients that accept gzip.") var disableGzip = false
    @Flag(help: "Let web pages of every site read the answers (CORS).") var enableStubCors = false
    @OptionGroup(visibility: .hidden) var wireMock: StubWireMockOptions
    /// Words behind the folder, such as in 'stub start FOLDER'.
    @ArgumentParser.Argument(help: .hidden) var others: [String] = []

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be a number from 0 to 65535.") }
        guard clock.map({ Timestamp($0) != nil }) ?? true else {
            throw ValidationError("--clock must be a time such as 2026-01-01T00:00:00Z.")
        }
        guard maxRequestJournalEntries >= 0 else {
            throw ValidationError("--max-request-journal-entries must be at least 0.")
        }
        guard folder == nil || wireMock.rootDir == nil else {
            throw ValidationError("Name the folder once, without --root-dir.")
        }
        guard !wireMock.recordMappings || proxyAll != nil else {
            throw ValidationError("--record-mappings needs --proxy-all URL; together they mean --record URL.")
        }
        guard recordingTarget == nil || journalCount > 0 else {
            throw ValidationError("--record needs the journal, which is turned off.")
        }
        guard wireMock.matchHeaders == nil || recordingTarget != nil else {
            throw ValidationError("--match-headers needs --record.")
        }
        guard recordingTarget == nil || (folder ?? wireMock.rootDir) != nil else {
            throw ValidationError("--record needs a folder.")
        }
        try links.validate(folder ?? wireMock.rootDir)
        guard !watch || (folder ?? wireMock.rootDir) != nil || !links.tenant.isEmpty else {
            throw ValidationError("--watch needs a folder, or a tenant file; name one with --tenant.")
        }
        guard !onlyMissing || recordingTarget != nil else { throw ValidationError("--only-missing needs --record.") }
        for (option, target) in [("--record", record), ("--proxy-all", proxyAll)] {
            if let problem = target.flatMap(proxyTargetProblem) { throw ValidationError("\(option): \(problem)") }
        }
    }

    /// The target of a recording; nil without one.
    private var recordingTarget: String? { record ?? (wireMock.recordMappings ? proxyAll : nil) }

    private var journalCount: Int { wireMock.noRequestJournal ? 0 : maxRequestJournalEntries }

    func run() async throws {
        // Not in validate(), which runs before an unknown option is reported.
        if let other = others.first {
            throw ValidationError(
                folder == "start"
                    ? "'start' is not a command of 'fingerpost stub'; write 'fingerpost stub \(other)'."
                    : "Unexpected argument '\(other)'"
            )
        }
        if detach { return try StubDetachment(pidFile: pidFile).start() }
        let process = try pidFile.map(StubPIDFile.init(creating:))
        defer { process?.remove() }
        do {
            try await serve()
            process?.noteEnd(.success)
        } catch {
            process?.noteEnd((error as? CommandFailure).map { ExitCode($0.status.rawValue) } ?? .failure)
            throw error
        }
    }

    /// Serves until the end. Throws what makes the run a failure.
    private func serve() async throws {
        wireMock.reportIgnored()
        let configuration = try stubConfiguration
        let links = try await links.endpoints(folder: configuration.folder, environment: configuration.environment)
        let server = try await start(configuration, links)
        if recordingTarget == nil {
            for line in server.folderWarnings { warn("fingerpost: \(line)") }
        }
        // Checked before the announcement, because a client that reads it may close the input immediately.
        let inputWasOpen = StandardInput.isWaiting
        try announce(server, links)
        try StubDetachment.redirectMessages(besides: pidFile)
        if !StubDetachment.isDetached { stopAtEndOfInput(server, inputWasOpen) }
        await waitForEnd(of: server)
        let (report, url) = (server.report, server.url)
        let recording = try server.endRecording()
        await server.stop()
        await links?.stop()
        if let recording {
            for line in recording.omitted { warn("fingerpost: not recorded: \(line)") }
            guard recording.stubs > 0 || recording.omitted.isEmpty else {
                let target = recordingTarget ?? "the target"
                throw fail(
                    "nothing was recorded; check that \(target) is the service to record, and answers.",
                    .unavailable
                )
            }
            warn("fingerpost: recorded \(recording.stubs.counted("stub"))")
        }
        guard !report.isFailed else {
            throw fail(
                "a request or a link had no answer; 'fingerpost stub report \(url)', before the server stops, "
                    + "prints which.",
                .failed
            )
        }
    }

    private func start(_ configuration: StubConfiguration, _ links: StubLinks?) async throws -> StubServer {
        var configuration = configuration
        configuration.endpoints = links
        do {
            let server = try await StubServer(configuration) { warn("fingerpost: left out: \($0)") }
            if let recordingTarget {
                try server.record(
                    from: recordingTarget,
                    onlyMissing: onlyMissing,
                    comparing: wireMock.comparedHeaders
                )
            }
            return server
        } catch let failure as StubStartFailure {
            let status: ExitStatus =
                switch failure.kind {
                case .unreadableMapping: .unreadableInput
                case .address: .unavailable
                case .productionData: .wrongConfiguration
                case .otherContent: .wrongConfiguration
                }
            throw fail(failure.description, status, more: failure.details)
        }
    }

    private var stubConfiguration: StubConfiguration {
        get throws {
            var configuration = StubConfiguration()
            configuration.folder = folder ?? wireMock.rootDir
            if let folder = configuration.folder { try makeOrCheck(folder) }
            configuration.host = bindAddress
            configuration.port = port
            configuration.names = https.httpsName.compactMap(ServerName.init)
            configuration.https = try https.configuration(for: configuration.hosts)
            configuration.templating = globalResponseTemplating ? .everywhere : .perStub
            configuration.journalCount = journalCount
            configuration.proxyAll = wireMock.recordMappings ? nil : proxyAll
            configuration.unmatched = strict ? .strict : .allowed
            configuration.unreadable = lenient ? .leftOut : .stopTheStart
            configuration.compression = disableGzip ? .off : .gzip
            configuration.crossOrigin = enableStubCors ? .allowed : .asStubsSay
            configuration.mask = masking.mask
            configuration.warn = { warn("fingerpost: \($0)") }
            if let clock, let instant = Timestamp(clock) { configuration.environment.now = { instant } }
            if let seed { configuration.environment.random = StubEnvironment.seededRandom(seed) }
            return configuration
        }
    }

    /// Makes the folder of a recording. Throws if another one does not exist, or is a file.
    private func makeOrCheck(_ folder: String) throws {
        var isFolder: ObjCBool = false
        if !FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) {
            guard recordingTarget != nil else {
                throw fail("the folder '\(folder)' does not exist; check the path.", .unreadableInput)
            }
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } else if !isFolder.boolValue {
            throw fail(
                "\(folder) is not a folder; name one with 'mappings', or a tenant file with --tenant.",
                .unreadableInput
            )
        }
    }

    private func announce(_ server: StubServer, _ links: StubLinks?) throws {
        let line = JSONNode.object([
            "url": .string(server.url),
            "httpsURL": server.secureURL.map(JSONNode.string),
            "admin": .string("\(server.url)/__admin"),
            "port": .int(server.port),
            "httpsPort": server.securePort.map { .int($0) },
            "ca": server.authorityFile.map(JSONNode.string),
            "pid": .int(getpid()),
            "stubs": .int(server.stubCount),
            "tenants": links.map { .int($0.tenantCount) },
            "links": links.map { _ in .string("\(server.url)/__links") },
            "tableKey": links.map { .string($0.tableKey) },
        ])
        StandardOutput.write(line.json() + "\n")
        try StandardOutput.flush()
    }

    /// Returns on a signal, or when the admin API or the end of standard input asks for it.
    private func waitForEnd(of server: StubServer) async {
        await withTaskGroup(of: Void.self) { group in
            // The start is over.
            CodePages.release()
            group.addTask { await server.waitForStop() }
            group.addTask {
                for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint) { return }
            }
            if watch {
                // It ends only when the group is cancelled.
                group.addTask { await server.watch { warn("fingerpost: \($0)") } }
            }
            await group.next()
            server.requestStop()
            group.cancelAll()
        }
    }

    /// Reading blocks, so it has a thread of its own, which ends with the process.
    private func stopAtEndOfInput(_ server: StubServer, _ inputWasOpen: Bool) {
        Thread.detachNewThread {
            if !StandardInput.readToEnd() && !inputWasOpen {
                warn(
                    "fingerpost: standard input is closed, so the stub server stops; "
                        + "with --detach and --pid-file it goes on in the background"
                )
            }
            server.requestStop()
        }
    }
}
