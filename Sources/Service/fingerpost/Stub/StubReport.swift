import ArgumentParser
import Networking

struct StubReport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Print a JUnit report of a running stub server: unanswered requests and links, unused stubs.",
        discussion: """
            EXAMPLE
              fingerpost stub report http://127.0.0.1:8080 > stubs.xml

            Exits with 1 when a request or a link had no answer. A session's URL reports that session alone.
            """
    )

    @ArgumentParser.Argument(help: "The URL of the server or of a session.") var url: String

    func validate() throws {
        guard !url.hasPrefix("http://"), !url.hasPrefix("https://") else { return }
        let advice = url.contains("://") ? "one with http:// or https://" : "http://\(url)"
        throw ValidationError("'\(url)' is not the URL of a stub server; write \(advice).")
    }

    func run() async throws {
        do {
            let base = url.hasSuffix("/") ? String(url.dropLast()) : url
            let answer = try await OutboundHTTP().get("\(base)/__admin/report?format=junit")
            guard answer.status == 200 else {
                throw fail(
                    "\(base) answered \(answer.status); it is not a stub server, or the session does not exist.",
                    .unavailable
                )
            }
            let text = String(decoding: answer.body, as: UTF8.self)
            StandardOutput.write(text)
            try StandardOutput.flush()
            guard !text.contains("<failure") else { throw fail("a request or a link had no answer.", .failed) }
        } catch let failure as OutboundHTTP.Failure {
            throw fail("\(failure)", .unavailable)
        }
    }
}
