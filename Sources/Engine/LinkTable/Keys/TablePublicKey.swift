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

    /// Nil unless there are 32 bytes that can be a public key.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, !Self.isOfSmallOrder(bytes) else { return nil }
        self.bytes = bytes
        id = Self.thumbprint(of: bytes)
    }

    /// Whether the bytes encode a point of small order, such as 32 zeros. No private key has such a public key, and
    /// anyone can forge a signature for it. The Ed25519 library does not refuse these keys. Other bytes that are no
    /// point of the curve are refused only when a signature is verified.
    private static func isOfSmallOrder(_ bytes: [UInt8]) -> Bool {
        var y = bytes
        // The highest bit is the sign of x.
        y[byteCount - 1] &= 0x7F
        return smallOrder.contains(y)
    }

    /// The y coordinates of these points: 0, 1, the two of order 8, p - 1, and 0 and 1 as p and p + 1.
    private static let smallOrder: [[UInt8]] = {
        let ofOrder8: [[UInt8]] = [
            [
                0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
                0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
            ],
            [
                0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
                0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
            ],
        ]
        let zeros = [UInt8](repeating: 0, count: byteCount - 1)
        let ones = [UInt8](repeating: 0xFF, count: byteCount - 2) + [0x7F]
        return ofOrder8 + [zeros + [0], [1] + zeros] + [0xEC, 0xED, 0xEE].map { [$0] + ones }
    }()

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
