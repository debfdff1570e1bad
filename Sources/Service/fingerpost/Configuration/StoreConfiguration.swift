import Foundation
import PostgresStorage

/// The keys of `store`: where the catalog is.
struct StoreConfiguration {
    /// Nil if the catalog is in the data directory.
    let postgresql: PostgresAddress?
    /// The secret of all nodes with which the keys of addresses are encrypted; nil for a key of each node's own.
    let addressSecret: String?
    /// How many whole UTC days shipped events stay on this node.
    let keptDays: Int
    private let values: [String]

    private enum Kind: String, CaseIterable {
        case sqlite, postgresql
    }

    /// In the order of config/fingerpost.yaml.
    static let keys = ["kind", "hosts", "database", "user", "passwordFile", "caFile", "addressKeyFile", "keepHours"].map
    {
        "store.\($0)"
    }

    init(text: (_ key: String, _ standard: String) -> String) throws {
        let standards = ["sqlite", "", "fingerpost", "fingerpost", "", "", "", "72"]
        values = zip(Self.keys, standards).map(text)
        guard let hours = Int(values[7]), (1...8_784).contains(hours) else {
            throw ServiceConfiguration.Invalid(
                Self.keys[7],
                "is '\(values[7])'; write a whole number from 1 to 8784."
            )
        }
        keptDays = (hours + 23) / 24
        let kind: Kind = try .read(Self.keys[0], values[0])
        let hosts = try values[1].split { $0 == "," || $0.isWhitespace }.map { try Self.host(String($0)) }
        guard kind == .postgresql else {
            guard hosts.isEmpty else {
                throw ServiceConfiguration.Invalid("store.hosts", "is set, but store.kind is sqlite; write postgresql.")
            }
            postgresql = nil
            addressSecret = nil
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
        addressSecret = try values[6].isEmpty ? nil : Self.addressSecret(values[6])
        if !values[4].isEmpty { _ = try SecretFile.read(values[4], key: "store.passwordFile") }
    }

    private static func addressSecret(_ path: String) throws -> String {
        let creation = "(umask 077; openssl rand -base64 32 > \(path))"
        let secret = try SecretFile.read(path, key: "store.addressKeyFile", creation: creation)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard secret.utf8.count >= 32 else {
            throw ServiceConfiguration.Invalid(
                "store.addressKeyFile",
                "is '\(path)', which has fewer than 32 characters; write a random text: \(creation)"
            )
        }
        return secret
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
