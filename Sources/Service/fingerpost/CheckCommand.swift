import ArgumentParser
import HTTPTransport
import LinkCatalog
import LinkRouting
import LinkServer

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a table file; a table with errors cannot be published.",
        discussion: """
            EXAMPLE
              fingerpost check config/examples/shop.yaml --json

            The last line counts the routes and the findings. Exit code 1 when there is an error, 0 otherwise.
            """
    )

    @ArgumentParser.Argument(help: "A tenant or table file; - reads standard input.") var table: String
    @Flag(help: "Print the findings as JSON.") var json = false

    func run() async throws {
        var findings: [Finding]
        var routes: Int?
        do {
            let document = try TenantDocument(try readText(table))
            routes = document.table?["routes"]?.elements?.count
            let checked = document.checked(now: SystemClock.now())
            findings = checked.findings
            if let content = document.table {
                findings += ClientCheck.findings(for: content, minimum: checked.settings?.minimumClient)
            }
        } catch let error as DocumentError {
            findings = [Finding(error)]
        }
        if json {
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("findings")
            writer.findings(findings)
            writer.endObject()
            show(json: writer.text)
        } else {
            let file = table == "-" ? "standard input" : table
            show(FindingLines(findings, in: file).lines)
            show(FindingSummary(findings, routes: routes).line)
        }
        if findings.contains(where: { $0.severity == .error }) { throw ExitCode(ExitStatus.failed.rawValue) }
    }
}
