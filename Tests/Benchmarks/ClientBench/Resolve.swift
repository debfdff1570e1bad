import ArgumentParser
import Foundation
import LinkClient
import LinkRouting

struct Resolve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Resolve links with a loaded table and with hand-written code, in turn. Print the time of a link.",
        discussion: """
            Prints the medians of the rounds in nanoseconds per link. For single calls, prints the median and the time that
            999 of 1,000 do not exceed: of the first link of each route, and of later ones.

            EXAMPLE
              ClientBench resolve /tmp/shop.table 10000 --seconds 0.2
            """
    )

    @Argument(help: "A file that `sign` wrote.") var file: String
    @Argument(help: "The number of its routes.") var count: Int
    @Option(help: "The duration of one measurement.") var seconds = 0.2
    @Option(help: "Rounds.") var rounds = 7

    func run() async throws {
        let client = try Load.client(file)
        await client.load()
        let context = LinkContext(
            platform: .ios,
            device: .phone,
            osVersion: Version("17.4"),
            appVersion: Version("3.5.0"),
            locale: ["en-GB"].compactMap { LanguageTag($0) }
        )
        // Steps of a prime number, so that links that follow each other do not share routes.
        let links = (0..<min(count, 10_000)).map { ShopTable.link($0 * 7_919 % count) }
        let first = singles(links) { if case .resolved = client.resolve($0, in: context) { 1 } else { 0 } }
        for link in links { try check(link, client, context) }
        var (fromTable, handWritten): ([Double], [Double]) = ([], [])
        for _ in 0..<max(1, rounds) {
            fromTable.append(time(links) { if case .resolved = client.resolve($0, in: context) { 1 } else { 0 } })
            handWritten.append(time(links) { HandWrittenLinks.screen(for: $0) == nil ? 0 : 1 })
        }
        let later = singles(links) { if case .resolved = client.resolve($0, in: context) { 1 } else { 0 } }
        print(
            #"{"resolve":\#(fromTable.median),"handWritten":\#(handWritten.median),"slowest":\#(later.slowest),"#
                + #""first":\#(first.median),"slowestFirst":\#(first.slowest)}"#
        )
    }

    /// Both ways must find a screen, or their times mean nothing.
    private func check(_ link: String, _ client: LinkClient, _ context: LinkContext) throws {
        let answer = client.resolve(link, in: context)
        guard answer.resolution?.outcome == .matched, answer.resolution?.destination?.screen != nil else {
            throw InputError(description: "The table has no screen for \(link): \(answer)")
        }
        guard HandWrittenLinks.screen(for: link) != nil else {
            throw InputError(description: "The hand-written code has no screen for \(link).")
        }
    }

    /// Nanoseconds per link.
    private func time(_ links: [String], _ call: (String) -> Int) -> Double {
        var (calls, found) = (0, 0)
        let start = ContinuousClock.now
        var elapsed = Duration.zero
        while elapsed < .seconds(seconds) {
            for link in links { found &+= call(link) }
            calls += links.count
            elapsed = ContinuousClock.now - start
        }
        precondition(found == calls, "every link has an answer")
        return elapsed / .nanoseconds(calls)
    }

    /// The nanoseconds of single calls: the median, and what 999 of 1,000 do not exceed.
    private func singles(_ links: [String], _ call: (String) -> Int) -> (median: Double, slowest: Double) {
        var times = links.map { link in
            let start = ContinuousClock.now
            precondition(call(link) == 1, "every link has an answer")
            return (ContinuousClock.now - start) / .nanoseconds(1)
        }
        times.sort()
        return (times.median, times[times.count * 999 / 1_000])
    }
}

extension [Double] {
    fileprivate var median: Double { sorted()[count / 2] }
}
