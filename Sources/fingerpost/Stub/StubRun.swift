import ArgumentParser
import Foundation
import LinkCommands
import LinkRouting
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

            Prints one line of JSON with the server's URLs when it is ready. It listens on the loopback address and \
            connects to nothing, unless it records or a mapping proxies. Names of WireMock's options are taken as well.
            """
    )

    @ArgumentParser.Argument(help: "The folder with mappings and __files.") var folder: String?
    @ArgumentParser.Option(help: "The port; 0 takes any free one.") var port = 0
    @ArgumentParser.Option(help: "The address to listen on.") var bindAddress = "127.0.0.1"
    @Flag(help: "Do not stop when standard input closes; run in the background.") var detach = false
    @ArgumentParser.Option(help: "Where to write the process id.") var pidFile: String?
    @Flag(help: "Fail the run at the first request that no stub answers.") var strict = false
    @Flag(help: "Leave out unreadable mappings instead of stopping.") var lenient = false
    @ArgumentParser.Option(help: "The time that the server sees, such as 2026-01-01T00:00:00Z.") var clock: String?
    @ArgumentParser.Option(help: "Makes ids, delays and templates the same in each run.") var seed: UInt64?
    @ArgumentParser.Option(help: "Record what this URL answers into the folder.") var record: String?
    @Flag(help: "With --record: only what no stub answers.") var onlyMissing = false
    @ArgumentParser.Option(help: "A member of JSON bodies to mask; may be repeated.") var maskField: [String] = []
    @Flag(help: "Show credentials and cookies in the journal and in recordings.") var showSecrets = false
    @ArgumentParser.Option(help: "Send what no stub answers to this URL.") var proxyAll: String?
    @ArgumentParser.Option(help: "How many requests the journal keeps.")
    var maxRequestJournalEntries = Journal.defaultMaximumCount
    @Flag(help: "Treat every response as a template.") var globalResponseTemplating = false
    @Flag(help: .hidden) var localResponseTemplating = false
    @Flag(help: .hidden) var disableGzip = false
    @Flag(help: .hidden) var disableBanner = false
    @ArgumentParser.Option(help: .hidden) var rootDir: String?

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be a number from 0 to 65535.") }
        guard clock.map({ Timestamp($0) != nil }) ?? true else {
            throw ValidationError("--clock must be a time such as 2026-01-01T00:00:00Z.")
        }
        guard maxRequestJournalEntries >= 0 else {
            throw ValidationError("--max-request-journal-entries must be at least 0.")
        }
        guard folder == nil || rootDir == nil else {
            throw ValidationError("Name the folder once, without --root-dir.")
        }
        guard record == nil || (folder ?? rootDir) != nil else { throw ValidationError("--record needs a folder.") }
        guard !onlyMissing || record != nil else { throw ValidationError("--only-missing needs --record.") }
    }

    func run() async throws {
        if detach { return try StubDetachment(pidFile: pidFile).start() }
        let server = try await start()
        if let record { try server.record(from: record, onlyMissing: onlyMissing) }
        if let pidFile { try writePID(to: pidFile) }
        CodePages.release()
        try announce(server)
        await waitForEnd(of: server)
        let report = server.report
        if let recording = try server.endRecording() {
            warn("fingerpost: recorded \(recording.stubs) stubs")
            for line in recording.omitted { warn("fingerpost: not recorded: \(line)") }
        }
        await server.stop()
        if let pidFile { unlink(pidFile) }
        guard !report.isFailed else {
            throw fail("a request was answered by no stub; see the report or the journal.", .failed)
        }
    }

    private func start() async throws -> StubServer {
        do {
            return try await StubServer(stubConfiguration) { warn("fingerpost: left out: \($0)") }
        } catch let failure as StubStartFailure {
            let status: ExitStatus =
                switch failure.kind {
                case .unreadableMapping: .unreadableInput
                case .address: .unavailable
                case .productionData: .wrongConfiguration
                }
            throw fail(failure.description, status, more: failure.details)
        }
    }

    private var stubConfiguration: StubConfiguration {
        get throws {
            var configuration = StubConfiguration()
            configuration.folder = folder ?? rootDir
            if let folder = configuration.folder, !FileManager.default.fileExists(atPath: folder) {
                guard record != nil else {
                    throw fail("the folder '\(folder)' does not exist; check the path.", .unreadableInput)
                }
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            }
            configuration.host = bindAddress
            configuration.port = port
            configuration.templating = globalResponseTemplating ? .everywhere : .perStub
            configuration.journalCount = maxRequestJournalEntries
            configuration.proxyAll = proxyAll
            configuration.unmatched = strict ? .strict : .allowed
            configuration.unreadable = lenient ? .leftOut : .stopTheStart
            configuration.mask = showSecrets ? .off : SecretMask(fields: Set(maskField))
            if let clock, let instant = Timestamp(clock) { configuration.environment.now = { instant } }
            if let seed { configuration.environment.random = StubEnvironment.seededRandom(seed) }
            return configuration
        }
    }

    private func writePID(to path: String) throws {
        do {
            try Data("\(getpid())\n".utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw fail("\(path) cannot be written: \(error.localizedDescription).", .ioError)
        }
    }

    private func announce(_ server: StubServer) throws {
        let line = JSONNode.object([
            "url": .string(server.url),
            "admin": .string("\(server.url)/__admin"),
            "port": .int(server.port),
            "pid": .int(getpid()),
            "stubs": .int(server.stubCount),
        ])
        StandardOutput.write(line.json() + "\n")
        try StandardOutput.flush()
    }

    /// Returns on a signal, when the admin API asks for it, or when standard input closes, unless another process
    /// started this one to run without it.
    private func waitForEnd(of server: StubServer) async {
        let readsInput = ProcessInfo.processInfo.environment[StubDetachment.marker] == nil
        if readsInput { stopAtEndOfInput(server) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await server.waitForStop() }
            group.addTask {
                for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint) { return }
            }
            await group.next()
            server.requestStop()
            group.cancelAll()
        }
    }

    /// Reading blocks, so it has a thread of its own, which ends with the process.
    private func stopAtEndOfInput(_ server: StubServer) {
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while read(STDIN_FILENO, &buffer, buffer.count) > 0 {}
            server.requestStop()
        }
    }
}
