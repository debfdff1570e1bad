import AppAssociation
import ArgumentParser
import LinkCommands
import LinkRouting

struct AssociationManifest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manifest",
        abstract: "Print the intent filters of an Android app for its AndroidManifest.xml.",
        discussion: """
            EXAMPLE
              fingerpost association manifest config/examples/shop.yaml --app android

            The filters accept every link that the table opens in the app. They know no queries, no fragments and no \
            exclusions. Before Android 15 they alone decide; later, assetlinks.json narrows them.
            """
    )

    @ArgumentParser.Argument(help: "A tenant file with settings and table; - reads standard input.") var table: String
    @ArgumentParser.Option(help: "The id of an Android app (default: the only one).") var app: String?

    func run() async throws {
        let router = try OfflineTable(table, now: SystemClock.now()).router
        let apps = router.identity.apps.filter { $0.platform == .android && (app == nil || $0.id.rawValue == app) }
        guard let only = apps.first, apps.count == 1 else {
            let names = router.identity.apps.filter { $0.platform == .android }.map(\.id.rawValue)
            throw fail(
                names.isEmpty
                    ? "\(table): the settings list no Android app."
                    : "\(table): choose an app with --app: \(names.joined(separator: ", ")).",
                .failed
            )
        }
        show(document: AndroidManifestGenerator(router: router, app: only).filters())
    }
}
