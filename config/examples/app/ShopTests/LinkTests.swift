import Foundation
import LinkClient
import LinkRouting
import Testing

@testable import Shop

@MainActor struct LinkTests {
    @Test(
        arguments: [
            ("yourapp://product/7", .show([.home, .productDetail(id: 7)])),
            ("yourapp://user/ada", .signIn),
            ("yourapp://nowhere/7", .refuse("This link leads nowhere in this app.")),
            ("https://www.elsewhere.example/", .nothing),
        ] as [(String, LinkOpening)]
    )
    func linkOpens(_ url: String, _ opening: LinkOpening) async throws {
        let link = try await SampleLinks.client().answer(to: url, in: LinkContext(authenticated: false))
        #expect(LinkOpening(link) == opening)
    }

    @Test func signInContinuesTheLink() async throws {
        let links = try SampleLinks.client()
        let link = try await links.answer(to: "yourapp://user/ada", in: LinkContext(authenticated: false))
        let resumed = try await links.resume(link)
        #expect(LinkOpening(resumed) == .show([.userProfile(id: "ada")]))
    }

    @Test func navigatorShowsTheProduct() throws {
        let navigator = Navigator(links: try SampleLinks.client(), session: Session())
        navigator.follow(try #require(URL(string: "yourapp://product/7")))
        #expect(navigator.path == [.productDetail(id: 7)])
    }

    @Test func newerLinkReplacesOneThatWaitsForTheSignIn() throws {
        let navigator = Navigator(links: try SampleLinks.client(), session: Session())
        navigator.follow(try #require(URL(string: "yourapp://user/ada")))
        #expect(navigator.isSigningIn)
        navigator.follow(try #require(URL(string: "yourapp://product/7")))
        #expect(!navigator.isSigningIn)
        navigator.userSignedIn()
        #expect(navigator.path == [.productDetail(id: 7)])
    }

    @Test func linkThatTheServerDecidesIsAsked() async throws {
        let json = """
            {"settings": {"schemes": ["yourapp"], "apps": [{"id": "ios", "platform": "ios", "teamID": "ABCDE12345",
                                                            "bundleID": "com.example.yourapp"}]},
             "table": {"formatVersion": 1, "routes": [
                {"id": "reset", "path": "/reset/{token}", "audience": "server", "open": {"screen": "Reset"}}]}}
            """
        let links = try LinkClient.preview(json: json, app: "ios", transport: Server())
        #expect(links.resolve("yourapp://reset/t") == .undecided(.serverRoute))
        let link = try await links.answer(to: "yourapp://reset/t")
        #expect(LinkOpening(link) == .show([.reset(token: "t")]))
    }
}

/// Answers as the server would.
struct Server: LinkTransport {
    func send(_ request: LinkRequest) async throws -> LinkResponse {
        let answer = """
            {"outcome": "matched", "action": "open_app", "destination": {"screen": "Reset", "arguments": {"token": "t"}}}
            """
        return LinkResponse(status: 200, body: Array(answer.utf8))
    }
}
