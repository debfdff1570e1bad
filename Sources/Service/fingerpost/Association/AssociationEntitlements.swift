import ArgumentParser
import LinkRouting

struct AssociationEntitlements: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "entitlements",
        abstract: "Check the associated domains of an iOS app, and compare them with a tenant file.",
        discussion: """
            EXAMPLES
              fingerpost association entitlements Acme.entitlements --table acme.yaml
              codesign -d --entitlements - --xml Acme.app |
                fingerpost association entitlements -

            iOS asks only for the files of the hosts that the entitlements list. With --table, each domain of the app must \
            be among them.
            Exit code 1 when there is an error, 0 otherwise.
            """
    )

    @ArgumentParser.Argument(help: "An entitlements file, XML or binary; - reads standard input.") var file: String
    @ArgumentParser.Option(help: "A tenant file with the app's domains.") var table: String?
    @ArgumentParser.Option(help: "With --table: the id of the iOS app (default: the only one).") var app: String?
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard app == nil || table != nil else { throw ValidationError("--app needs --table, which lists the apps.") }
    }

    func run() async throws {
        let entitlements = try EntitlementsFile(file)
        var target: (app: RegisteredApp, domains: [Domain])?
        if let table {
            let found = try apps(of: table, .ios, named: app)
            guard found.count == 1 else {
                let names = found.map(\.id.rawValue).joined(separator: ", ")
                throw fail("\(table): choose an app with --app: \(names).", .failed)
            }
            target = (found[0], try OfflineTable(table, now: SystemClock.now()).router.identity.domains)
        }
        let remarks = entitlements.remarks(target)
        if json {
            let findings = remarks.map { remark in
                JSONNode.object(["severity": .string(remark.severity.rawValue), "message": .string(remark.text)])
            }
            show(.object(["findings": .array(findings)]))
        } else {
            show(remarks.isEmpty ? ["no findings"] : remarks.map(\.line))
        }
        if remarks.contains(where: { $0.severity == .error }) { throw ExitCode(ExitStatus.failed.rawValue) }
    }
}
