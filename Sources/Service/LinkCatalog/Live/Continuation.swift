import Crypto
package import LinkRouting

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The link that a person returns to after signing in. It travels as a sealed token that nobody else can make or
/// change.
package struct Continuation: Sendable, Hashable {
    /// Lifetime of a token, in milliseconds (30 minutes).
    package static let lifetime: Int64 = 30 * 60 * 1_000

    package let tenant: TenantID
    package let environment: EnvironmentID
    package let app: AppID?
    package let url: String
    package let expiresAt: Timestamp

    package init(tenant: TenantID, environment: EnvironmentID, app: AppID?, url: String, expiresAt: Timestamp) {
        self.tenant = tenant
        self.environment = environment
        self.app = app
        self.url = url
        self.expiresAt = expiresAt
    }

    /// The reason why a token is not accepted.
    package enum Failure: Error, Hashable, Sendable {
        case invalid
        case expired
    }
}

/// Seals and opens continuations with AES-GCM. Two keys are active at a time, so that a key rotation does not
/// invalidate tokens in flight.
package struct ContinuationSealer: Sendable {
    package static let keyBytes = 32
    private static let version: UInt8 = 1

    /// Newest first. The first key seals; all keys open.
    private let keys: [SymmetricKey]

    /// Takes keys of 32 bytes, newest first, and uses the first two. Nil without keys, or when a key has another
    /// length.
    package init?(keys: [Data]) {
        guard !keys.isEmpty, keys.allSatisfy({ $0.count == Self.keyBytes }) else { return nil }
        self.keys = keys.prefix(2).map { SymmetricKey(data: $0) }
    }

    /// Returns the token: the version byte and the AES-GCM box, in base64url.
    package func seal(_ continuation: Continuation) throws -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("t", continuation.tenant.rawValue)
        writer.member("e", continuation.environment.rawValue)
        writer.member("a", continuation.app?.rawValue)
        writer.member("u", continuation.url)
        writer.member("x", continuation.expiresAt.milliseconds)
        writer.endObject()
        let box = try AES.GCM.seal(Data(writer.bytes), using: keys[0], authenticating: [Self.version])
        guard let sealed = box.combined else { preconditionFailure("a box with a standard nonce has a combined form") }
        return (Data([Self.version]) + sealed).base64URL
    }

    /// Opens a token that was sealed with one of the keys, has not expired, and is bound to no app or to `app`.
    ///
    /// - Parameter token: At most 16,384 bytes.
    package func open(_ token: String, for app: AppID?, at now: Timestamp) throws(Continuation.Failure) -> Continuation
    {
        guard token.utf8.count <= 16_384, let data = Data(base64URL: token), data.first == Self.version,
            let box = try? AES.GCM.SealedBox(combined: data.dropFirst()),
            let plain = keys.lazy.compactMap({ try? AES.GCM.open(box, using: $0, authenticating: [Self.version]) })
                .first,
            let node = try? JSONReader.parse(Array(plain), limits: JSONReader.Limits(maximumBytes: 32_768)),
            let tenant = node["t"]?.text.flatMap({ TenantID($0) }),
            let environment = node["e"]?.text.flatMap({ EnvironmentID($0) }), let url = node["u"]?.text,
            let expiry = node["x"]?.int
        else { throw .invalid }
        let bound = node["a"]?.text.flatMap { AppID($0) }
        guard bound == nil || bound == app else { throw .invalid }
        guard now.milliseconds < expiry else { throw .expired }
        return Continuation(
            tenant: tenant,
            environment: environment,
            app: bound,
            url: url,
            expiresAt: Timestamp(milliseconds: expiry)
        )
    }
}

extension Data {
    package var base64URL: String { Base64URL.text(of: self) }

    package init?(base64URL text: String) {
        guard let bytes = Base64URL.bytes(of: text.utf8) else { return nil }
        self.init(bytes)
    }
}
