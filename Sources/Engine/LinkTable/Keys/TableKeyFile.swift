import LinkRouting

/// The JWK (RFC 8037) of a key for signed tables: `{"kty":"OKP","crv":"Ed25519","kid":"…","x":"…","d":"…"}`.
struct TableKeyFile {
    let publicKey: TablePublicKey
    /// The bytes of `d`; nil for a public key.
    let secret: [UInt8]?

    private static let limits = JSONReader.Limits(maximumBytes: 4_096, maximumDepth: 4, maximumValues: 64)

    init(_ text: String) throws(TableKeyError) {
        let node: JSONNode
        do {
            node = try JSONReader.parse(text, limits: Self.limits)
        } catch {
            throw TableKeyError("The key file is not JSON: \(error.message)")
        }
        guard node["kty"]?.text == "OKP", node["crv"]?.text == "Ed25519" else {
            throw TableKeyError(
                "The key file is not a JWK of type OKP with the curve Ed25519. Generate a key with this program."
            )
        }
        guard let bytes = node["x"]?.text.flatMap({ Base64URL.bytes(of: Array($0.utf8)) }),
            let publicKey = TablePublicKey(bytes: bytes)
        else { throw TableKeyError("The member 'x' of the key file is not 32 bytes in base64url without padding.") }
        if let id = node["kid"], id.text != publicKey.id {
            throw TableKeyError(
                "The member 'kid' is not the thumbprint of the key. Remove it, or restore the key file."
            )
        }
        self.publicKey = publicKey
        guard let secret = node["d"] else {
            self.secret = nil
            return
        }
        guard let bytes = secret.text.flatMap({ Base64URL.bytes(of: Array($0.utf8)) }), bytes.count == 32 else {
            throw TableKeyError("The member 'd' of the key file is not 32 bytes in base64url without padding.")
        }
        self.secret = bytes
    }

    static func text(publicKey: TablePublicKey, secret: [UInt8]?) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("kty", "OKP")
        writer.member("crv", "Ed25519")
        writer.member("kid", publicKey.id)
        writer.member("x", publicKey.description)
        writer.member("d", secret.map { Base64URL.text(of: $0) })
        writer.endObject()
        return writer.text + "\n"
    }
}

/// The reason why a key cannot be read or used, with advice.
package struct TableKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
