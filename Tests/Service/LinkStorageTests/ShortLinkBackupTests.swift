import Foundation
import LinkRouting
import TestSupport
import Testing

@testable import LinkStorage

/// Short links in backups, restores and the data directory.
struct ShortLinkBackupTests {
    private let now = instant("2026-11-21T10:00:00Z")
    private let shop = tenant("shop")

    /// Makes a backup with one short link.
    private func backUp(_ folder: String) async throws -> Backup {
        let now = now
        let directory = try DataDirectory(folder + "/data", for: .create)
        let catalog = try CatalogDatabase(directory.catalogPath)
        let links = try openLinks(directory)
        let log = try EventLog(directory.eventsPath) { now }
        _ = try await links.create(new("spring"), of: shop)
        let backup = try Backup.make(
            of: directory,
            catalog: catalog,
            links: links,
            log: log,
            to: folder + "/backup",
            at: now,
            version: "1"
        )
        #expect(try await log.verify(with: catalog, links).faults == [])
        try log.close()
        try links.close()
        try catalog.close()
        return backup
    }

    private func openLinks(_ directory: DataDirectory) throws -> ShortLinkDatabase {
        try ShortLinkDatabase(directory.linksPath) { .random(in: 0..<$0) }
    }

    private func restoredLinks(_ folder: String) async throws -> Int {
        let directory = try DataDirectory(folder + "/restored", for: .restore)
        try Backup(at: folder + "/backup").restore(from: folder + "/backup", to: directory)
        let links = try openLinks(directory)
        let count = try await links.count(of: shop)
        try links.close()
        return count
    }

    @Test func backupHoldsTheLinksBeforeTheCatalog() async throws {
        try await withTemporaryDirectory { folder in
            let backup = try await backUp(folder)
            #expect(backup.files.map(\.path) == ["events/ledger.db", "links.db", "catalog.db"])
            #expect(try await restoredLinks(folder) == 1)
        }
    }

    @Test func restoreRefusesLinksThatAreThere() async throws {
        try await withTemporaryDirectory { folder in
            _ = try await backUp(folder)
            let directory = try DataDirectory(folder + "/restored", for: .restore)
            try Data("x".utf8).write(to: URL(filePath: directory.linksPath + "-wal"))
            let error = #expect(throws: StorageError.self) {
                try Backup(at: folder + "/backup").restore(from: folder + "/backup", to: directory)
            }
            #expect(error == .occupied(directory: directory.servicePath, by: "links.db-wal"))
        }
    }

    @Test func catalogThatIsMissingBesideLinksIsNotRecreated() throws {
        try inTemporaryDirectory { folder in
            var path = ""
            do {
                let directory = try DataDirectory(folder + "/data", for: .create)
                path = directory.catalogPath
                try openLinks(directory).close()
            }
            let error = #expect(throws: StorageError.self) { try DataDirectory(folder + "/data", for: .create) }
            #expect(error == .missing(file: path, detail: "links.db exists"))
        }
    }

    @Test func linksBelongToTheirOwnerAlone() throws {
        try inTemporaryDirectory { folder in
            var path = ""
            do {
                let directory = try DataDirectory(folder + "/data", for: .create)
                path = directory.linksPath
                try CatalogDatabase(directory.catalogPath).close()
                try openLinks(directory).close()
                #expect(chmod(path, 0o644) == 0)
            }
            _ = try DataDirectory(folder + "/data", for: .create)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test func linksOfAnotherBuildAreRefused() throws {
        try inTemporaryDirectory { folder in
            var path = ""
            do {
                let directory = try DataDirectory(folder + "/data", for: .create)
                path = directory.linksPath
                try openLinks(directory).close()
            }
            let file = try FileHandle(forUpdating: URL(filePath: path))
            try file.seek(toOffset: 60)
            try file.write(contentsOf: Data([0, 0, 0, 7]))
            try file.close()
            let error = #expect(throws: StorageError.self) { try DataDirectory(folder + "/data", for: .create) }
            #expect(error == .otherBuild(file: folder + "/data/service/links.db"))
        }
    }
}
