import ArgumentParser
import LinkCatalog
import LinkRouting
import LinkServer
import OutboundHTTP

struct Test: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run link suites against a table file or a server.",
        discussion: """
            EXAMPLES
              fingerpost test config/examples/shop.suite.yaml --table config/examples/shop.yaml
              fingerpost test config/examples/*.suite.yaml --server http://127.0.0.1:8080

            Against a server, links are sent with purpose 'test'; traces need a tenant with `explain: public` or a key.
            Exit code 1 when a case fails.
            """
    )

    @ArgumentParser.Argument(help: "Suite files.") var suites: [String]
    @ArgumentParser.Option(help: "A tenant or table file.") var table: String?
    @ArgumentParser.Option(help: "The public address of a server.") var server: String?
    @Flag(help: "Print the results as JSON.") var json = false

    func validate() throws {
        guard (table == nil) != (server == nil) else { throw ValidationError("Name one of --table and --server.") }
    }

    func run() async throws {
        let offline = try table.map(OfflineTable.init)
        var results: [(suite: String, failures: [SuiteFailure], count: Int)] = []
        for path in suites {
            let suite: LinkSuite
            do {
                suite = try LinkSuite(try readText(path))
            } catch let error as DocumentError {
                throw fail("\(path): \(error.description)", .unreadableInput)
            }
            var failures: [SuiteFailure] = []
            for one in suite.cases {
                let answer = try await answer(one, offline)
                for expectation in one.expectations {
                    // Only a server seals continuations.
                    if expectation.key == .continuation, offline != nil { continue }
                    guard let difference = expectation.difference(in: answer) else { continue }
                    failures.append(
                        SuiteFailure(
                            line: one.position.line,
                            link: one.link,
                            key: expectation.key.rawValue,
                            difference: difference
                        )
                    )
                }
            }
            results.append((path, failures, suite.cases.count))
        }
        report(results)
        if results.contains(where: { !$0.failures.isEmpty }) { throw ExitCode(ExitStatus.failed.rawValue) }
    }

    private func answer(_ one: LinkSuite.Case, _ offline: OfflineTable?) async throws -> JSONNode {
        let limits = JSONReader.Limits(maximumBytes: 1 << 20)
        if let offline {
            var warnings: [String] = []
            let context = try Context(Field(one.context, path: "context"), warnings: &warnings)
            return try JSONReader.parse(
                offline.answer(one.link, in: context, explanation: one.wantsTrace ? .included : .omitted).json(),
                limits: limits
            )
        }
        let request = JSONNode.object([
            "url": .string(one.link), "context": one.context, "purpose": .string("test"),
            "explain": one.wantsTrace ? .bool(true) : nil,
        ])
        do {
            let response = try await OutboundHTTP().post("\(server ?? "")/resolve", json: Array(request.json().utf8))
            return try JSONReader.parse(response.body, limits: limits)
        } catch let error as OutboundHTTP.Failure {
            throw fail(error.description, .unavailable)
        }
    }

    private func report(_ results: [(suite: String, failures: [SuiteFailure], count: Int)]) {
        guard !json else {
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("suites")
            writer.beginArray()
            for result in results {
                writer.beginObject()
                writer.member("suite", result.suite)
                writer.member("cases", result.count)
                writer.key("failures")
                writer.beginArray()
                for failure in result.failures {
                    writer.beginObject()
                    writer.member("line", failure.line)
                    writer.member("link", failure.link)
                    writer.member("expected", failure.key)
                    writer.member("difference", failure.difference)
                    writer.endObject()
                }
                writer.endArray()
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
            return print(writer.text)
        }
        for result in results {
            for failure in result.failures {
                print("\(result.suite):\(failure.line): \(failure.link)\n  \(failure.key): \(failure.difference)")
            }
            let failed = Set(result.failures.map(\.line)).count
            print("\(result.suite): \(result.count - failed) passed, \(failed) failed")
        }
    }
}

private struct SuiteFailure {
    let line: Int
    let link: String
    let key: String
    let difference: String
}

extension LinkSuite.Case {
    fileprivate var wantsTrace: Bool { expectations.contains { $0.key == .trace } }
}
