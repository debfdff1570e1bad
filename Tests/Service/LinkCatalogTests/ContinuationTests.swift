import FoundationEssentials
import LinkCatalog
import LinkRouting
import Testing

/// A continuation opens unchanged, for its own app and within its lifetime, or not at all.
struct ContinuationTests {
    private let now = Timestamp(milliseconds: 1_795_255_200_000)

    @Test func sealedContinuationOpensAsItWas() throws {
        let continuation = try continuation()
        let sealer = try sealer(1)

        #expect(try sealer.open(try sealer.seal(continuation), for: AppID("ios"), at: now) == continuation)
    }

    @Test func continuationOfNoAppOpensForAny() throws {
        let sealer = try sealer(1)
        let continuation = try continuation(app: nil)

        for app in [AppID("ios"), nil] {
            #expect(try sealer.open(try sealer.seal(continuation), for: app, at: now) == continuation)
        }
    }

    @Test func otherAppAndNoAppAreRefused() throws {
        let sealer = try sealer(1)
        let token = try sealer.seal(try continuation())

        for app in [AppID("android"), nil] {
            #expect(throws: Continuation.Failure.invalid) { try sealer.open(token, for: app, at: now) }
        }
    }

    @Test func continuationExpires() throws {
        let sealer = try sealer(1)
        let token = try sealer.seal(try continuation())
        let end = now.milliseconds + Continuation.lifetime

        #expect(throws: Never.self) {
            try sealer.open(token, for: AppID("ios"), at: Timestamp(milliseconds: end - 1))
        }
        #expect(throws: Continuation.Failure.expired) {
            try sealer.open(token, for: AppID("ios"), at: Timestamp(milliseconds: end))
        }
    }

    @Test func everyChangedCharacterIsRefused() throws {
        let sealer = try sealer(1)
        let token = Array(try sealer.seal(try continuation()).utf8)
        for index in token.indices {
            for byte in "AZaz09-_+/=. é".utf8 where byte != token[index] {
                var changed = token
                changed[index] = byte
                let text = String(decoding: changed, as: UTF8.self)
                #expect(throws: Continuation.Failure.invalid, "character \(index)") {
                    try sealer.open(text, for: AppID("ios"), at: now)
                }
            }
        }
    }

    @Test func everyCutTokenIsRefused() throws {
        let sealer = try sealer(1)
        let token = try sealer.seal(try continuation())
        for length in 0..<token.utf8.count {
            #expect(throws: Continuation.Failure.invalid) {
                try sealer.open(String(token.prefix(length)), for: AppID("ios"), at: now)
            }
        }
        #expect(throws: Continuation.Failure.invalid) { try sealer.open(token + "A", for: AppID("ios"), at: now) }
        #expect(throws: Continuation.Failure.invalid) {
            try sealer.open(String(repeating: "A", count: 1 << 20), for: AppID("ios"), at: now)
        }
    }

    @Test func twoKeysLiveAtATime() throws {
        let continuation = try continuation()
        let token = try sealer(1).seal(continuation)

        #expect(try sealer(2, 1).open(token, for: AppID("ios"), at: now) == continuation)
        #expect(throws: Continuation.Failure.invalid) { try sealer(3, 2, 1).open(token, for: AppID("ios"), at: now) }
        // The newest key seals: the old key alone does not open a token sealed after a rotation.
        let newer = try sealer(2, 1).seal(continuation)
        #expect(try sealer(2).open(newer, for: AppID("ios"), at: now) == continuation)
        #expect(throws: Continuation.Failure.invalid) { try sealer(1).open(newer, for: AppID("ios"), at: now) }
    }

    @Test func foreignKeyIsRefused() throws {
        let token = try sealer(1).seal(try continuation())

        #expect(throws: Continuation.Failure.invalid) { try sealer(9).open(token, for: AppID("ios"), at: now) }
    }

    @Test func noTokenIsLikeAnother() throws {
        let sealer = try sealer(1)
        let continuation = try continuation()

        #expect(try sealer.seal(continuation) != sealer.seal(continuation))
    }

    @Test func keysHave32Bytes() {
        #expect(ContinuationSealer(keys: []) == nil)
        #expect(ContinuationSealer(keys: [Data(repeating: 1, count: 31)]) == nil)
        #expect(ContinuationSealer(keys: [Data(repeating: 1, count: 32), Data(repeating: 1, count: 16)]) == nil)
    }

    @Test func base64URLHasOneSpelling() {
        #expect(Data([0xFB, 0xFF]).base64URL == "-_8")
        #expect(Data(base64URL: "-_8") == Data([0xFB, 0xFF]))
        for other in ["-_9", "-_8=", "+/8", "-_8A=", "-", "a b", "é"] { #expect(Data(base64URL: other) == nil) }
        #expect(Data(base64URL: "") == Data())
    }

    private func sealer(_ keys: UInt8...) throws -> ContinuationSealer {
        try #require(ContinuationSealer(keys: keys.map { Data(repeating: $0, count: SealingKeys.keyBytes) }))
    }

    private func continuation(app: AppID? = AppID("ios")) throws -> Continuation {
        Continuation(
            tenant: try #require(TenantID("shop")),
            environment: .production,
            app: app,
            url: "https://yourappdomain.com/user/anna?q=%22é",
            expiresAt: Timestamp(milliseconds: now.milliseconds + Continuation.lifetime)
        )
    }
}
