import Foundation
import GRDB
import TestSupport
import Testing

@testable import LinkStorage

struct DataDirectoryTests {
    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func newDirectoryBelongsToItsOwnerAlone() throws {
        try inTemporaryDirectory { folder in
            let directory = try DataDirectory(folder + "/deep/er/data", for: .create)
            #expect(try mode(directory.path) == 0o700)
            #expect(try mode(directory.servicePath) == 0o700)
            #expect(try mode(directory.eventsPath) == 0o700)
            #expect(directory.controlSocketPath == folder + "/deep/er/data/service/control.sock")
        }
    }

    @Test func secondProcessIsToldTheOwner() throws {
        try inTemporaryDirectory { folder in
            let first = try DataDirectory(folder + "/data", for: .create)
            let error = #expect(throws: StorageError.self) { try DataDirectory(folder + "/data", for: .create) }
            #expect(
                "\(try #require(error))"
                    == "\(folder)/data is in use by process \(getpid()); stop it first, or choose another "
                    + "directory with --data."
            )
            #expect(error?.exitCode == 75)
            #expect(first.path == folder + "/data")
        }
    }

    /// Removing the lock file does not allow a second process to write the same files.
    @Test func lockHoldsThoughItsFileIsRemoved() throws {
        try inTemporaryDirectory { folder in
            let first = try DataDirectory(folder + "/data", for: .create)
            try FileManager.default.removeItem(atPath: folder + "/data/service/lock")
            let error = #expect(throws: StorageError.self) { try DataDirectory(folder + "/data", for: .create) }
            #expect("\(try #require(error))".hasPrefix("\(folder)/data is in use by process unknown;"))
            #expect(first.path == folder + "/data")
        }
    }

    @Test func lockEndsWithItsHolder() throws {
        try inTemporaryDirectory { folder in
            do { _ = try DataDirectory(folder + "/data", for: .create) }
            _ = try DataDirectory(folder + "/data", for: .create)
        }
    }

    @Test func cleanShutdownIsNotReportedAsUnclean() throws {
        try inTemporaryDirectory { folder in
            do {
                let first = try DataDirectory(folder + "/data", for: .create)
                #expect(!first.wasUnclean)
                try first.markClean()
            }
            #expect(try !DataDirectory(folder + "/data", for: .create).wasUnclean)
        }
    }

    @Test func abandonedDirectoryIsUnclean() throws {
        try inTemporaryDirectory { folder in
            do { _ = try DataDirectory(folder + "/data", for: .create) }
            #expect(try DataDirectory(folder + "/data", for: .create).wasUnclean)
        }
    }

    @Test func fileInItsPlaceIsRefused() throws {
        try inTemporaryDirectory { folder in
            try Data().write(to: URL(filePath: folder + "/data"))
            let error = #expect(throws: StorageError.self) { try DataDirectory(folder + "/data", for: .create) }
            #expect("\(try #require(error))".contains("Not a directory"))
        }
    }

    /// Not even a lock appears in a backup: its files must match its list.
    @Test(arguments: [DataDirectory.Purpose.create, .use, .restore])
    func backupIsNotOpened(for purpose: DataDirectory.Purpose) throws {
        try inTemporaryDirectory { folder in
            try FileManager.default.createDirectory(atPath: folder + "/events", withIntermediateDirectories: true)
            for file in ["backup.json", "catalog.db"] {
                try Data("x".utf8).write(to: URL(filePath: "\(folder)/\(file)"))
            }
            let error = #expect(throws: StorageError.self) { try DataDirectory(folder, for: purpose) }
            #expect(error == .backup(directory: folder))
            #expect("\(try #require(error))".contains("'fingerpost restore \(folder) --data DIR'"))
            let left = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
            #expect(left == ["backup.json", "catalog.db", "events"])
        }
    }

    @Test(arguments: [DataDirectory.Purpose.create, .use, .restore])
    func folderOfTheFilesIsNotOpened(for purpose: DataDirectory.Purpose) throws {
        try inTemporaryDirectory { folder in
            let first = try DataDirectory(folder + "/data", for: .create)
            func refusal() -> StorageError? {
                #expect(throws: StorageError.self) { try DataDirectory(first.servicePath, for: purpose) }
            }
            // It has a lock, and later a catalog.
            let expected = StorageError.serviceFolder(path: first.servicePath, directory: first.path)
            #expect(refusal() == expected)
            let start = "\(folder)/data/service is the folder inside a data directory; use --data \(folder)/data."
            #expect("\(expected)".hasPrefix(start))
            try CatalogDatabase(first.catalogPath).close()
            #expect(refusal() == expected)
            #expect(!FileManager.default.fileExists(atPath: first.servicePath + "/service"))

            let catalog = try DatabaseQueue(path: first.catalogPath)
            try catalog.write { try $0.execute(sql: "PRAGMA user_version = 7") }
            try catalog.close()
            #expect(refusal() == .otherBuild(file: first.catalogPath))
        }
    }

    @Test func dataDirectoryMayHaveTheNameOfTheFolder() throws {
        try inTemporaryDirectory { folder in
            for _ in 0..<2 { _ = try DataDirectory(folder + "/service", for: .create) }
            #expect(try mode(folder + "/service/service") == 0o700)
        }
    }

    @Test(.enabled(if: geteuid() != 0, "SKIPPED: the superuser may read every directory"))
    func unreadableDirectoryIsNotOpened() throws {
        try inTemporaryDirectory { folder in
            let path = folder + "/data"
            try FileManager.default.createDirectory(atPath: path + "/inner", withIntermediateDirectories: true)
            chmod(path, 0)
            defer { chmod(path, 0o700) }
            let owner = try #require(getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) })
            for (path, owner) in [(path, owner), (path + "/inner", nil)] as [(String, String?)] {
                let error = #expect(throws: StorageError.self) { try DataDirectory(path, for: .use) }
                #expect(error == .notReadable(path: path, owner: owner))
            }
        }
    }
}
