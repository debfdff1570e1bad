import FoundationEssentials
import LinkCatalog
import LinkRouting
import Testing

/// A key's text shows its type and detects typos.
struct APIKeyTests {
    @Test func tokenHasItsForm() throws {
        let key = try key(7)

        #expect(key.token.hasPrefix("fp_production_\(key.id)_"))
        #expect(key.id.rawValue.utf8.count == 12)
        #expect(key.token.utf8.count == "fp_production_".utf8.count + 12 + 1 + 43 + 6)
        #expect(key.token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }

    @Test func tokenReadsBackAsTheKey() throws {
        for seed in 0..<200 {
            let key = try key(UInt8(seed))
            #expect(APIKey(token: key.token) == key)
        }
    }

    @Test func environmentMayHoldUnderscores() throws {
        let environment = try #require(EnvironmentID("staging_eu-1.b"))
        let key = try #require(APIKey(environment: environment, random: random(3)))

        #expect(APIKey(token: key.token)?.environment == environment)
        #expect(APIKey(token: key.token)?.id == key.id)
    }

    @Test(arguments: ["production", "my_env", "staging_eu-1.b"])
    func wholeKeyNamesItsID(_ environment: String) throws {
        let name = try #require(EnvironmentID(environment))
        let key = try #require(APIKey(environment: name, random: random(3)))
        for text in [key.token, " \(key.token)\n", key.id.rawValue] { #expect(KeyID(named: text) == key.id) }
        // A damaged key names none: its id cannot be told from the rest.
        for text in ["", "fp_production", String(key.token.dropLast()), "a-b", String(key.token.suffix(49))] {
            #expect(KeyID(named: text) == nil)
        }
    }

    @Test func messageHidesKeys() throws {
        let token = try key(7).token
        #expect("Unexpected argument '\(token)'".withoutKeys == "Unexpected argument 'fp_…'")
        #expect("\(token.dropLast(9)) and \(token)".withoutKeys == "fp_… and fp_…")
        #expect("'Authorization: Bearer fp_…', fp_production_".withoutKeys.hasSuffix("fp_production_"))
    }

    @Test(arguments: [UInt8(1), 2, 77])
    func everyChangedCharacterIsRefused(_ seed: UInt8) throws {
        let token = Array(try key(seed).token.utf8)
        for index in token.indices {
            for byte in UInt8(0x21)..<0x7F where byte != token[index] {
                var changed = token
                changed[index] = byte
                #expect(APIKey(token: String(decoding: changed, as: UTF8.self)) == nil)
            }
        }
    }

    @Test func swappedAndMissingCharactersAreRefused() throws {
        let token = Array(try key(5).token.utf8)
        for index in token.indices.dropLast() {
            var swapped = token
            swapped.swapAt(index, index + 1)
            if swapped != token { #expect(APIKey(token: String(decoding: swapped, as: UTF8.self)) == nil) }
            #expect(APIKey(token: String(decoding: token[..<index] + token[(index + 1)...], as: UTF8.self)) == nil)
        }
    }

    @Test(arguments: [
        "", "fp_", "fp_production_", "Bearer x", String(repeating: "_", count: 100),
        "fp_" + String(repeating: "é", count: 60),
        "fp_" + String(repeating: "a", count: 500), "fp__" + String(repeating: "x", count: 62),
    ])
    func otherTextIsNotAKey(_ text: String) {
        #expect(APIKey(token: text) == nil)
    }

    @Test func onlyTheOwnSecretMatches() throws {
        let key = try key(1)

        #expect(key.matches(key.secretHash))
        #expect(APIKey(token: key.token)?.matches(key.secretHash) == true)
        #expect(!key.matches(try self.key(2).secretHash))
        #expect(!key.matches(Data()))
        #expect(!key.matches(key.secretHash.dropLast()))
        // Data slices keep the indices of their base.
        #expect(key.matches((Data([0]) + key.secretHash).dropFirst()))
        #expect(key.secretHash.count == 32)
    }

    @Test func tooFewRandomBytesMakeNoKey() {
        #expect(APIKey(environment: .production, random: Data(repeating: 1, count: 40)) == nil)
        #expect(APIKey(environment: .production, random: (Data([9]) + random(1)).dropFirst()) != nil)
    }

    @Test func grantAllowsItsScopesForItsTenant() throws {
        let shop = try #require(TenantID("shop"))
        let taxi = try #require(TenantID("taxi"))
        func grant(_ scopes: Set<KeyGrant.Scope>, of tenant: TenantID?) -> KeyGrant {
            KeyGrant(
                id: KeyID(rawValue: "k"),
                secretHash: Data(),
                tenant: tenant,
                scopes: scopes,
                createdAt: Timestamp(milliseconds: 0),
                expiresAt: nil,
                name: "k"
            )
        }

        #expect(grant([.publish], of: shop).allows(.publish, for: shop))
        #expect(!grant([.publish], of: shop).allows(.tablesWrite, for: shop))
        #expect(!grant([.publish], of: shop).allows(.publish, for: taxi))
        #expect(!grant([.publish], of: shop).allows(.publish, for: nil))
        #expect(grant([.publish], of: nil).allows(.publish, for: taxi))
        for scope in KeyGrant.Scope.allCases { #expect(grant([.admin], of: nil).allows(scope, for: nil)) }
    }

    private func key(_ seed: UInt8) throws -> APIKey {
        try #require(APIKey(environment: .production, random: random(seed)))
    }

    private func random(_ seed: UInt8) -> Data {
        Data((0..<41).map { UInt8(truncatingIfNeeded: Int(seed) &* 37 &+ $0 &* 101 &+ ($0 * $0) &* Int(seed)) })
    }
}
