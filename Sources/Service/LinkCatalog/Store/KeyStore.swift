package import LinkRouting

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The storage of API keys and of the keys that seal tokens. Every write is one transaction together with its
/// audit row.
package protocol KeyStore: Sendable {
    /// Stores a new key, in place of the oldest expired one if there are too many. Returns the removed one. Throws
    /// ``MakerHasEnded`` when the key that creates it has ended, ``TooManyKeys`` when the limit is reached.
    func saveKey(_ grant: KeyGrant, change: AuditContext) async throws -> KeyID?
    /// Returns every key, ordered by id, also those that have ended within 30 days.
    func keyGrants() async throws -> [KeyGrant]
    /// Returns the keys that are not revoked. Some may have expired, and be valid again when a wrong clock is corrected.
    func keyGrantsNotRevoked() async throws -> [KeyGrant]
    /// Returns the existing keys among `ids`.
    func keyGrants(_ ids: [KeyID]) async throws -> [KeyGrant]
    /// Returns the ids of the tenant's keys; of all keys for nil.
    func keyIDs(of tenant: TenantID?) async throws -> [KeyID]
    /// Makes a key end at `end`, or earlier if it ends earlier already. Returns nil for an unknown id.
    func endKey(_ id: KeyID, at end: Timestamp, as action: KeyEnd, change: AuditContext) async throws -> EndedKey?
    /// Removes the keys that ended 30 days ago, and returns their ids. The ids stay stored, so that none is given again.
    func removeEndedKeys(at now: Timestamp) async throws -> [KeyID]
    /// Records the last use of a key, rounded to the hour.
    func noteUse(ofKey id: KeyID, at hour: Timestamp) async throws
    /// Returns the keys of a ring, newest first. Creates one from `random` when there is none or the newest is older than
    /// the ring's period.
    func sealingKeys(of ring: SealingKeyRing, random: Data, at now: Timestamp) async throws -> [Data]
}

/// The keys of one kind of token, which each start of the service renews.
package enum SealingKeyRing: String, Sendable {
    case continuation, install

    /// The age in milliseconds after which a start creates the next key.
    package var period: Int64 { self == .continuation ? day : 7 * day }
    /// The time in milliseconds for which a key is kept after the next one was created: longer than its tokens are valid.
    package var overlap: Int64 { self == .continuation ? day : 40 * day }

    private var day: Int64 { 86_400_000 }
}
