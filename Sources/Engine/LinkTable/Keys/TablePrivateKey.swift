import Crypto
import LinkRouting

/// A private key (Ed25519) with which a server signs tables. It is stored in a separate file, as JWK (RFC 8037).
package struct TablePrivateKey: Sendable {
    package let publicKey: TablePublicKey
    private let key: Curve25519.Signing.PrivateKey

    /// Generates a key from the system's random numbers.
    package static func generate() throws(TableKeyError) -> TablePrivateKey {
        try TablePrivateKey(seed: Array(Curve25519.Signing.PrivateKey().rawRepresentation))
    }

    /// Reads the JWK of a private key, which has the member `d`.
    package init(_ text: String) throws(TableKeyError) {
        let file = try TableKeyFile(text)
        guard let secret = file.secret else {
            throw TableKeyError("This is a public key. To sign, use the key file that has the member 'd'.")
        }
        try self.init(seed: secret)
        guard publicKey == file.publicKey else {
            throw TableKeyError("The members 'd' and 'x' belong to different keys. Restore the key file.")
        }
    }

    /// - Parameter seed: The 32 bytes of the member `d`.
    package init(seed: [UInt8]) throws(TableKeyError) {
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed),
            let publicKey = TablePublicKey(bytes: Array(key.publicKey.rawRepresentation))
        else { throw TableKeyError("A private key has 32 bytes, not \(seed.count).") }
        self.key = key
        self.publicKey = publicKey
    }

    /// The private key as JWK text. It is a secret.
    package var jwk: String { TableKeyFile.text(publicKey: publicKey, secret: Array(key.rawRepresentation)) }

    /// Returns the 64 bytes of the signature.
    package func signature(of message: [UInt8]) throws(TableKeyError) -> [UInt8] {
        do {
            return Array(try key.signature(for: message))
        } catch {
            throw TableKeyError("The table could not be signed: \(error).")
        }
    }
}
