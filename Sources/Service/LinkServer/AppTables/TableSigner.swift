package import LinkTable

/// Signs tables for apps, with a key in this process or through an agent.
package struct TableSigner: Sendable {
    package let publicKey: TablePublicKey
    /// Returns the Ed25519 signature of a message. It may block.
    private let signature: @Sendable (_ message: [UInt8]) throws -> [UInt8]

    package init(publicKey: TablePublicKey, signature: @escaping @Sendable (_ message: [UInt8]) throws -> [UInt8]) {
        self.publicKey = publicKey
        self.signature = signature
    }

    package init(_ key: TablePrivateKey) {
        self.init(publicKey: key.publicKey) { try key.signature(of: $0) }
    }

    /// Returns the signed table. Throws if the signature is wrong, or if an app would refuse the table.
    package func sign(_ content: TableContent) throws -> [UInt8] {
        let message = SignedTable.signingInput(content, for: publicKey)
        return try SignedTable.assemble(content, signature: signature(message), by: publicKey)
    }
}
