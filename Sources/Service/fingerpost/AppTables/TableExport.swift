import ArgumentParser
import LinkRouting
import LinkTable
import Networking

struct TableExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Fetch the signed table of an app from a server, for example to bundle it with the app.",
        discussion: """
            EXAMPLE
              fingerpost table export shop --app ios --output shop.table

            With --public-key, the table is verified before it is written. A tenant with 'clientKey: required' \
            needs a key with the scope resolve. The key is sent only if the server asks for one.
            """
    )

    @ArgumentParser.Argument(help: "The tenant.") var tenant: String
    @OptionGroup var scope: TableScopeOptions
    @OptionGroup var server: PublicOptions
    @OptionGroup var keys: PublicKeyOptions
    @ArgumentParser.Option(help: "The file to write.") var output: String

    func run() async throws {
        try requireReplaceable(output, inputs: self.keys.publicKey)
        let scope = try scope.scope(of: TenantID(argument: tenant))
        let response = try await server.download().table(of: scope)
        guard response.status == 200 else {
            throw fail("\(server.server) answered \(response.status): \(response.problem)", .failed)
        }
        let keys = try keys.keys()
        if !keys.isEmpty {
            do throws(TableRejection) {
                _ = try SignedTable.verify(response.body, keys: keys, expecting: scope, at: SystemClock.now())
            } catch {
                throw fail("the table of \(server.server) is not valid: \(error) (\(error.code))", .failed)
            }
        }
        try write(String(decoding: response.body, as: UTF8.self), toFile: output)
        show("\(output): \(response.body.count) bytes")
    }
}

extension PublicOptions {
    func download() throws -> AppTableDownload { AppTableDownload(server: server, key: try key) }
}
