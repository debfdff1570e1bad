import Foundation
package import PostgresStorage

/// The PostgreSQL server of the tests, which Tests/PostgresStorage/run.sh starts.
package enum TestPostgres {
    /// The folder of the server's socket; nil if none runs.
    package static let folder = ProcessInfo.processInfo.environment["TEST_POSTGRES"]
    package static let isMissing = "TEST_POSTGRES names no server; './dev test PostgresStorage' starts one."

    private static let port = 5_432

    /// Creates a database for one test.
    package static func makeDatabase() throws -> PostgresAddress {
        let name = "t" + UUID().uuidString.lowercased().replacing("-", with: "")
        try run("CREATE DATABASE \(name) ENCODING 'UTF8' TEMPLATE template0", in: "postgres")
        return address(name)
    }

    package static func address(_ database: String) -> PostgresAddress {
        PostgresAddress(
            hosts: [PostgresAddress.Host(name: folder ?? "", port: port)],
            database: database,
            user: "postgres"
        )
    }

    /// Creates a database with the tables of the catalog.
    package static func makeStore() async throws -> PostgresStore {
        let store = PostgresStore(try makeDatabase())
        _ = try await store.prepare()
        return store
    }

    /// Runs SQL as an administrator. Throws if it fails.
    package static func run(_ sql: String, in database: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/psql")
        process.arguments = [
            "-h", folder ?? "", "-p", "\(port)", "-U", "postgres", "-d", database, "-q", "-v", "ON_ERROR_STOP=1", "-c",
            sql,
        ]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(sql: sql) }
    }

    package struct Failure: Error {
        package let sql: String
    }
}
