import Foundation
import HTTPTransport
import LinkCatalog
import LinkRouting
import LinkServer

/// Signs people in with a key, and finds the key of their later requests. A session ends with its key.
struct Sessions: Sendable {
    let store: any SessionStore
    let keys: APIKeyAuthenticator
    let now: @Sendable () -> Timestamp
    let random: @Sendable (_ count: Int) -> Data

    /// How long a session may last, and a link that signs in, in milliseconds.
    private static let longest: (session: Int64, link: Int64) = (30 * 86_400_000, 5 * 60_000)
    /// A use is stored once in this many milliseconds.
    private static let useInterval: Int64 = 600_000

    /// A person's session.
    struct Signed: Sendable {
        let token: SessionToken
        let grant: KeyGrant
        /// The value of `Authorization` for requests in the person's name.
        let authorization: String
    }

    /// Begins a session, or makes the token of a link that begins one.
    ///
    /// - Throws: A `Problem` if the key is not valid, or what the store throws.
    func begin(with key: String, isLink: Bool = false) async throws -> Signed {
        let authorization = "Bearer \(key.trimmingCharacters(in: .whitespacesAndNewlines))"
        guard let grant = try keys.optionalGrant(authorization),
            let key = APIKey(token: String(authorization.dropFirst(7)))
        else { throw Problem.invalidKey }
        guard let token = SessionToken(random: random(SessionToken.randomBytes)) else {
            preconditionFailure("the number of random bytes is that of a token")
        }
        let now = now()
        let end = now.milliseconds + (isLink ? Self.longest.link : Self.longest.session)
        try await store.saveSession(
            Session(
                hash: token.hash,
                key: grant.id,
                sealedKey: try token.seal(key),
                isLink: isLink,
                createdAt: now,
                usedAt: now,
                endsAt: Timestamp(milliseconds: min(end, grant.expiresAt?.milliseconds ?? end))
            )
        )
        return Signed(token: token, grant: grant, authorization: authorization)
    }

    /// The name of the key of a link; nil if the link is not valid any more.
    func name(ofLink token: SessionToken) async throws -> String? {
        guard let session = try await store.session(token.hash, at: now()), session.isLink,
            let key = token.open(session.sealedKey)
        else { return nil }
        return keys.validGrant("Bearer \(key.token)")?.name
    }

    /// Begins the session of a link, which then begins no other one. Nil if the link is not valid any more.
    func begin(withLink token: SessionToken) async throws -> Signed? {
        guard let session = try await store.session(token.hash, at: now()), session.isLink,
            let key = token.open(session.sealedKey), try await store.removeSession(token.hash)
        else { return nil }
        return try await begin(with: key.token)
    }

    /// Returns the session of a token; nil if it has ended.
    func session(_ token: SessionToken) async throws -> Signed? {
        let now = now()
        guard let session = try await store.session(token.hash, at: now), !session.isLink,
            let key = token.open(session.sealedKey)
        else { return nil }
        let authorization = "Bearer \(key.token)"
        guard let grant = keys.validGrant(authorization) else { return nil }
        if now.milliseconds - session.usedAt.milliseconds > Self.useInterval {
            try await store.noteUse(of: session, at: now)
        }
        return Signed(token: token, grant: grant, authorization: authorization)
    }

    func end(_ token: SessionToken) async throws { _ = try await store.removeSession(token.hash) }
}
