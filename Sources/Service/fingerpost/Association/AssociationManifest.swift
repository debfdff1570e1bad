import AppAssociation
import ArgumentParser
import LinkRouting

struct AssociationManifest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manifest",
        abstract: "Print the intent filters of an Android app for its AndroidManifest.xml.",
        discussion: """
            EXAMPLE
              fingerpost association manifest config/examples/shop.yaml --app android

            The filters accept every link that the table opens in the app. They cannot test queries or fragments, \
            and cannot exclude links. Before Android 15 they alone decide; later, assetlinks.json narrows them.
            """
    )

    @ArgumentParser.Argument(help: "A tenant file with settings and table; - reads standard input.") var table: String
    @ArgumentParser.Option(help: "The id of an Android app (default: the only one).") var app: String?

    func run() async throws {
        let found = try apps(of: table, .android, named: app)
        guard found.count == 1 else {
            let names = found.map(\.id.rawValue).joined(separator: ", ")
            throw fail("\(table): choose an app with --app: \(names).", .failed)
        }
        let router = try OfflineTable(table, now: SystemClock.now()).router
        show(document: AndroidManifestGenerator(router: router, app: found[0]).filters())
    }
}
