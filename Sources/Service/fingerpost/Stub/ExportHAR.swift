import ArgumentParser
import LinkRouting
import NIOCore
import Networking
import StubMatching
import StubServer

struct ExportHAR: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "har",
        abstract: "Print the stubs of a folder, or the journal of a stub server, as a HAR file.",
        discussion: """
            EXAMPLES
              fingerpost stub export har Tests/Stubs > stubs.har
              fingerpost stub export har http://127.0.0.1:8080 > journal.har

            Secrets are masked. Stubs from which no single request can be read, such as those with patterns, are reported \
            and left out. A session's URL exports the journal of that session.

            EXIT CODES
              0 success
              65 unreadable folder, or no request in it
              69 the stub server does not answer
            """
    )

    @ArgumentParser.Argument(help: "A folder, or the URL of a stub server or of a session.") var source: String
    @ArgumentParser.Option(help: "The scheme, host and port of the URLs, for a folder.")
    var baseURL = "http://localhost"
    @OptionGroup var masking: StubMaskOptions

    func run() async throws {
        let export = try await isURL ? journal() : folder()
        for omission in export.omitted {
            warn("fingerpost: left out: \(omission.method) \(omission.url): \(omission.reason)")
        }
        guard !export.file.entries.isEmpty else { throw fail("\(source) has no request to export.", .unreadableInput) }
        show(json: export.file.json(masking.mask).json(.pretty))
        try StandardOutput.flush()
    }

    private var isURL: Bool { source.hasPrefix("http://") || source.hasPrefix("https://") }

    private func folder() throws -> HARExport {
        do throws(StubStartFailure) {
            return try HARExport(folder: source, origin: baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL)
        } catch {
            throw fail(error.description, .unreadableInput, more: error.details)
        }
    }

    private func journal() async throws -> HARExport {
        let base = source.hasSuffix("/") ? String(source.dropLast()) : source
        do {
            let answer = try await OutboundHTTP(timeout: .seconds(60), maximumBytes: HARFile.maximumBytes)
                .get("\(base)/__admin/requests")
            guard answer.status == 200 else {
                throw fail(
                    "\(base) answered \(answer.status); it is not a stub server, or the session does not exist.",
                    .unavailable
                )
            }
            let limits = JSONReader.Limits(
                maximumBytes: HARFile.maximumBytes,
                maximumDepth: 128,
                maximumValues: 4_000_000
            )
            return try HARExport(journal: try JSONReader.parse(answer.body, limits: limits))
        } catch let failure as OutboundHTTP.Failure {
            throw fail("\(failure)", .unavailable)
        } catch let error as MappingError {
            throw fail("\(base): \(error)", .unavailable)
        } catch let error as JSONSyntaxError {
            throw fail("\(base) is not a stub server: \(error.message).", .unavailable)
        }
    }
}
