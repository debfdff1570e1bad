import LinkCatalog
import LinkRouting
import LinkServer
import Synchronization

/// The keys of a session's clients. The tenant file holds no keys, so every key with the form and the checksum of one is
/// accepted for links; a tenant that requires a key still refuses requests without one.
final class SessionKeys: Sendable {
    let authenticator: APIKeyAuthenticator
    private let known = Mutex<Set<KeyID>>([])
    private let now: @Sendable () -> Timestamp

    /// Further keys are refused.
    private static let maximumCount = 100

    init(now: @escaping @Sendable () -> Timestamp) {
        self.now = now
        authenticator = APIKeyAuthenticator([], now: now)
    }

    func accept(_ authorization: String?) {
        guard let parts = authorization?.split(separator: " ", maxSplits: 1), parts.count == 2,
            parts[0].lowercased() == "bearer", let key = APIKey(token: String(parts[1]))
        else { return }
        let isNew = known.withLock { known in known.count < Self.maximumCount && known.insert(key.id).inserted }
        guard isNew else { return }
        authenticator.add(
            KeyGrant(
                id: key.id,
                secretHash: key.secretHash,
                tenant: nil,
                scopes: [.resolve, .explain],
                createdAt: now(),
                expiresAt: nil,
                name: "stub"
            )
        )
    }
}
