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
    /// The id of the event whose response has the token; nil if it is not in the log.
    package let event: String?
    package let expiresAt: Timestamp

    package init(
        tenant: TenantID,
        environment: EnvironmentID,
        app: AppID?,
        url: String,
        event: String? = nil,
        expiresAt: Timestamp
    ) {
        self.tenant = tenant
        self.environment = environment
        self.app = app
        self.url = url
        self.event = event
        self.expiresAt = expiresAt
    }

    /// The reason why a token is not accepted.
    package enum Failure: Error, Hashable, Sendable {
        case invalid
        case expired
    }
}

/// Seals and opens continuations. Two keys are active at a time, so that a key rotation does not invalidate tokens in
/// flight.
package struct ContinuationSealer: Sendable {
    private static let version: UInt8 = 1
    private let keys: SealingKeys

    /// Takes keys of 32 bytes, newest first, and uses the first two. Nil without keys, or when a key has another
    /// length.
    package init?(keys: [Data]) {
        guard let keys = SealingKeys(keys.prefix(2)) else { return nil }
        self.keys = keys
    }

    /// Uses other keys from now on; newest first, and the first two. Ignores none, and keys of another length.
    package func replaceKeys(_ keys: [Data]) { self.keys.replace(with: keys.prefix(2)) }

    package func seal(_ continuation: Continuation) throws -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("t", continuation.tenant.rawValue)
        writer.member("e", continuation.environment.rawValue)
        writer.member("a", continuation.app?.rawValue)
        writer.member("u", continuation.url)
        writer.member("i", continuation.event)
        writer.member("x", continuation.expiresAt.milliseconds)
        writer.endObject()
        return try keys.seal(writer.bytes, version: Self.version)
    }

    /// Opens a token that was sealed with one of the keys, has not expired, and is bound to no app or to `app`.
    ///
    /// - Parameter token: At most 16,384 bytes.
    package func open(_ token: String, for app: AppID?, at now: Timestamp) throws(Continuation.Failure) -> Continuation
    {
        guard let node = keys.open(token, version: Self.version, maximumBytes: 16_384),
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
            event: node["i"]?.text,
            expiresAt: Timestamp(milliseconds: expiry)
        )
    }
}
