import ArgumentParser
import Foundation
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import LinkStorage
import Logging

struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "End a tenant's export window now and write its file; prints the manifest.",
        discussion: """
            EXAMPLE
              fingerpost export shop --data ./data

            Works on a directory that no process uses, and through a running server's control socket.
            """
    )

    @ArgumentParser.Argument(help: "The tenant.") var tenant: String
    @OptionGroup var flags: ConfigurationFlags

    func run() async throws {
        guard let tenant = TenantID(tenant) else { throw ValidationError("'\(self.tenant)' is not a tenant's id.") }
        let configuration = try await flags.read()
        do {
            let directory = try DataDirectory(configuration.data)
            let database = try CatalogDatabase(directory.catalogPath)
            let log = try EventLog(directory.eventsPath, now: Server.now)
            guard let table = try await database.snapshot().catalog().table(of: tenant) else {
                throw fail("there is no tenant '\(tenant)'.", .failed)
            }
            let logger = Logger(label: "fingerpost")
            let recorder = EventRecorder(store: log, now: Server.now, logger: logger)
            let exporter = Exporter(
                store: log,
                ledger: log,
                sink: DirectoryExportSink(directory: configuration.exportsDirectory),
                recorder: recorder,
                plans: { [] },
                now: Server.now,
                sleep: { _ in },
                logger: logger
            )
            // The recorder only answers the exporter's fence; it ends when the export is written.
            let manifest = try await withThrowingTaskGroup(of: ExportManifest?.self) { group in
                group.addTask {
                    try await recorder.run()
                    return nil
                }
                group.addTask {
                    defer { recorder.stop() }
                    return try await exporter.exportNow(ExportPlan(table))
                }
                var manifest: ExportManifest?
                for try await result in group { manifest = manifest ?? result }
                return manifest
            }
            try log.close()
            try database.close()
            try directory.leaveAsFound()
            print(String(decoding: manifest?.json ?? [], as: UTF8.self), terminator: "")
        } catch StorageError.locked {
            let manifest = try await ControlMessage.send(
                ControlMessage.export(tenant: tenant),
                toDirectory: configuration.data
            )
            print(manifest.json(.pretty))
        } catch let error as StorageError {
            throw fail(error)
        } catch let error as FileFailure {
            throw fail("the export could not be written (\(error)); it is written again with the next one.", .ioError)
        }
    }
}
