import ArgumentParser
import Conformance
import LinkRouting

struct ConformanceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance",
        abstract: "Export test cases for engines in other languages.",
        discussion: """
            EXAMPLE
              fingerpost conformance export --out vectors.json
            """,
        subcommands: [Export.self]
    )

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write links, patterns, tables and contexts with their expected results, as JSON.",
            discussion: """
                EXAMPLES
                  fingerpost conformance export > vectors.json
                  fingerpost conformance export --out vectors.json

                docs/routing-conformance.md describes the document. Before it is written, this engine is compared \
                with the expectations in it; exit code 1 if they differ.
                """
        )

        @ArgumentParser.Option(help: "The file to write (default: standard output).") var out: String?

        func run() async throws {
            if let out { try requireReplaceable(out) }
            let vectors = try ConformanceVectors()
            let disagreements = vectors.disagreements
            guard disagreements.isEmpty else {
                throw fail("this engine differs from its vectors:", .failed, more: disagreements)
            }
            let text = vectors.json.json(.pretty) + "\n"
            guard let out else { return show(document: text) }
            try write(text, toFile: out)
        }
    }
}
