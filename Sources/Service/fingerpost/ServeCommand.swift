import ArgumentParser
import Console
import Foundation
import HTTPTransport
import LinkCatalog
import LinkEvents
import LinkServer
import LinkStorage
import Logging
import Metrics
import Networking
import PostgresStorage
import UnixSignals

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the service.",
        discussion: """
            EXAMPLE
              fingerpost serve --data ./data --public 127.0.0.1:8080 \\
                --admin 127.0.0.1:8081 --ops 127.0.0.1:8082 --demo

            Prints the addresses it listens on. On SIGTERM it answers and records accepted requests before it exits.
            """
    )

    @OptionGroup var flags: ConfigurationFlags
    @Flag(help: "Load the example tenants into a fresh data directory and print requests to try.") var demo = false

    func run() async throws {
        // Must come first: by default SIGHUP ends a process.
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        var read = try await flags.read()
        read.limits.descriptors = try DescriptorLimit.raise()
        let configuration = read
        let log = LogSettings(configuration.log.values)
        ProcessLog.start(log)
        let logger = Logger(label: "fingerpost")
        logger.info("starting", metadata: ["version": "\(BuildInfo.version)"])
        let metrics = MetricRegistry()
        MetricsSystem.bootstrap(metrics)
        do {
            // Runs before the data directory is touched, so that a wrong path changes nothing there.
            let live = try LiveConfiguration(configuration, log: log)
            let certificates = try configuration.tls.files.map { files in
                try ServerCertificates(
                    files,
                    http2: configuration.tls.http2,
                    metrics: metrics,
                    now: SystemClock.now,
                    sleep: { try await Task.sleep(for: $0) },
                    logger: logger
                )
            }
            let directory = try DataDirectory(
                named: configuration.data,
                for: configuration.store.postgresql == nil ? .create : .createNode
            )
            try ControlSocket.requireRoom(in: directory)
            let opsServer = try OpsServer(configuration, in: directory, metrics: metrics, live: live, logger: logger)
            try await leavingAsFound(directory, unlessListening: opsServer) { ops in
                let server = try await Server(
                    configuration,
                    in: directory,
                    live: live,
                    certificates: certificates,
                    opsServer: opsServer,
                    metrics: metrics,
                    logger: logger
                )
                let key = demo ? try await server.loadDemo() : nil
                let link = if let key { try await server.console.makeLink(forKey: key.token) } else { String?.none }
                let reloader = ConfigurationReloader(
                    on: hangups,
                    from: configuration,
                    into: live,
                    server.dependencies.admission,
                    server.dependencies.appTables,
                    server.recorder,
                    certificates,
                    logger: logger
                ) {
                    try await flags.configuration()
                }
                try await server.run(reloading: reloader) { ports in
                    let scheme = configuration.tls.files == nil ? "http" : "https"
                    let addresses = [
                        ("public", "\(scheme)://\(configuration.publicAddress.host):\(ports.public)"),
                        ("admin", "http://\(configuration.adminAddress.host):\(ports.admin)"),
                        ("ops", "http://\(configuration.opsAddress.host):\(ops)"),
                    ]
                    logger.info("listening", metadata: .init(uniqueKeysWithValues: addresses.map { ($0, "\($1)") }))
                    for warning in configuration.warnings { logger.warning("\(warning)") }
                    for (port, address) in addresses {
                        show(port.padding(toLength: 8, withPad: " ", startingAt: 0) + address)
                    }
                    if let key, let link { show(Self.invitation(ports, key, link)) }
                    // The service continues even if nobody reads this output.
                    try? StandardOutput.flush()
                }
            }
        } catch let error as CountryDatabase.Failure {
            throw fail("geo.database: \(error)", .wrongConfiguration)
        } catch let error as CertificateFiles.Failure {
            throw fail(error.description, .wrongConfiguration)
        } catch let error as StorageError {
            throw fail(error)
        } catch let error as PostgresError {
            throw fail(error.description, .wrongConfiguration)
        } catch let error as CatalogUnavailable {
            throw fail("\(error) This node has no copy of the catalog to start with.", .unavailable)
        } catch let error as ForeignHistory {
            throw fail("\(error)", .wrongConfiguration)
        } catch let error as BindError {
            throw fail(error.description, .unavailable)
        } catch let error as EventStoreError {
            throw fail(
                "the log could not be written (\(error)); restart, and see deploy/runbooks/corrupt-file.md.",
                .ioError
            )
        }
    }

    /// Runs `body` while the ops port listens. If the port cannot be opened, the directory is left as found, because
    /// nothing in it has been opened yet.
    private func leavingAsFound(
        _ directory: DataDirectory,
        unlessListening opsServer: OpsServer,
        _ body: (Int) async throws -> Void
    ) async throws {
        do {
            try await opsServer.whileListening(body)
        } catch let failure as BindError where failure.role == .ops {
            try directory.leaveAsFound()
            throw failure
        }
    }

    /// Four commands to paste into another terminal. docs/index.md has the same ones, and a test runs those.
    private static func invitation(_ ports: BoundPorts, _ key: APIKey, _ link: String) -> [String] {
        let text = """

            The example tenants are loaded. Try their links in a browser; this address signs in once, within five minutes:
              http://127.0.0.1:\(ports.admin)\(link)
            The key for the admin port, shown only once:
              export FINGERPOST_KEY=\(key.token)
            Or in another terminal:
              curl -s http://127.0.0.1:\(ports.public)/resolve -d '{"url":"yourapp://product/123?utm_source=mail"}'
              curl -s http://127.0.0.1:\(ports.public)/resolve -d '{"url":"https://yourappdomain.com/product/abc","explain":true}'
              curl -s http://127.0.0.1:\(ports.public)/.well-known/apple-app-site-association -H 'Host: farechoice.taxi'
              curl -s -X POST 'http://127.0.0.1:\(ports.admin)/admin/v1/tenants/shop/exports?download' -H "Authorization: Bearer $FINGERPOST_KEY" | gunzip -cf
            """
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}
