import LinkClient
import LinkRouting
import LinkTable
import Testing

struct ResolvingTests {
    private func client(serverFacts: [String] = [], now: Timestamp = Sample.issuedAt) async throws -> LinkClient {
        let test = try TestClient(bundled: try Sample.signed(serverFacts: serverFacts), now: now)
        await test.client.load()
        return test.client
    }

    @Test func linkResolvesWithoutServer() async throws {
        let answer = try await client().resolve("acme://product/42")
        guard case .resolved(let link) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(link.action == .openApp)
        #expect(link.destination?.screen == "product")
        #expect(link.context.app == id("ios"))
        #expect(link.source == .table(revision: Revision(rawValue: 7), settingsRevision: 3))
    }

    @Test func everyLinkIsUndecidedBeforeTheTableIsLoaded() throws {
        let test = try TestClient(bundled: try Sample.signed())
        #expect(test.client.resolve("https://go.acme.com/product/42") == .undecided(.noTable))
        #expect(test.client.isStale)
    }

    @Test(arguments: [
        ("https://go.acme.com/vip/1", LinkAnswer.Undecided.serverRoute),
        ("https://go.acme.com/new", .missingFeatures(["warp"])),
    ]) func routeOfTheServerIsUndecided(_ url: String, _ reason: LinkAnswer.Undecided) async throws {
        #expect(try await client().resolve(url) == .undecided(reason))
    }

    @Test func stubRevealsNeitherIDNorDestination() throws {
        let text = String(decoding: try Sample.signed(), as: UTF8.self)
        #expect(!text.contains("secret") && !text.contains(#""vip""#))
        #expect(text.contains("/vip/{code}"))
    }

    @Test func conditionOnAFactOfTheServerIsUndecidedOnlyIfItsRouteCouldWin() async throws {
        let client = try await client(serverFacts: ["country"])
        #expect(client.resolve("https://go.acme.com/local") == .undecided(.serverFact(id("local"))))
        #expect(client.resolve("https://go.acme.com/product/1").resolution?.outcome == .matched)
        let british = client.resolve("https://go.acme.com/local", in: LinkContext(country: "GB"))
        #expect(british.resolution?.destination?.screen == "uk")
        let french = client.resolve("https://go.acme.com/local", in: LinkContext(country: "FR"))
        #expect(french.resolution?.destination?.screen == "world")
    }

    @Test func missingFactIsUnknownIfTheServerDoesNotKnowItEither() async throws {
        let answer = try await client().resolve("https://go.acme.com/local")
        #expect(answer.resolution?.destination?.screen == "world")
    }

    @Test func clockBeforeTheIssueOfTheTableLeavesTimesToTheServer() async throws {
        let client = try await client(now: Timestamp(milliseconds: 0))
        #expect(client.resolve("https://go.acme.com/sale") == .undecided(.serverFact(id("sale"))))
        #expect(client.resolve("https://go.acme.com/product/1").resolution?.outcome == .matched)
        #expect(!client.isStale)
    }

    @Test func clockFarAheadMakesTheTableStaleAndKeepsItInUse() async throws {
        let client = try await client(now: Timestamp(milliseconds: 2_500_000_000_000))
        #expect(client.isStale)
        #expect(client.resolve("https://go.acme.com/product/1").resolution?.outcome == .matched)
    }

    @Test func unreadableLinkIsRejectedLocally() async throws {
        let answer = try await client().resolve("https://go.acme.com/a/../b")
        #expect(answer.resolution?.rejection?.code == .dotSegment)
    }

    @Test func factsOfTheConfigurationCompleteTheContext() {
        let own = LinkContext(platform: .ios, traits: ["plan": ["pro"]])
        let other = LinkContext(platform: .android, country: "GB", traits: ["plan": ["free"], "beta": ["true"]])
        let completed = own.completed(by: other)
        #expect(completed.platform == .ios)
        #expect(completed.country == "GB")
        #expect(completed.traits == ["plan": ["pro"], "beta": ["true"]])
    }

    @Test func previewAnswersFromADocument() throws {
        let client = try LinkClient.preview(
            json: #"""
                {"settings": {"schemes": ["acme"], "apps": [{"id": "ios", "platform": "ios", "teamID": "ABCDE12345",
                              "bundleID": "com.acme.app"}]},
                 "table": {"routes": [{"id": "home", "path": "/", "open": {"screen": "home"}},
                                      {"id": "vip", "path": "/vip", "audience": "server", "web": "https://a.example/"}]}}
                """#,
            app: "ios"
        )
        #expect(client.resolve("acme:/").resolution?.destination?.screen == "home")
        #expect(client.resolve("acme:/vip") == .undecided(.serverRoute))
        #expect(client.state.table?.origin == .preview)
    }

    @Test func previewExplainsAWrongDocument() {
        #expect {
            try LinkClient.preview(json: #"{"settings": {"apps": []}, "table": {}}"#, app: "ios")
        } throws: { "\($0)".contains("have no app 'ios'") }
        #expect { try LinkClient.preview(json: "{", app: "ios") } throws: { "\($0)".contains("line 1, column 2") }
    }

    @Test(arguments: [
        (["server": "http://links.acme.com"], "'server' is 'http://links.acme.com'"),
        (["server": "http://localhost.evil.example"], "'server' is"),
        (["server": "https://links.acme.com/?a"], "'server' is"),
        (["tenant": "Acme Inc"], "'tenant' is 'Acme Inc'"),
        (["key": "abc"], "keys[0]: This is not a public key"),
        (["key": "none"], "'keys' is empty"),
    ]) func wrongConfigurationIsExplained(_ change: [String: String], _ message: String) throws {
        var configuration = LinkClient.Configuration(
            tenant: change["tenant"] ?? "acme",
            app: "ios",
            keys: [try Sample.key().publicKey.description],
            server: change["server"] ?? "http://localhost:8080"
        )
        if let key = change["key"] { configuration.keys = key == "none" ? [] : [key] }
        #expect { try LinkClient(configuration) } throws: { "\($0)".hasPrefix(message) }
    }
}
