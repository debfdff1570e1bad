import Foundation
import LinkCatalog
import LinkRouting
import LinkService
import Synchronization
import Testing

struct APIKeyAuthenticatorTests {
    private let now = Timestamp(milliseconds: 1_795_255_200_000)

    private func grant(_ seed: UInt8, expiresAt end: Timestamp? = nil) throws -> KeyGrant {
        let key = try #require(APIKey(environment: .production, random: Data(repeating: seed, count: 41)))
        return KeyGrant(
            id: key.id,
            secretHash: key.secretHash,
            tenant: nil,
            scopes: [.keys],
            createdAt: now,
            expiresAt: end,
            name: "a"
        )
    }

    @Test func revokedKeyDoesNotBecomeValidAgain() throws {
        var grant = try grant(7)
        let authenticator = APIKeyAuthenticator([], now: { now })
        authenticator.add([grant])
        #expect(authenticator.stillHolds(grant))
        // An earlier state of the key, which a rotation has stored, arrives later.
        var rotated = grant
        rotated.expiresAt = Timestamp(milliseconds: now.milliseconds + 1)
        grant.revokedAt = now
        authenticator.end([grant])
        authenticator.end([rotated])
        #expect(!authenticator.stillHolds(grant))
    }

    @Test func endedKeysLeaveMemory() throws {
        let clock = Mutex(now)
        let (valid, revoked, rotated) = (try grant(1), try grant(2), try grant(3))
        let later = Timestamp(milliseconds: now.milliseconds + 1_000)
        let authenticator = APIKeyAuthenticator(
            [valid, revoked, rotated, try grant(4, expiresAt: now), try grant(5, expiresAt: later)],
            now: { clock.withLock(\.self) }
        )
        // A key that has expired is not read from the disk.
        #expect(authenticator.count == 4)
        var (first, second) = (revoked, rotated)
        first.revokedAt = now
        second.expiresAt = later
        authenticator.end([first, second])
        #expect(authenticator.count == 3 && authenticator.stillHolds(rotated))
        clock.withLock { $0 = later }
        #expect(!authenticator.stillHolds(rotated))
        authenticator.add([try grant(6)])
        #expect(authenticator.count == 2 && authenticator.stillHolds(valid))
    }
}
