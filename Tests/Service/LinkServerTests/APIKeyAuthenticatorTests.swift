import Foundation
import LinkCatalog
import LinkRouting
import LinkServer
import Synchronization
import Testing

struct APIKeyAuthenticatorTests {
    private let now = Timestamp(milliseconds: 1_795_255_200_000)

    private func grant(_ seed: UInt8) throws -> KeyGrant {
        let key = try #require(APIKey(environment: .production, random: Data(repeating: seed, count: 41)))
        return KeyGrant(
            id: key.id,
            secretHash: key.secretHash,
            tenant: nil,
            scopes: [.keys],
            createdAt: now,
            expiresAt: nil,
            name: "a"
        )
    }

    @Test func revokedKeyDoesNotBecomeValidAgain() throws {
        var grant = try grant(7)
        let authenticator = APIKeyAuthenticator([], now: { now })
        authenticator.add(grant)
        #expect(authenticator.stillHolds(grant))
        // An earlier state of the key, which a rotation has stored, arrives later.
        var rotated = grant
        rotated.expiresAt = Timestamp(milliseconds: now.milliseconds + 1)
        grant.revokedAt = now
        authenticator.end([grant])
        authenticator.end([rotated])
        #expect(!authenticator.stillHolds(grant) && authenticator.count == 0)
    }

    /// An expired key stays in memory: a clock that was wrong may be corrected.
    @Test func keysLeaveMemoryWhenTheyAreRevokedOrRemoved() throws {
        let clock = Mutex(now)
        let (valid, revoked, rotated) = (try grant(1), try grant(2), try grant(3))
        let later = Timestamp(milliseconds: now.milliseconds + 1_000)
        let authenticator = APIKeyAuthenticator([valid, revoked, rotated], now: { clock.withLock(\.self) })
        var (first, second) = (revoked, rotated)
        first.revokedAt = now
        second.expiresAt = later
        authenticator.end([first, second])
        #expect(authenticator.count == 2 && authenticator.stillHolds(rotated))
        clock.withLock { $0 = later }
        #expect(!authenticator.stillHolds(rotated))
        clock.withLock { $0 = now }
        #expect(authenticator.stillHolds(rotated))
        authenticator.remove([rotated.id])
        #expect(authenticator.count == 1 && authenticator.stillHolds(valid))
    }

    /// What another node changed is taken over, and what this node changed meanwhile stays.
    @Test func storedKeysReplaceOnlyWhatThisNodeHasNotChanged() throws {
        let (kept, elsewhereRevoked, revokedHere) = (try grant(1), try grant(2), try grant(3))
        let (addedHere, beingStored, elsewhereAdded) = (try grant(4), try grant(5), try grant(6))
        let authenticator = APIKeyAuthenticator([kept, elsewhereRevoked, revokedHere], now: { now })
        let read = authenticator.change
        let stored = [kept, revokedHere, elsewhereAdded]
        var ended = revokedHere
        ended.revokedAt = now
        authenticator.end([ended])
        authenticator.add(addedHere)
        authenticator.confirm(addedHere.id)
        authenticator.add(beingStored)
        authenticator.replace(stored, readAfter: read)
        let valid = [kept, elsewhereRevoked, revokedHere, addedHere, beingStored, elsewhereAdded]
            .map(authenticator.stillHolds)
        #expect(valid == [true, false, false, true, true, true])
        // A later reading has all changes of this node.
        authenticator.replace([kept, elsewhereAdded], readAfter: authenticator.change)
        #expect(authenticator.count == 3 && authenticator.stillHolds(beingStored))
        authenticator.remove([beingStored.id])
        #expect(authenticator.count == 2)
    }
}
