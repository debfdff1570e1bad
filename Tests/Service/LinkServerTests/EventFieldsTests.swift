import Foundation
import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import Networking
import Testing

/// Which parts of a call's context are recorded in its event.
@Suite(.timeLimit(.minutes(15)))
struct EventFieldsTests {
    private static func acme(privacy: String) -> String {
        """
        formatVersion: 1
        tenant: acme
        settings:
          schemes: [acme]
          apps: [{id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.example.acme}]
          privacy: {\(privacy)}
        table: {routes: [{id: item, path: "/item/{id}", open: {screen: Item}}]}
        """
    }

    private static let call = """
        {"url": "acme://item/1", "context": {"app": "ios", "appVersion": "3.2.0", "appBuild": 412, "country": "gb",
          "locale": ["en-GB", "fr"], "stickyKey": "install-42", "traits": {"plan": "pro", "email": "eve@example.com"}}}
        """

    private func event(privacy: String, _ body: String = Self.call) async throws -> Event {
        try await withService { service in
            try await service.load(Self.acme(privacy: privacy))
            #expect(try await service.resolve(body).json?["outcome"]?.text == "matched")
            return try #require(try await service.events(of: "acme").first)
        }
    }

    @Test func settingsDecideHowMuchContextAnEventHas() async throws {
        let event = try await event(privacy: "recordTraits: [plan], recordInstall: true")
        #expect(event.appVersion == "3.2.0")
        #expect(event.appBuild == 412)
        #expect(event.locale == "en-GB")
        #expect(event.country == "GB")
        #expect(event.traits == #"{"plan":"pro"}"#)
        #expect(event.install != nil)
        #expect(event.botClass == nil)
    }

    @Test func traitsAndInstallsAreNotRecordedByDefault() async throws {
        let event = try await event(privacy: "")
        #expect(event.appBuild == 412)
        #expect(event.traits == nil)
        #expect(event.install == nil)
    }

    @Test func installIsFoundAgainAlsoAfterTheSettingIsTurnedOff() async throws {
        try await withService { service in
            let acme = try #require(TenantID("acme"))
            try await service.load(Self.acme(privacy: "recordInstall: true"))
            _ = try await service.resolve(Self.call)
            let install = try #require(try await service.events(of: "acme").first?.install)
            try await service.load(Self.acme(privacy: ""))
            #expect(try await service.dependencies.store.install(of: "install-42", tenant: acme) == install)
            #expect(try await service.dependencies.store.install(of: "install-43", tenant: acme) != install)
            let shop = try #require(TenantID("shop"))
            #expect(try await service.dependencies.store.install(of: "install-42", tenant: shop) == nil)
            #expect(try await service.dependencies.store.installKey(of: shop) == nil)
        }
    }

    /// An app's HTTP library is not a bot, and the app's own statements about its device take precedence.
    @Test func userAgentOfAnAppIsNotClassified() async throws {
        try await withService { service in
            _ = try await service.resolve(
                #"{"url":"yourapp://product/1","context":{"platform":"ios","device":"tablet"}}"#,
                headers: [.userAgent: "Mozilla/5.0 (Linux; Android 14; Pixel 9) okhttp/4.12.0"]
            )
            let event = try #require(try await service.events(of: "shop").first)
            #expect(event.userAgent?.hasSuffix("okhttp/4.12.0") == true)
            #expect(event.botClass == nil)
            #expect(event.platform == .ios)
            #expect(event.device == .tablet)
            #expect(event.osVersion == nil)
        }
    }

    // MARK: Countries

    private static let byCountry = """
        formatVersion: 1
        tenant: acme
        settings:
          domains: [{host: go.acme.example}, {host: www.acme.example, serves: association}]
          schemes: [acme]
        table:
          routes:
            - {id: home, path: /home, when: {country: NO}, web: "https://www.acme.example/hjem"}
            - {id: world, path: /home, web: "https://www.acme.example/home"}
        """

    /// Locates the address of the client in these tests.
    private static func peer(_ country: String) -> @Sendable (NetworkAddress) -> String? {
        { $0 == NetworkAddress("203.0.113.77") ? country : nil }
    }

    @Test(arguments: [("NO", "hjem"), ("SE", "home")])
    func clickIsRoutedByTheCountryOfItsAddress(country: String, page: String) async throws {
        try await withService(locating: Self.peer(country)) { service in
            try await service.load(Self.byCountry)
            let answer = try await service.publicPort(.get, "/home", host: "go.acme.example")
            #expect(answer["Location"] == "https://www.acme.example/\(page)")
            #expect(try await service.events(of: "acme").map(\.country) == [country])
        }
    }

    @Test(arguments: [
        ("{}", "NO" as String?), (#"{"country":"gb"}"#, "GB"), (#"{"country":"eve@example.com"}"#, nil),
        (#"{"country":""}"#, nil),
    ])
    func callersCountryWinsAndTheAddressOnlyFillsTheRecord(context: String, country: String?) async throws {
        try await withService(locating: Self.peer("NO")) { service in
            try await service.load(Self.byCountry)
            let answer = try await service.resolve(
                #"{"url":"https://go.acme.example/home","context":\#(context)}"#
            )
            #expect(answer.json?["route"]?["id"]?.text == "world")
            #expect(try await service.events(of: "acme").map(\.country) == [country])
        }
    }

    @Test func unownedLinkHasNoCountry() async throws {
        try await withService(locating: Self.peer("NO")) { service in
            _ = try await service.resolve(#"{"url":"https://nobody.example/"}"#)
            #expect(try await service.unownedEvents().map(\.country) == [nil])
        }
    }

    @Test func withoutAFileThereIsNoCountry() async throws {
        try await withService { service in
            try await service.load(Self.byCountry)
            let answer = try await service.publicPort(.get, "/home", host: "go.acme.example")
            #expect(answer["Location"] == "https://www.acme.example/home")
            #expect(try await service.events(of: "acme").map(\.country) == [nil])
        }
    }

    // MARK: Purposes

    @Test(arguments: [.live, .test, .preview, .prefetch, .probe] as [Event.Purpose])
    func purposeOfARequestIsRecorded(purpose: Event.Purpose) async throws {
        let event = try await event(privacy: "", #"{"url":"acme://item/1","purpose":"\#(purpose)"}"#)
        #expect(event.purpose == purpose)
    }
}
