import LinkClient
import LinkRouting
import Testing

/// The link that led to the installation of the app.
struct InstallTests {
    private let answer = #"""
        {"link": "https://go.acme.com/s/spring", "method": "referrer",
         "answer": {"outcome": "matched", "action": "open_app", "tenant": "acme", "revision": 9,
                    "destination": {"screen": "product"}}}
        """#

    private func client(_ status: Int, _ body: String) throws -> TestClient {
        try TestClient(server: StubServer { _ in LinkResponse(status: status, body: Array(body.utf8)) })
    }

    @Test(
        arguments: [
            ("fp=a-_9", "a-_9"), ("utm_source=mail&fp=a&utm_medium=b", "a"), ("utm_source=google-play", nil), ("", nil),
            ("xfp=a", nil),
        ] as [(String, String?)]
    )
    func tokenOfTheReferrerIsSent(referrer: String, token: String?) async throws {
        let test = try client(200, answer)
        let link = try await test.client.installed(referrer: referrer, in: LinkContext(authenticated: false))
        #expect(link?.url == (token == nil ? nil : "https://go.acme.com/s/spring"))
        #expect(link?.destination?.screen == (token == nil ? nil : "product"))
        let install = try installOfTheFile(test)
        let bodies = test.server.requests.map { String(decoding: $0.body, as: UTF8.self) }
        let expected = token.map { token in
            #"{"tenant":"acme","environment":"production","app":"ios","install":"\#(install)","token":"\#(token)","#
                + #""context":{"app":"ios","installed":true,"authenticated":false}}"#
        }
        #expect(bodies == [expected].compactMap(\.self))
        #expect(test.server.requests.allSatisfy { $0.url == "https://links.acme.test/_fp/installs" })
    }

    @Test func pastedLinkIsSent() async throws {
        let test = try client(200, answer)
        let link = try await test.client.pasted(" https://go.acme.com/s/spring")
        #expect(link?.source == .server(revision: Revision(rawValue: 9), continuation: nil))
        let request = try #require(test.server.requests.first)
        #expect(String(decoding: request.body, as: UTF8.self).contains(#""link":" https://go.acme.com/s/spring""#))
    }

    /// Later reports name the same install.
    @Test func installIsKept() async throws {
        let (test, again) = (try client(200, answer), try client(200, answer))
        _ = try await test.client.installed(referrer: "fp=a")
        let install = try installOfTheFile(test)
        again.disk[TestClient.outboxPath] = test.disk[TestClient.outboxPath]
        _ = try await again.client.pasted("acme://product/1")
        let request = try #require(again.server.requests.first)
        #expect(String(decoding: request.body, as: UTF8.self).contains(#""install":"\#(install)""#))
    }

    @Test(arguments: [
        (200, #"{"link": null, "answer": null, "method": "referrer"}"#),
        (404, #"{"code": "unknown_install", "detail": "x"}"#),
    ])
    func installationWithoutALinkHasNone(status: Int, body: String) async throws {
        let test = try client(status, body)
        let link = try await test.client.installed(referrer: "fp=a")
        #expect(link == nil)
    }

    @Test(arguments: [
        (404, #"{"code": "unknown_tenant", "detail": "No such tenant."}"#), (503, "{}"), (200, "[]"),
        (200, #"{"link": "acme://", "answer": {"outcome": "matched", "tenant": "cafe"}}"#),
    ])
    func otherAnswersAreErrors(status: Int, body: String) async throws {
        let test = try client(status, body)
        await #expect(throws: LinkClient.AskError.self) { try await test.client.pasted("acme://") }
    }

    private func installOfTheFile(_ test: TestClient) throws -> String {
        guard let file = test.disk[TestClient.outboxPath] else { return "" }
        let line = file.prefix { $0 != UInt8(ascii: "\n") }
        let node = try JSONReader.parse(Array(line), limits: JSONReader.Limits(maximumBytes: 65_536))
        return try #require(node["install"]?.text)
    }
}
