import ArgumentParser
import LinkRouting
import StubMatching
import StubServer

struct StubVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Send the recorded requests to a target and report where its answers differ.",
        discussion: """
            EXAMPLES
              fingerpost stub verify Tests/Stubs https://staging.example.com
              fingerpost stub verify Tests/Stubs http://127.0.0.1:9000 --json
              fingerpost stub verify Stubs URL --ignore-field updatedAt --safe-only
              fingerpost stub verify Stubs URL --request-header 'Authorization: Bearer T'

            Compares the status, the headers that an app acts on, and the body. JSON bodies are compared by value. \
            Masked values are not compared. A stub that matches several requests, such as one with a pattern, is \
            skipped. All requests are sent in the order of the recording, also those that change the target, unless \
            --safe-only is given.

            EXIT CODES
              0 no difference
              1 drift, or some requests without an answer
              65 unreadable folder, or no request in it
              69 no answer at all
            """
    )

    @ArgumentParser.Argument(help: "The folder with mappings and __files.") var folder: String
    @ArgumentParser.Argument(help: "The URL of the target, such as https://staging.example.com.") var target: String
    @ArgumentParser.Option(help: "A member of JSON bodies that may differ, at any depth; may be repeated.")
    var ignoreField: [String] = []
    @ArgumentParser.Option(help: "A header that may differ; may be repeated.") var ignoreHeader: [String] = []
    @ArgumentParser.Option(help: "A further header to compare; may be repeated.") var compareHeader: [String] = []
    @ArgumentParser.Option(help: "A header of all requests, such as 'Accept: text/html'; may be repeated.")
    var requestHeader: [String] = []
    @Flag(help: "Send only GET, HEAD and OPTIONS.") var safeOnly = false
    @ArgumentParser.Option(help: "Seconds to wait for an answer.") var timeout = 30
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard target.hasPrefix("http://") || target.hasPrefix("https://") else {
            throw ValidationError("The target must be a URL such as https://staging.example.com.")
        }
        guard (1...600).contains(timeout) else { throw ValidationError("--timeout must be 1 to 600 seconds.") }
        for header in requestHeader where HeaderField(line: header) == nil {
            throw ValidationError("--request-header must have the form 'NAME: VALUE'.")
        }
    }

    func run() async throws {
        let verification: StubVerification
        do {
            verification = try StubVerification(of: folder, target: target, options: options)
        } catch {
            throw fail(error.description, .unreadableInput, more: error.details)
        }
        let report = await verification.run()
        if json {
            show(json: report.json.json(.pretty))
        } else {
            for line in report.lines { show(line) }
        }
        try StandardOutput.flush()
        let sent = report.stubs.count - report.skippedCount
        guard sent > 0 else { throw fail("\(folder) has no recorded request that could be sent.", .unreadableInput) }
        guard report.unansweredCount < sent else {
            throw fail("\(target) did not answer; check that it runs, and its address.", .unavailable)
        }
        guard report.sameCount == sent else { throw ExitCode(ExitStatus.failed.rawValue) }
    }

    private var options: StubVerification.Options {
        var options = StubVerification.Options()
        options.requestHeaders = requestHeader.compactMap(HeaderField.init(line:))
        options.comparedHeaders.formUnion(compareHeader.map { $0.lowercased() })
        options.comparedHeaders.subtract(ignoreHeader.map { $0.lowercased() })
        options.ignoredFields = Set(ignoreField)
        options.methods = safeOnly ? .safe : .all
        options.seconds = Int64(timeout)
        return options
    }
}
