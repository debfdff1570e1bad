import Logging
import Synchronization

/// Collects every logged line, whatever its level.
final class CollectingLog: Sendable {
    private let collected = Mutex<[String]>([])

    var lines: [String] { collected.withLock(\.self) }
    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    private struct Handler: LogHandler {
        let log: CollectingLog
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            log.collected.withLock { $0.append("\(event.level) \(event.message) \(all)") }
        }
    }
}
