import ArgumentParser
import LinkRouting
import LinkTable

struct TableVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify a signed table as an app does, and print what it states.",
        discussion: """
            EXAMPLE
              fingerpost table verify shop.table --tenant shop --app ios --public-key KEY

            Exit code 1 if an app would refuse the table. An app refuses a download that has expired, but uses the \
            last table that it has even after its expiry. --any-time verifies the table as the last one of an app.
            """
    )

    @ArgumentParser.Argument(help: "A signed table, or - for standard input.") var file: String
    @ArgumentParser.Option(help: "The tenant.") var tenant: String
    @OptionGroup var scope: TableScopeOptions
    @OptionGroup var keys: PublicKeyOptions
    @Flag(help: "Do not check when the table was issued and when it expires.") var anyTime = false
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard !keys.publicKey.isEmpty else {
            throw ValidationError("add --public-key with the key that the app pins.")
        }
    }

    func run() async throws {
        let scope = try scope.scope(of: TenantID(argument: tenant))
        let bytes = try readBytes(file)
        do {
            let table = try SignedTable.verify(
                bytes,
                keys: try keys.keys(),
                expecting: scope,
                at: anyTime ? nil : SystemClock.now()
            )
            json ? show(table.json) : show(["\(file) is valid"] + table.lines)
        } catch let error as TableRejection {
            throw fail("\(file): \(error) (\(error.code))", .failed)
        }
    }
}
