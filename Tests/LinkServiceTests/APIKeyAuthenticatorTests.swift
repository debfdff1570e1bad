import Foundation
import LinkCatalog
import LinkRouting
import LinkService
import Testing

struct APIKeyAuthenticatorTests {
    @Test func revokedKeyDoesNotBecomeValidAgain() throws {
        let now = Timestamp(milliseconds: 1_795_255_200_000)
        let key = try #require(APIKey(environment: .production, random: Data(repeating: 7, count: 41)))
        var grant = KeyGrant(
            id: key.id,
            secretHash: key.secretHash,
            tenant: nil,
            scopes: [.keys],
            createdAt: now,
            expiresAt: nil,
            name: "a"
        )
        let authenticator = APIKeyAuthenticator([], now: { now })
        authenticator.add([grant])
        #expect(authenticator.stillHolds(grant))
        let before = grant
        grant.revokedAt = now
        authenticator.add([grant])
        // An earlier state of the key arrives later.
        authenticator.add([before])
        #expect(!authenticator.stillHolds(before))
    }
}
