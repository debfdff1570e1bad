import FoundationEssentials
import LinkCatalog
import LinkRouting
import Testing

/// A token opens unchanged, for its own tenant, environment and app and within its lifetime, or not at all.
struct InstallTokenTests {
    private let now = Timestamp(milliseconds: 1_795_255_200_000)

    @Test(arguments: [nil, "https://go.acme.example/s/spring", "acme://a?q=%22é\"\\\u{1}"] as [String?])
    func sealedTokenOpensAsItWas(link: String?) throws {
        let (sealer, token) = (try sealer(1), try token(link))
        let text = try sealer.seal(token)
        #expect(open(text, with: sealer) == token)
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        var tenant = "shop"
        var environment = "production"
        var app = "android"
        var age: Int64 = 0
        var isValid = false

        var testDescription: String { "\(tenant) \(environment) \(app) \(age)" }
    }

    @Test(arguments: [
        Wrong(isValid: true), Wrong(tenant: "blogs"), Wrong(environment: "staging"), Wrong(app: "ios"),
        Wrong(age: InstallToken.lifetime - 1, isValid: true), Wrong(age: InstallToken.lifetime),
    ])
    func tokenOpensOnlyWhereItBelongs(one: Wrong) throws {
        let sealer = try sealer(1)
        let opened = sealer.open(
            try sealer.seal(try token()),
            of: try #require(TenantID(one.tenant)),
            in: try #require(EnvironmentID(one.environment)),
            for: try #require(AppID(one.app)),
            at: Timestamp(milliseconds: now.milliseconds + one.age)
        )
        #expect((opened != nil) == one.isValid)
    }

    @Test func everyChangedBitAndEveryCutIsRefused() throws {
        let sealer = try sealer(1)
        let text = try sealer.seal(try token())
        for index in text.utf8.indices {
            let at = text.utf8.distance(from: text.startIndex, to: index)
            for bit in 0..<8 {
                var bytes = Array(text.utf8)
                bytes[at] ^= 1 << UInt8(bit)
                #expect(open(String(decoding: bytes, as: UTF8.self), with: sealer) == nil, "bit \(bit) of \(at)")
            }
            #expect(open(String(text[..<index]), with: sealer) == nil, "the first \(at)")
        }
        #expect(open(text + "A", with: sealer) == nil)
        #expect(open(String(repeating: "A", count: 1 << 20), with: sealer) == nil)
    }

    @Test func allKeysOpen() throws {
        let token = try token()
        let text = try sealer(1).seal(token)
        let (all, others) = (try sealer(7, 6, 5, 4, 3, 2, 1), try sealer(3, 2))
        #expect(open(text, with: all) == token)
        #expect(open(text, with: others) == nil)
    }

    /// Also under the same key.
    @Test func continuationIsNoInstallToken() throws {
        let keys = [Data(repeating: 1, count: SealingKeys.keyBytes)]
        let continuation = Continuation(
            tenant: try #require(TenantID("shop")),
            environment: .production,
            app: AppID("android"),
            url: "acme://a",
            expiresAt: Timestamp(milliseconds: now.milliseconds + Continuation.lifetime)
        )
        let text = try #require(ContinuationSealer(keys: keys)).seal(continuation)
        let sealer = try sealer(1)
        #expect(open(text, with: sealer) == nil)
    }

    /// The length of a store's referrer is limited, so that a growth should be noticed.
    @Test func tokenWithTheLongestLinkIsShort() throws {
        let link = "https://go.acme.example/" + String(repeating: "a", count: InstallToken.longestLink - 24)
        let text = try sealer(1).seal(try token(link))
        #expect(text.utf8.count < 950)
    }

    private func sealer(_ keys: UInt8...) throws -> InstallTokenSealer {
        try #require(InstallTokenSealer(keys: keys.map { Data(repeating: $0, count: SealingKeys.keyBytes) }))
    }

    private func open(_ text: String, with sealer: InstallTokenSealer) -> InstallToken? {
        guard let tenant = TenantID("shop"), let app = AppID("android") else { return nil }
        return sealer.open(text, of: tenant, in: .production, for: app, at: now)
    }

    private func token(_ link: String? = "https://go.acme.example/s/spring") throws -> InstallToken {
        InstallToken(
            tenant: try #require(TenantID("shop")),
            environment: .production,
            app: try #require(AppID("android")),
            click: "01a1fccd-7806-7000-9551-a99eb7284b03",
            clickedAt: now,
            link: link
        )
    }
}
