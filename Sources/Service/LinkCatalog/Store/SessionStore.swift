package import LinkRouting

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A person who has signed in to the console with a key. Nobody can use it without the token, of which only a hash is stored.
package struct Session: Sendable, Hashable {
    package let hash: Data
    package let key: KeyID
    /// The key, sealed with the token.
    package let sealedKey: Data
    /// Whether the token is in a link that signs in once.
    package let isLink: Bool
    package let createdAt: Timestamp
    package var usedAt: Timestamp
    /// It may end earlier, if it is not used.
    package let endsAt: Timestamp

    package init(
        hash: Data,
        key: KeyID,
        sealedKey: Data,
        isLink: Bool,
        createdAt: Timestamp,
        usedAt: Timestamp,
        endsAt: Timestamp
    ) {
        self.hash = hash
        self.key = key
        self.sealedKey = sealedKey
        self.isLink = isLink
        self.createdAt = createdAt
        self.usedAt = usedAt
        self.endsAt = endsAt
    }

    /// Names the session for people. It opens nothing.
    package var id: String {
        hash.prefix(8).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    /// Maximum number of sessions of a key. A further one ends the oldest.
    package static let maximumOfKey = 50
    /// How long a session lasts that nobody uses, in milliseconds: 12 hours.
    package static let idle: Int64 = 12 * 3_600_000
}

/// Stores the sessions of the console.
package protocol SessionStore: Sendable {
    /// Stores a session, and removes those that have ended.
    func saveSession(_ session: Session) async throws
    /// Returns the session with a hash; nil if there is none, or if it has ended.
    func session(_ hash: Data, at now: Timestamp) async throws -> Session?
    /// Notes that a session is used.
    func noteUse(of session: Session, at now: Timestamp) async throws
    /// Returns whether this call has removed the session; of two calls at once, only one gets true.
    func removeSession(_ hash: Data) async throws -> Bool
    /// The sessions of a key, newest first; those of all keys if it is nil.
    func sessions(of key: KeyID?, at now: Timestamp) async throws -> [Session]
}
