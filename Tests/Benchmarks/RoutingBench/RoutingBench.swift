import ArgumentParser

/// Measures the engine alone, in one process and on one thread. Prints one JSON object per line for `bench.py`.
@main
struct RoutingBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "RoutingBench",
        abstract: "Measure lookups, compiling and messages.",
        subcommands: [Times.self, Count.self, Compile.self, Workloads.self, Worst.self]
    )
}

struct Inputs: ParsableArguments {
    @Option(help: "A file of patterns and links, separated by a tab. By default, similar routes are generated.")
    var routes: String?
    @Option(help: "A file with the body of a POST /resolve on each line.") var bodies: String
    @Option(help: "The file of the tenant that owns the links of the bodies.") var tenant: String
    @Option(help: "The number of links of one pass; large, so that the processor's caches do not contain them.")
    var links = 100_000

    func validate() throws {
        guard links > 0 else { throw ValidationError("A pass needs at least one link.") }
    }
}

struct Times: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Measure workloads in turn, in several rounds, and print the median of each in nanoseconds per operation.",
        discussion: """
            EXAMPLE
              RoutingBench times --bodies bodies.txt --tenant config/examples/shop.yaml github/lookup github/miss
            """
    )

    @OptionGroup var inputs: Inputs
    @Option(help: "The duration of one workload in one round.") var seconds = 0.2
    @Option(help: "Rounds.") var rounds = 7
    @Argument(help: "The names of the workloads; `workloads` prints them.") var names: [String]

    func run() throws {
        let library = try WorkloadLibrary(inputs)
        let workloads = try names.map(library.workload)
        var times: [[Double]] = Array(repeating: [], count: workloads.count)
        for _ in 0..<max(1, rounds) {
            for (index, workload) in workloads.enumerated() {
                times[index].append(nanoseconds(workload, atLeast: .seconds(seconds)))
            }
        }
        for (workload, times) in zip(workloads, times) {
            let median = times.sorted()[times.count / 2]
            print(#"{"name":"\#(workload.name)","nanoseconds":\#(median)}"#)
        }
    }

    private func nanoseconds(_ workload: Workload, atLeast duration: Duration) -> Double {
        var passes = 0
        let start = ContinuousClock.now
        var elapsed = Duration.zero
        while elapsed < duration {
            consume(workload.pass())
            passes += 1
            elapsed = ContinuousClock.now - start
        }
        return elapsed.nanoseconds / Double(passes * workload.operations)
    }
}

struct Count: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run one pass of a workload as warm-up and one inside `countedPass`, for callgrind to collect.",
        discussion: """
            EXAMPLE
              valgrind --tool=callgrind --toggle-collect='*countedPass*' RoutingBench count github/lookup …
            """
    )

    @OptionGroup var inputs: Inputs
    @Argument(help: "The workload's name.") var name: String

    func run() throws {
        let workload = try WorkloadLibrary(inputs).workload(name)
        consume(workload.pass())
        consume(countedPass(workload))
        print(#"{"name":"\#(name)","operations":\#(workload.operations)}"#)
    }
}

struct Workloads: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the names of all workloads.")

    func run() { for name in WorkloadLibrary.names { print(name) } }
}

/// A separate function, so that callgrind can collect only the measured pass.
@inline(never)
private func countedPass(_ workload: Workload) -> Int { workload.pass() }

/// Prevents the optimizer from removing work whose result is unused.
@inline(never)
private func consume(_ value: Int) { withExtendedLifetime(value) {} }

extension Duration {
    var nanoseconds: Double { Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9 }
}
