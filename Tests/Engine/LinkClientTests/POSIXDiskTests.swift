import Foundation
import LinkClient
import LinkRouting
import LinkTable
import TestSupport
import Testing

/// The real file system: the disk itself, and a client with it.
struct POSIXDiskTests {
    private let disk = POSIXDisk()

    @Test func replacedFileHasTheNewContentAndNoOtherFileRemains() throws {
        try inTemporaryDirectory { directory in
            let path = directory + "/table"
            #expect(try disk.read(path, upTo: 100) == nil)
            for content in ["first", "", "a longer second"] {
                try disk.replace(path, with: Array(content.utf8))
                #expect(try disk.read(path, upTo: 100) == Array(content.utf8))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["table"])
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test func atMostOneByteMoreThanTheLimitIsRead() throws {
        try inTemporaryDirectory { directory in
            let path = directory + "/large"
            try disk.replace(path, with: Array(repeating: 1, count: 300_000))
            #expect(try disk.read(path, upTo: 299_999)?.count == 300_000)
            #expect(try disk.read(path, upTo: 100)?.count == 101)
            #expect(try disk.read(path, upTo: 300_000)?.count == 300_000)
            // A device without an end is not read to its end.
            #expect(try disk.read("/dev/zero", upTo: 1_000)?.count == 1_001)
        }
    }

    @Test func appendedBytesFollow() throws {
        try inTemporaryDirectory { directory in
            let path = directory + "/outbox"
            try disk.append(Array("one\n".utf8), to: path)
            try disk.append(Array("two\n".utf8), to: path)
            #expect(try disk.read(path, upTo: 100) == Array("one\ntwo\n".utf8))
        }
    }

    @Test func directoriesAreCreatedForTheOwnerOnly() throws {
        try inTemporaryDirectory { directory in
            let path = directory + "/a/b/c"
            try disk.createDirectory(path)
            try disk.createDirectory(path)
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o700)
            try disk.replace(directory + "/file", with: [1])
            #expect { try disk.createDirectory(directory + "/file/b") } throws: {
                "\($0)".contains("cannot create") && "\($0)".contains("Not a directory")
            }
        }
    }

    /// `/dev/full` is a disk without space.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "this system has no /dev/full"))
    func fullDiskKeepsTheOldFile() throws {
        try inTemporaryDirectory { directory in
            let path = directory + "/table"
            try disk.replace(path, with: Array("old".utf8))
            try FileManager.default.createSymbolicLink(atPath: path + ".new", withDestinationPath: "/dev/full")
            #expect { try disk.replace(path, with: Array("new".utf8)) } throws: {
                "\($0)" == "cannot write '\(path).new': No space left on device"
            }
            #expect(try disk.read(path, upTo: 100) == Array("old".utf8))
            #expect { try disk.append([1], to: "/dev/full") } throws: { "\($0)".contains("No space left") }
        }
    }

    @Test(.enabled(if: geteuid() != 0, "the superuser may write into every directory"))
    func directoryWithoutPermissionIsAnError() throws {
        try inTemporaryDirectory { directory in
            chmod(directory, 0o500)
            defer { chmod(directory, 0o700) }
            #expect { try disk.replace(directory + "/table", with: [1]) } throws: {
                "\($0)".contains("Permission denied")
            }
        }
    }

    // MARK: A client

    private func client(_ directory: String, download: [UInt8]? = nil, bundled: [UInt8]? = nil) throws -> LinkClient {
        var configuration = LinkClient.Configuration(
            tenant: "acme",
            app: "ios",
            keys: [try Sample.key().publicKey.description],
            server: "https://links.acme.test"
        )
        configuration.directory = directory
        configuration.bundledTable = bundled.map { .bytes($0) } ?? .none
        configuration.transport = StubServer { _ in
            guard let download else { throw StubServer.Unreachable() }
            return LinkResponse(status: 200, body: download)
        }
        let environment = ClientEnvironment(
            now: { Sample.issuedAt },
            random: { UInt64.random(in: 0...UInt64.max) },
            sleep: { _ in throw CancellationError() },
            disk: POSIXDisk()
        )
        return try LinkClient(configuration, environment: environment)
    }

    /// What is on the disk after a kill at any time of a download: the old table, and any part of the new one beside it.
    @Test func killDuringADownloadLeavesAUsableTable() async throws {
        let (old, new) = (try Sample.signed(revision: 7), try Sample.signed(revision: 8))
        try await withTemporaryDirectory { directory in
            let path = directory + "/acme.production.ios.table"
            for count in [0, 1, new.count / 2, new.count - 1, new.count] {
                try disk.replace(path, with: old)
                try Data(new[..<count]).write(to: URL(filePath: path + ".new"))
                let restarted = try client(directory, download: new)
                await restarted.load()
                #expect(restarted.state.table?.revision.rawValue == 7, "\(count) bytes")
                #expect(restarted.state.problems == [])
                #expect(restarted.resolve("acme:/product/1").resolution?.outcome == .matched)
                await restarted.refresh()
                #expect(restarted.state.table?.revision.rawValue == 8)
                #expect(try disk.read(path, upTo: 1 << 20) == new)
                #expect(!FileManager.default.fileExists(atPath: path + ".new"))
            }
        }
    }

    @Test func placeThatCannotBeWrittenLeavesTheClientInMemory() async throws {
        try await withTemporaryDirectory { directory in
            // A file in the place of the directory; it refuses the superuser too.
            try disk.replace(directory + "/file", with: [1])
            let client = try client(
                directory + "/file/app",
                download: try Sample.signed(revision: 8),
                bundled: try Sample.signed()
            )
            await client.refresh()
            #expect(client.state.table?.revision.rawValue == 8)
            let problem = client.state.problems.first { $0.kind == .storage }
            #expect(problem?.message.contains("Not a directory") == true)
            let answer = client.resolve("acme:/product/1")
            guard case .resolved(let link) = answer else {
                Issue.record("\(answer)")
                return
            }
            await client.report(link, .shown)
            #expect(client.state.waitingReports == 1)
            #expect(client.state.lostReports == 0)
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "this system has no /dev/full"))
    func fullDiskKeepsTheLastTableForTheNextStart() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/acme.production.ios.table"
            try disk.replace(path, with: try Sample.signed(revision: 7))
            try FileManager.default.createSymbolicLink(atPath: path + ".new", withDestinationPath: "/dev/full")
            let running = try client(directory, download: try Sample.signed(revision: 8))
            await running.refresh()
            #expect(running.state.table?.revision.rawValue == 8, "the download is used in memory")
            #expect(running.state.problems.contains { $0.kind == .storage && $0.message.contains("No space left") })
            let restarted = try client(directory)
            await restarted.load()
            #expect(restarted.state.table?.revision.rawValue == 7)
        }
    }
}
