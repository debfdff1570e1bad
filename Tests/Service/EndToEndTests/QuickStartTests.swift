import Foundation
import TestSupport
import Testing

/// The commands of README.md and docs/index.md print what these pages show.
struct QuickStartTests {
    @Test func everyCommandAnswersWhatTheIndexShows() async throws {
        let steps = try QuickStart.steps(of: "docs/index.md", from: "## Try")
        #expect(steps.count == 4)
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory)
            defer { server.killNow() }
            let key = try #require(server.key)
            for step in steps {
                let command = step.command
                    .replacing("127.0.0.1:8080", with: "127.0.0.1:\(server.publicPort)")
                    .replacing("127.0.0.1:8081", with: "127.0.0.1:\(server.adminPort)")
                let (status, output) = try run("env", "FINGERPOST_KEY=\(key)", "sh", "-c", command)
                #expect(status == 0, "\(command)")
                #expect(QuickStart.masked(String(decoding: output, as: UTF8.self)) == step.output, "\(command)")
                guard command.contains("/exports?download") else { continue }
                // A second export has no events.
                let again = try run("env", "FINGERPOST_KEY=\(key)", "sh", "-c", command)
                #expect(again.status == 0 && again.output.isEmpty, "\(command)")
            }
        }
    }

    @Test func resolvePrintsWhatTheReadmeShows() throws {
        let steps = try QuickStart.steps(of: "README.md", from: "## Download")
        #expect(steps.count == 1)
        for step in steps {
            // The folder in which the package installs the documents.
            let command = step.command.replacing("/usr/share/doc/fingerpost/", with: "")
            let place = "cd '\(Repository.folder.path)' && PATH='\(RunningServer.products.path)':$PATH"
            let (status, output) = try run("sh", "-c", "\(place) && \(command)")
            #expect(status == 0, "\(command)")
            let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map { $0.drop { $0 == " " } }
            #expect(QuickStart.masked(lines.joined()) == step.output, "\(command)")
        }
    }

    @Test func demoPrintsTheCommandsOfTheIndex() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory)
            defer { server.killNow() }
            let printed = server.printed
                .replacing("127.0.0.1:\(server.publicPort)", with: "127.0.0.1:8080")
                .replacing("127.0.0.1:\(server.adminPort)", with: "127.0.0.1:8081")
            for step in try QuickStart.steps(of: "docs/index.md", from: "## Try") {
                // The demo indents its output.
                let command = step.command.replacing("\n", with: "\n  ")
                #expect(printed.contains(command), "serve --demo does not print: \(step.command)")
            }
        }
    }
}

/// The first block of a page after a heading that has commands after `$ `, each with its output.
private enum QuickStart {
    struct Step {
        var command: String
        /// With varying parts masked.
        var output: String
    }

    static func steps(of page: String, from heading: String) throws -> [Step] {
        let text = try String(contentsOf: Repository.file(page), encoding: .utf8)
        let section = try #require(text.firstRange(of: "\(heading)\n").map { text[$0.upperBound...] })
        let block = try #require(section.split(separator: "```\n").first { $0.hasPrefix("$ ") })
        var steps: [Step] = []
        var isCommand = false
        for line in block.split(separator: "\n") {
            if line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2)), output: ""))
            } else if isCommand {
                steps[steps.count - 1].command += "\n" + line
            } else if !steps.isEmpty {
                steps[steps.count - 1].output += line.drop { $0 == " " }
            }
            // A command continues after a backslash.
            isCommand = (isCommand || line.hasPrefix("$ ")) && line.hasSuffix("\\")
        }
        return steps.map { Step(command: $0.command, output: masked($0.output)) }
    }

    /// The text on one line, with everything masked that varies between runs or machines.
    static func masked(_ text: String) -> String {
        text.replacing("\n", with: "")
            .replacing(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/, with: "ID")
            .replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/, with: "TIME")
            .replacing(/"node":"[^"]*"/, with: #""node":"NODE""#)
            .replacing(/"userAgent":"[^"]*"/, with: #""userAgent":"AGENT""#)
            .replacing(/"latencyMicros":(?:null|[0-9]+)/, with: #""latencyMicros":0"#)
    }
}
