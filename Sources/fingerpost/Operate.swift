import ArgumentParser
import Foundation
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import LinkStorage
import Logging

struct Keys: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Keys of the admin API.",
        subcommands: [Create.self]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a key and print it, once: only a hash of it is kept.",
            discussion: """
                EXAMPLE
                  fingerpost keys create --data ./data --name ci --tenant shop --scope tables:write --scope publish

                Works on a directory that no process uses, and through a running server's control socket.
                """
        )

        @ArgumentParser.Option(help: "The data directory.") var data = "data"
        @ArgumentParser.Option(help: "For people: whose key it is.") var name = "admin"
        @ArgumentParser.Option(help: "The one tenant it is for; without it the key is for all.") var tenant: String?
        @ArgumentParser.Option(help: "What it may do; may be repeated (default: admin).") var scope: [String] = []

        func run() async throws {
            let scopes = try scope.map { text in
                guard let scope = KeyGrant.Scope(rawValue: text) else {
                    let known = KeyGrant.Scope.allCases.map(\.rawValue).joined(separator: ", ")
                    throw ValidationError("'\(text)' is not a scope; known are \(known).")
                }
                return scope
            }
            let granted: Set<KeyGrant.Scope> = scopes.isEmpty ? [.admin] : Set(scopes)
            let tenantID = try tenant.map { text in
                guard let id = TenantID(text) else { throw ValidationError("'\(text)' is not a tenant's id.") }
                return id
            }
            do {
                let directory = try DataDirectory(data)
                let database = try CatalogDatabase(directory.catalogPath)
                if let tenantID, try await database.settings(of: tenantID) == nil {
                    throw fail("there is no tenant '\(tenantID)'.", .failed)
                }
                let key = try await KeyMaker(store: database, keys: nil).create(
                    name: name,
                    tenant: tenantID,
                    scopes: granted
                )
                try database.close()
                try directory.leaveAsFound()
                print(key.token)
            } catch StorageError.locked {
                let message = ControlMessage.createKey(name: name, tenant: tenantID, scopes: granted)
                print(try await ControlMessage.send(message, toDirectory: data)["key"]?.text ?? "")
            } catch let error as StorageError {
                throw fail(error.description, .ioError)
            }
        }
    }
}

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
            throw fail(error.description, .ioError)
        }
    }
}
