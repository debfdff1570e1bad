import ArgumentParser
import Foundation
import Logging
import StubLinks
import StubServer

/// The options of `fingerpost stub` for links.
struct StubLinkOptions: ParsableArguments {
    @Option(help: "A tenant file whose links are answered; may be repeated. FOLDER/tenants is read, too.")
    var tenant: [String] = []
    @Option(help: "A suite whose links /__links lists; may be repeated. FOLDER/suites is read, too.")
    var suite: [String] = []
    @Option(help: "The key file that signs the tables of apps; without it, a key is made for the run.")
    var tableKey: String?

    func validate(_ folder: String?) throws {
        let hasTenants = !tenant.isEmpty || Self.hasTenants(folder)
        guard hasTenants || suite.isEmpty && tableKey == nil else {
            throw ValidationError("--suite and --table-key need a tenant file; name one with --tenant.")
        }
    }

    private static func hasTenants(_ folder: String?) -> Bool {
        folder.map { FileManager.default.fileExists(atPath: "\($0)/tenants") } ?? false
    }

    /// The endpoints for the tenant files; nil if there are none.
    func endpoints(folder: String?, environment: StubEnvironment) async throws -> StubLinks? {
        guard !tenant.isEmpty || Self.hasTenants(folder) else { return nil }
        var configuration = StubLinks.Configuration()
        configuration.tenants = tenant
        configuration.suites = suite
        configuration.folder = folder
        configuration.environment = environment
        configuration.signingKey = try tableKey.map { try TableKeyFiles($0).current() }
        configuration.logger = Logger(label: "fingerpost.stub") { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = .error
            return handler
        }
        do {
            return try await StubLinks(configuration)
        } catch let error as UnusableFile {
            throw fail(error.description, .unreadableInput, more: Array(error.lines.dropFirst()))
        }
    }
}
