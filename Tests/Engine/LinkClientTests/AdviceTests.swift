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
            (.otherTenant("cafe", configured: "acme"), "If the link is one of this app, correct 'tenant'."),
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

    /// `fingerpost table keys show` prints a key and its id on one line, and both have 43 characters.
    @Test func keyIDInPlaceOfTheKeyIsExplained() async throws {
        let key = try Sample.key().publicKey
        func client(_ keys: [String]) throws -> LinkClient {
            var configuration = LinkClient.Configuration(tenant: "acme", app: "ios", keys: keys)
            configuration.bundledTable = .bytes(try Sample.signed())
            return try LinkClient(configuration)
        }
        func problem(_ keys: [String]) async throws -> String? {
            let client = try client(keys)
            await client.load()
            return client.state.problems.first?.message
        }
        #expect(try await problem([key.description]) == nil)
        let other = try Sample.key(9).publicKey
        let unknown = try await problem([other.description]) ?? ""
        #expect(
            unknown.contains("has the id (kid) '\(key.id)'. The accepted keys have the ids '\(other.id)'."),
            "\(unknown)"
        )
        let id = try await problem([key.id]) ?? ""
        #expect(id.contains("The accepted keys contain this id, which is not the public key."), "\(id)")
        let both = #expect(throws: LinkClient.ConfigurationError.self) { try client([key.description, key.id]) }
        #expect(both?.description.hasPrefix("keys[1] is the id (kid) of another key") == true)
        let zeros = #expect(throws: LinkClient.ConfigurationError.self) {
            try client([String(repeating: "A", count: 43)])
        }
        #expect(zeros?.description.hasPrefix("keys[0]: This is not a public key") == true)
    }

    @Test(
        arguments: [
            // rejection, advice
            (.unknownKey("x", accepted: []), "'fingerpost table keys show' prints. Or sign with an accepted key."),
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
