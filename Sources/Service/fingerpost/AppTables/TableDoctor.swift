import ArgumentParser
import LinkRouting
import LinkTable

struct TableDoctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Fetch an app's table as the app does, and report what the app would refuse.",
        discussion: """
            EXAMPLE
              fingerpost table doctor shop --app ios --public-key KEY --public-key NEXT

            Name both keys that the released apps pin. Exit code 1 when there is an error, 0 otherwise.
            """
    )

    @ArgumentParser.Argument(help: "The tenant.") var tenant: String
    @OptionGroup var scope: TableScopeOptions
    @OptionGroup var server: PublicOptions
    @OptionGroup var keys: PublicKeyOptions
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard !keys.publicKey.isEmpty else {
            throw ValidationError("add --public-key with each key that the apps pin.")
        }
    }

    func run() async throws {
        let scope = try scope.scope(of: TenantID(argument: tenant))
        let check = try await AppTableCheck(
            scope,
            server.download(),
            keys: try keys.keys(),
            now: SystemClock.now()
        )
        if json {
            show(check.json)
        } else {
            show(check.table.map(\.lines) ?? [])
            show(check.findings.isEmpty ? ["no problems found"] : check.findings.map(\.line))
        }
        guard !check.findings.contains(where: { $0.severity == .error }) else {
            throw ExitCode(ExitStatus.failed.rawValue)
        }
    }
}

extension AppTableCheck {
    fileprivate var json: JSONNode {
        .object([
            "table": table?.json,
            "findings": .array(
                findings.map {
                    .object([
                        "code": .string($0.code), "severity": .string($0.severity.rawValue),
                        "message": .string($0.message),
                    ])
                }
            ),
        ])
    }
}
