import ArgumentParser
import Foundation
import LinkRouting

struct Worst: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Count the instructions of the slowest lookups that admitted tables and links can have.",
        discussion: """
            Fills a table with each costly construct up to the limit of steps, and counts a lookup of a slow link with
            valgrind, which must be installed. Fails if a lookup takes more than 1,000,000 instructions.

            EXAMPLE
              RoutingBench worst
            """
    )

    /// The maximum number of instructions of a lookup.
    private static let limit = 1_000_000

    @Argument(help: "Only the pairs whose name contains this text.") var name = ""
    @Option(help: "Runs one lookup for valgrind, in a table of so many routes.") var routes: Int?

    func run() throws {
        let identity = try WorstPair.identity()
        if let routes {
            guard let pair = WorstPair.all.first(where: { $0.name == name }) else {
                throw ValidationError("There is no pair '\(name)'.")
            }
            let router = try pair.router(identity, routes: routes)
            let (link, context) = (try DeepLink.parse(pair.link), try pair.parsedContext())
            consume(router.resolve(link, in: context))
            consume(countedLookup(router, link, context))
            return
        }
        var slow = 0
        for pair in WorstPair.all where name.isEmpty || pair.name.contains(name) {
            let routes = try pair.admittedRoutes(identity)
            let steps = try pair.router(identity, routes: routes).worstCaseSteps
            let instructions = try Self.instructions(of: pair, routes)
            slow += instructions > Self.limit ? 1 : 0
            print(
                #"{"name":"\#(pair.name)","routes":\#(routes),"steps":\#(steps),"instructions":\#(instructions),"#
                    + #""isTooSlow":\#(instructions > Self.limit)}"#
            )
        }
        guard slow == 0 else { throw ExitCode.failure }
    }

    private static func instructions(of pair: WorstPair, _ routes: Int) throws -> Int {
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "valgrind", "--tool=callgrind", "--toggle-collect=*countedLookup*", "--callgrind-out-file=/dev/null",
            CommandLine.arguments[0], "worst", pair.name, "--routes", "\(routes)",
        ]
        process.standardError = errors
        try process.run()
        let output = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        let words = output.split(whereSeparator: \.isWhitespace)
        guard let label = words.firstIndex(of: "Collected"), let count = Int(words[label + 2]) else {
            throw InputError(description: "valgrind failed: \(output)")
        }
        return count
    }
}

@inline(never)
private func countedLookup(_ router: Router, _ link: DeepLink, _ context: LinkContext) -> Resolution {
    router.resolve(link, in: context)
}

@inline(never)
private func consume(_ value: Resolution) { withExtendedLifetime(value) {} }
