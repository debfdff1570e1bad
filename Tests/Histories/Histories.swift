import EditingHistories
import Foundation

/// `Histories [COUNT]`: runs so many random histories of editing, 100,000 by default, and ends with 1 at the first that comes
/// out otherwise than the model says.
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
