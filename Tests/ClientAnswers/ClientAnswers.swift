import ClientComparison
import Foundation

/// `ClientAnswers [COUNT]` compares COUNT random answers of apps with those of the server, 200,000 by default. Exits
/// with 1 at the first that differs.
@main
struct ClientAnswers {
    static func main() async {
        let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 200_000
        let workers = ProcessInfo.processInfo.activeProcessorCount
        do {
            let tally = try await withThrowingTaskGroup(of: ClientComparison.Tally.self) { group in
                for worker in 0..<workers {
                    group.addTask {
                        var tally = ClientComparison.Tally()
                        var seed = worker
                        while tally.answers * workers < count {
                            tally = tally + (try ClientComparison.run(seed: UInt64(seed)))
                            seed += workers
                        }
                        return tally
                    }
                }
                var sum = ClientComparison.Tally()
                for try await tally in group { sum = sum + tally }
                return sum
            }
            print(
                "\(tally.answers) answers of app and server are equal: \(tally.matched) matched, "
                    + "\(tally.undecided) left to the server"
            )
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }
}
