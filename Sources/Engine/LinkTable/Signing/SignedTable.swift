import Crypto
package import LinkRouting

/// A table for an app, signed by the server.
///
/// It is a JWS (RFC 7515) with a detached, unencoded payload (RFC 7797): a line `HEADER..SIGNATURE`, a line feed, and
/// the payload as JSON. The signature covers the exact bytes of header and payload. An unencoded payload compresses better
/// than base64, and an app needs no second copy of it. Each table has one accepted form: a change of any
/// bit is refused.
package enum SignedTable {
    /// Maximum size of a signed table.
    package static let maximumBytes = 8 << 20
    /// Maximum size of the line with header and signature.
    private static let maximumLineBytes = 1_024
    private static let signatureBytes = 64
    /// The tolerated difference between the clocks of server and app.
    package static let clockTolerance = Timestamp.millisecondsPerDay

    // MARK: Signing

    /// Signs a table with a key in this process.
    ///
    /// - Returns: The bytes of the file and of the download.
    package static func sign(_ content: TableContent, with key: TablePrivateKey) throws -> [UInt8] {
        let signature = try key.signature(of: signingInput(content, for: key.publicKey))
        return try assemble(content, signature: signature, by: key.publicKey)
    }

    /// Returns the message that the holder of the key signs with Ed25519.
    package static func signingInput(_ content: TableContent, for key: TablePublicKey) -> [UInt8] {
        signingInput(header: TableHeader(keyID: key.id).encoded, payload: content.payload[...])
    }

    /// Returns the signed table for a signature that was made elsewhere, for example by an agent.
    ///
    /// - Throws: A ``TableRejection`` if an app would refuse the table.
    package static func assemble(_ content: TableContent, signature: [UInt8], by key: TablePublicKey) throws -> [UInt8]
    {
        var bytes = TableHeader(keyID: key.id).encoded
        bytes += [UInt8(ascii: "."), UInt8(ascii: ".")]
        bytes += Base64URL.text(of: signature).utf8
        bytes.append(UInt8(ascii: "\n"))
        bytes += content.payload
        _ = try AppTable(
            payload: authenticated(bytes, keys: [key]),
            expecting: content.scope,
            checking: .everyRoute
        )
        return bytes
    }

    private static func signingInput(header: some Collection<UInt8>, payload: ArraySlice<UInt8>) -> [UInt8] {
        var message: [UInt8] = []
        message.reserveCapacity(header.count + 1 + payload.count)
        message += header
        message.append(UInt8(ascii: "."))
        message += payload
        return message
    }

    // MARK: Verifying

    /// Verifies and reads a table.
    ///
    /// - Parameters:
    ///   - keys: The accepted keys: the current one and the next one.
    ///   - version: The version in use; an older table is refused.
    ///   - now: The time of a download, which must be between issue and expiry. Nil for a table from the app or from the
    ///     disk, which is used regardless of the clock.
    ///   - checking: Whether all routes are decoded now.
    package static func verify(
        _ bytes: [UInt8],
        keys: [TablePublicKey],
        expecting scope: TableScope,
        notOlderThan version: AppTableVersion? = nil,
        at now: Timestamp? = nil,
        checking: AppTable.Checking = .everyRoute
    ) throws(TableRejection) -> AppTable {
        let payload = try authenticated(bytes, keys: keys)
        let table = try AppTable(payload: payload, expecting: scope, checking: checking)
        if let version, table.claims.version.isOlder(than: version) {
            throw .older(table.claims.version, than: version)
        }
        guard let now else { return table }
        guard table.claims.issuedAt.milliseconds <= now.milliseconds + clockTolerance else {
            throw .issuedInFuture(table.claims.issuedAt)
        }
        guard table.claims.expiresAt.milliseconds > now.milliseconds - clockTolerance else {
            throw .expired(table.claims.expiresAt)
        }
        return table
    }

    /// Verifies the signature, and returns the payload.
    private static func authenticated(
        _ bytes: [UInt8],
        keys: [TablePublicKey]
    ) throws(TableRejection) -> ArraySlice<UInt8> {
        guard bytes.count <= maximumBytes else { throw .tooLarge(bytes: bytes.count) }
        guard let end = bytes.prefix(maximumLineBytes).firstIndex(of: UInt8(ascii: "\n")) else {
            guard bytes.count >= maximumLineBytes else { throw .truncated }
            throw .malformed("the first line has more than \(maximumLineBytes) bytes.")
        }
        let parts = bytes[..<end].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].isEmpty else {
            throw .malformed("the first line is not HEADER..SIGNATURE.")
        }
        let header = try TableHeader(encoded: parts[0])
        guard let key = keys.first(where: { $0.id == header.keyID }) else {
            throw .unknownKey(header.keyID, accepted: keys)
        }
        guard let signature = Base64URL.bytes(of: parts[2]), signature.count == signatureBytes else {
            throw .malformed("the signature is not \(signatureBytes) bytes in base64url without padding.")
        }
        let payload = bytes[(end + 1)...]
        guard key.verifies(signature, of: signingInput(header: parts[0], payload: payload)) else {
            throw payload.last == UInt8(ascii: "}") ? .badSignature : .truncated
        }
        return payload
    }

    // MARK: HTTP

    /// The media type of a signed table.
    package static let mediaType = "application/vnd.fingerpost.table"

    /// The strong entity tag of a signed table, with its quotes. An app computes it from the table that it has, so that
    /// a table from the app's bundle is not downloaded again either.
    package static func entityTag(of bytes: [UInt8]) -> String {
        "\"\(Base64URL.text(of: SHA256.hash(data: bytes)))\""
    }
}
