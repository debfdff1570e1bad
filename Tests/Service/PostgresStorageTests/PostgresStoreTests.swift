import CatalogSupport
import Foundation
import Glibc
import LinkCatalog
import LinkStorage
import Synchronization
import TestSupport
import Testing

@testable import PostgresStorage

/// Lost connections and servers that do not answer.
@Suite(.enabled(if: TestPostgres.folder != nil, Comment(rawValue: TestPostgres.isMissing)))
struct PostgresStoreTests {
    private static func endConnections(to database: String) throws {
        try TestPostgres.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(database)'",
            in: "postgres"
        )
    }

    @Test func connectionsThatEndedWhileIdleAreReplaced() async throws {
        let store = try await TestPostgres.makeStore()
        try Self.endConnections(to: store.address.database)
        #expect(try await store.read { try Int.fetchOne($0, sql: "SELECT id FROM audit_head") } == 0)
    }

    @Test func aTransactionWhoseConnectionEndsIsUndone() async throws {
        let store = try await TestPostgres.makeStore()
        let database = store.address.database
        let insert = "INSERT INTO tenant (id, created_at) VALUES ('shop', 1)"
        await #expect(throws: CatalogUnavailable.self) {
            try await store.storing { db in
                try db.execute(sql: insert)
                try Self.endConnections(to: database)
                try db.execute(sql: "SELECT 1")
            }
        }
        try await store.storing { try $0.execute(sql: insert) }
    }

    @Test func aServerThatDoesNotAnswerIsGivenUp() async throws {
        try await withTemporaryDirectory { directory in
            // Connections wait in the queue of this socket, which nobody serves.
            let listener = try #require(SilentListener(directory + "/.s.PGSQL.5432"))
            defer { listener.close() }
            let store = PostgresStore(
                PostgresAddress(hosts: [PostgresAddress.Host(name: directory)], database: "a", user: "a")
            )
            let start = ContinuousClock.now
            let first = await #expect(throws: CatalogUnavailable.self) { try await store.read { _ in } }
            #expect(ContinuousClock.now - start >= PostgresStore.limit.connecting)
            // The pause is as long as half of the attempt, so that most callers do not wait.
            #expect(store.backOff.withLock { $0.end } - start >= PostgresStore.limit.connecting * 1.5)

            // Nobody tries within the pause: the error is still that of the first attempt, although the socket is gone.
            store.backOff.withLock { $0.end = .now + .seconds(3600) }
            try FileManager.default.removeItem(atPath: directory + "/.s.PGSQL.5432")
            let second = await #expect(throws: CatalogUnavailable.self) { try await store.read { _ in } }
            #expect(second == first)
            store.backOff.withLock { $0.end = .now }
            let third = await #expect(throws: CatalogUnavailable.self) { try await store.read { _ in } }
            #expect(third != first)
        }
    }

    @Test func theHostThatTakesWritesIsUsed() async throws {
        let address = try TestPostgres.makeDatabase()
        let away = PostgresAddress.Host(name: "/nonexistent")
        let both = PostgresAddress(hosts: [away] + address.hosts, database: address.database, user: address.user)
        _ = try await PostgresStore(both).prepare()
    }

    @Test func aPasswordFileThatOthersCanReadIsRefused() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/password"
            try "secret\n".write(toFile: path, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            let address = PostgresAddress(
                hosts: [PostgresAddress.Host(name: TestPostgres.folder ?? "")],
                database: "postgres",
                user: "postgres",
                passwordFile: path
            )
            await #expect(
                throws: PostgresError.unsuitable(
                    "store.passwordFile: others can read \(path): run 'chmod 600 \(path)'."
                )
            ) {
                _ = try await PostgresStore(address).prepare()
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            let host = PostgresAddress.Host(name: "localhost")
            #expect(try address.parameters(for: host)["password"] == "secret")
            #expect(try address.parameters(for: host)["sslmode"] == "verify-full")
        }
    }
}

/// A listening local socket that accepts nothing.
private struct SilentListener {
    private let descriptor: Int32

    init?(_ path: String) {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = path.utf8CString
        guard bytes.count <= MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes.map { UInt8(bitPattern: $0) }) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        guard bound == 0, listen(descriptor, 8) == 0 else { return nil }
    }

    func close() { Glibc.close(descriptor) }
}
