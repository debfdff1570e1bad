import Crypto
import LinkRouting

/// A public key (Ed25519) with which an app verifies tables.
///
/// Its text is the `x` of the JWK (RFC 8037): 32 bytes in base64url, 43 characters. The id of the key is the thumbprint
/// of the JWK (RFC 7638), so that a key file and an app cannot disagree about it.
package struct TablePublicKey: Sendable, Hashable, CustomStringConvertible {
    package static let byteCount = 32

    /// The 32 bytes of the key.
    package let bytes: [UInt8]
    /// The key id (`kid`) in the header of a signed table: 43 characters.
    package let id: String

    /// Nil unless there are 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
        id = Self.thumbprint(of: bytes)
    }

    /// Reads the 43 characters of `x`, or the JWK. The member `d` of a private key is refused.
    package init(_ text: String) throws(TableKeyError) {
        if text.utf8.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") {
            let key = try TableKeyFile(text)
            guard key.secret == nil else {
                throw TableKeyError(
                    "This is a private key, because the JWK has a member 'd'. Put only the public key into an app."
                )
            }
            self = key.publicKey
            return
        }
        let word = text.utf8.filter { $0 > 0x20 }
        guard let bytes = Base64URL.bytes(of: word), let key = TablePublicKey(bytes: bytes) else {
            throw TableKeyError(
                "This is not a public key: write the 43 characters of 'x' in the key file, or the JWK "
                    + "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"…\"}."
            )
        }
        self = key
    }

    /// The 43 characters of `x`.
    package var description: String { Base64URL.text(of: bytes) }

    /// The public key as JWK text.
    package var jwk: String { TableKeyFile.text(publicKey: self, secret: nil) }

    /// Whether the signature belongs to the message and this key.
    package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes) else { return false }
        return key.isValidSignature(signature, for: message)
    }

    private static func thumbprint(of bytes: [UInt8]) -> String {
        let members = "{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"\(Base64URL.text(of: bytes))\"}"
        return Base64URL.text(of: SHA256.hash(data: Array(members.utf8)))
    }
}
