import ArgumentParser
import LinkRouting
import TestKit

struct TestKitDoctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check whether an app's project gets the links of a table and the answers of a stub server.",
        discussion: """
            EXAMPLES
              fingerpost testkit doctor . --table shop.yaml
              fingerpost testkit doctor ios --table shop.yaml --app ios --json

            iOS: App Transport Security, CFBundleURLTypes, the associated domains of the entitlements, and the approval of \
            schemes on simulators. Android: intent filters, android:exported, the network security configuration and \
            'adb reverse'. Each message is followed by the lines to add.
            Only files are read; nothing is changed or run.

            EXIT CODES
              0 no error
              1 an error was found
              65 unreadable input
            """
    )

    @ArgumentParser.Argument(help: "The folder of the project.") var dir: String
    @ArgumentParser.Option(help: "The tenant file with settings and table.") var table: String
    @ArgumentParser.Option(help: "Check only this app, by its id in the settings (default: all).") var app: String?
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let router = try OfflineTable(table, now: SystemClock.now()).router
        let apps = router.identity.apps.filter { app == nil || $0.id.rawValue == app }
        guard !apps.isEmpty else {
            let names = router.identity.apps.map(\.id.rawValue)
            throw fail(
                names.isEmpty
                    ? "\(table): the settings list no app."
                    : "\(table): choose an app: \(names.joined(separator: ", ")).",
                .failed
            )
        }
        let folder: ProjectFolder
        do throws(ProjectFolder.Unreadable) {
            folder = try ProjectFolder(dir)
        } catch {
            throw fail(error.description, .unreadableInput)
        }
        let diagnoses = ProjectDoctor(folder, router: router).diagnoses(of: apps)
        let errors = diagnoses.count { $0.severity == .error }
        if json {
            show(.object(["errors": .int(errors), "diagnoses": .array(diagnoses.map(\.json))]), .compact)
        } else {
            show(diagnoses.flatMap(\.lines))
            let warnings = diagnoses.count { $0.severity == .warning }
            show("\(dir): \(errors.counted("error")), \(warnings.counted("warning"))")
        }
        if errors > 0 { throw ExitCode(ExitStatus.failed.rawValue) }
    }
}
