import Foundation
import LinkServer
import LinkTable

/// The keys of `tables`: how tables for apps are signed.
struct TableSettings {
    /// Nil if tables are not signed.
    let signer: TableSigner?
    private let values: [String]

    /// In the order of config/fingerpost.yaml.
    static let keys = ["tables.signingKey", "tables.agent", "tables.agentKey"]

    init(text: (_ key: String, _ standard: String) -> String) throws {
        let (file, agent, agentKey) = (text(Self.keys[0], ""), text(Self.keys[1], ""), text(Self.keys[2], ""))
        values = [file, agent, agentKey]
        guard file.isEmpty || agent.isEmpty else {
            throw ServiceConfiguration.Invalid(
                "tables.signingKey",
                "and tables.agent are both set; use a key file or an agent."
            )
        }
        guard agent.isEmpty == agentKey.isEmpty else {
            throw ServiceConfiguration.Invalid(
                agent.isEmpty ? "tables.agentKey" : "tables.agent",
                agent.isEmpty ? "needs tables.agent." : "needs tables.agentKey, the public key of its signatures."
            )
        }
        if !file.isEmpty {
            signer = TableSigner(try Self.key(in: file))
        } else if !agent.isEmpty {
            signer = SigningAgent(agent).signer(try Self.publicKey(agentKey))
        } else {
            signer = nil
        }
    }

    /// The values as `fingerpost config` prints them.
    var effective: [String] { values }

    private static func key(in file: String) throws -> TablePrivateKey {
        do {
            let creation = "fingerpost table keys create \(file)"
            return try TablePrivateKey(try SecretFile.read(file, key: "tables.signingKey", creation: creation))
        } catch let error as TableKeyError {
            throw ServiceConfiguration.Invalid("tables.signingKey", "is '\(file)': \(error)")
        }
    }

    private static func publicKey(_ text: String) throws -> TablePublicKey {
        do {
            return try TablePublicKey(text)
        } catch let error {
            throw ServiceConfiguration.Invalid("tables.agentKey", "is no public key: \(error)")
        }
    }
}
