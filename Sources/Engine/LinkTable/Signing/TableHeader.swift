import LinkRouting

/// The protected header of a signed table. Only one spelling is accepted, so that nothing in it can vary.
struct TableHeader {
    static let algorithm = "EdDSA"
    static let type = "fingerpost-table"

    let keyID: String

    init(keyID: String) { self.keyID = keyID }

    /// Reads the header.
    ///
    /// - Throws: The specific reason for another algorithm; `malformed` for anything else.
    init(encoded: ArraySlice<UInt8>) throws(TableRejection) {
        guard let bytes = Base64URL.bytes(of: encoded),
            let node = try? JSONReader.parse(bytes, limits: JSONReader.Limits(maximumBytes: 1_024, maximumDepth: 4))
        else { throw .malformed("the header is not JSON in base64url without padding.") }
        guard let algorithm = node["alg"]?.text, algorithm.isExactly(Self.algorithm) else {
            throw .otherAlgorithm(node["alg"]?.text ?? "none")
        }
        guard let keyID = node["kid"]?.text else { throw .malformed("the header names no key; it needs a 'kid'.") }
        self.keyID = keyID
        guard self.encoded.elementsEqual(encoded) else {
            throw .malformed("the header has other members, or another spelling, than a table of this format.")
        }
    }

    /// The header in base64url.
    var encoded: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("alg", Self.algorithm)
        writer.member("b64", false)
        writer.key("crit")
        writer.beginArray()
        writer.string("b64")
        writer.endArray()
        writer.member("kid", keyID)
        writer.member("typ", Self.type)
        writer.endObject()
        return Array(Base64URL.text(of: writer.bytes).utf8)
    }
}
