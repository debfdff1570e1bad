import EditingHistories
import Foundation

/// `Histories [COUNT]` runs COUNT random editing histories, 100,000 by default. Exits with 1 at the first that differs
/// from the model.
@main
struct Histories {
    static func main() async {
        let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
        do {
            try await EditingHistories.run(0..<count, workers: ProcessInfo.processInfo.activeProcessorCount)
            print("\(count) histories came out as the model says")
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }
}
