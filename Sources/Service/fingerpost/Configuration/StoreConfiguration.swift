import PostgresStorage

/// The keys of `store`: where the catalog is.
struct StoreConfiguration {
    /// Nil if the catalog is in the data directory.
    let postgresql: PostgresAddress?
    private let values: [String]

    private enum Kind: String, CaseIterable {
        case sqlite, postgresql
    }

    /// In the order of config/fingerpost.yaml.
    static let keys = ["kind", "hosts", "database", "user", "passwordFile", "caFile"].map { "store.\($0)" }

    init(text: (_ key: String, _ standard: String) -> String) throws {
        let standards = ["sqlite", "", "fingerpost", "fingerpost", "", ""]
        values = zip(Self.keys, standards).map(text)
        let kind: Kind = try .read(Self.keys[0], values[0])
        let hosts = try values[1].split { $0 == "," || $0.isWhitespace }.map { try Self.host(String($0)) }
        guard kind == .postgresql else {
            guard hosts.isEmpty else {
                throw ServiceConfiguration.Invalid("store.hosts", "is set, but store.kind is sqlite; write postgresql.")
            }
            postgresql = nil
            return
        }
        guard !hosts.isEmpty else {
            throw ServiceConfiguration.Invalid(
                "store.hosts",
                "is empty; write the primary and its standbys, such as [db1.internal:5432, db2.internal:5432]."
            )
        }
        postgresql = PostgresAddress(
            hosts: hosts,
            database: values[2],
            user: values[3],
            passwordFile: values[4].isEmpty ? nil : values[4],
            caFile: values[5].isEmpty ? nil : values[5]
        )
        if !values[4].isEmpty { _ = try SecretFile.read(values[4], key: "store.passwordFile") }
    }

    /// The values as `fingerpost config` prints them.
    var effective: [String] { values }

    /// Reads `NAME`, `NAME:PORT`, or the folder of a local socket.
    private static func host(_ text: String) throws -> PostgresAddress.Host {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return PostgresAddress.Host(name: text) }
        guard parts.count == 2, !parts[0].isEmpty, let port = Int(parts[1]), (1...65_535).contains(port) else {
            throw ServiceConfiguration.Invalid(
                "store.hosts",
                "contains '\(text)'; write HOST, HOST:PORT, or the folder of a local socket, such as /run/postgresql."
            )
        }
        return PostgresAddress.Host(name: String(parts[0]), port: port)
    }
}
