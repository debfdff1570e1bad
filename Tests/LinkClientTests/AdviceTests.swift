import Foundation
import LinkClient
import LinkRouting
import LinkTable
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Each error says what to do.
struct AdviceTests {
    @Test(
        arguments: [
            // error, advice
            (.noServer, "Set 'server'."), (.unreachable("x"), "Ask again when the device is online."),
            (.refused(status: 401, "x"), "Set 'clientKey' to a key with the scope 'resolve'."),
            (.refused(status: 503, "x"), "Ask again later."),
            (.unreadable("x"), "Check that 'server' is the public address of a Fingerpost server."),
        ] as [(LinkClient.AskError, String)]
    )
    func errorEndsWithAdvice(_ error: LinkClient.AskError, _ advice: String) {
        #expect("\(error)".hasSuffix(advice))
    }

    /// The description of `URLError` is a dump of its dictionary.
    @Test func networkErrorIsOneSentence() async throws {
        let test = try TestClient(server: StubServer { _ in throw URLError(.cannotConnectToHost) })
        await test.client.refresh()
        let message = try #require(test.problem(.download)?.message)
        #expect(message.hasPrefix("The table cannot be downloaded: "))
        #expect(message.hasSuffix(". The client tries again."))
        #expect(!message.contains("Domain=") && !message.contains(".."), "\(message)")
        await #expect { try await test.client.ask("acme:/") } throws: { error in
            "\(error)".hasSuffix(". Ask again when the device is online.") && !"\(error)".contains("Domain=")
        }
    }

    @Test func missingFileOfTheBundledTableIsAddedToTheApp() async throws {
        var configuration = LinkClient.Configuration(
            tenant: "acme",
            app: "ios",
            keys: [try Sample.key().publicKey.description]
        )
        configuration.bundledTable = .file("/none/acme.table")
        let client = try LinkClient(configuration)
        await client.load()
        let problem = try #require(client.state.problems.first)
        #expect(problem.kind == .bundledTable)
        #expect(problem.message.contains("'/none/acme.table'"))
        #expect(problem.message.hasSuffix("Add the bundled table to the app's resources."))
    }

    @Test(
        arguments: [
            // rejection, advice
            (.unknownKey("x"), "Add the public key to the app's keys, or sign with one of them."),
            (.badSignature, "Fetch it again."), (.truncated, "download it again."),
            (.malformed("the first line is not HEADER..SIGNATURE."), "Fetch one with 'fingerpost table export'."),
            (.newerFormat(2), "Update the app."), (.unsupportedFeatures(["warp"]), "Update the app."),
            (.otherTenant(id("x")), "Export the right table, or correct the tenant, environment or app."),
            (.otherApp(id("x")), "Export the right table, or correct the tenant, environment or app."),
            (.issuedInFuture(Sample.issuedAt), "Set the clock of this device."),
        ] as [(TableRejection, String)]
    )
    func refusedTableIsExplained(_ rejection: TableRejection, _ advice: String) {
        #expect("\(rejection)".hasSuffix(advice))
    }
}
