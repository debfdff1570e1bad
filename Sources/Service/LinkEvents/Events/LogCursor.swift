/// A place between events: a sequence of each log, written `120` for the log of this process, and `2.120-7.44` for the logs 2
/// and 7.
package struct LogCursor: Sendable, Hashable, CustomStringConvertible {
    /// The last event that was read of each log. A log that is missing is at its beginning, or at its end when read backwards.
    private var sequences: [Int64: Int64]

    /// The number of this process's log.
    package static let ownLog: Int64 = 0
    /// No log has been read.
    package static let unread = LogCursor([:])
    /// Bounds what a caller sends.
    private static let mostLogs = 1_000

    package init(_ sequences: [Int64: Int64]) { self.sequences = sequences }
    package init(_ sequence: Int64) { sequences = [Self.ownLog: sequence] }

    /// Nil unless the text is a cursor.
    package init?(_ text: String) {
        if let sequence = Int64(text), sequence >= 0 {
            self.init(sequence)
            return
        }
        var sequences: [Int64: Int64] = [:]
        for part in text.split(separator: "-", omittingEmptySubsequences: false) {
            let numbers = part.split(separator: ".", omittingEmptySubsequences: false).map { Int64($0) ?? -1 }
            guard numbers.count == 2, numbers[0] >= 0, numbers[1] >= 0, sequences.count < Self.mostLogs else {
                return nil
            }
            sequences[numbers[0]] = numbers[1]
        }
        self.init(sequences)
    }

    package var description: String {
        if sequences.isEmpty { return "0" }
        if sequences.count == 1, let own = sequences[Self.ownLog] { return "\(own)" }
        return sequences.sorted { $0.key < $1.key }.map { "\($0.key).\($0.value)" }.joined(separator: "-")
    }

    package subscript(log: Int64) -> Int64? { sequences[log] }

    package mutating func pass(_ event: StoredEvent) { sequences[event.log] = event.sequence }

    /// Whether there are events between this place and a later one.
    package func isBehind(_ end: LogCursor) -> Bool {
        end.sequences.contains { sequences[$0] ?? 0 < $1 }
    }

    /// Moves on to a place, in each log that is behind it.
    package mutating func advance(to end: LogCursor) { sequences.merge(end.sequences) { max($0, $1) } }

    /// This place, or the end of a log that ends before it, as one that was restored from a backup.
    package func limited(to end: LogCursor) -> LogCursor {
        LogCursor(Dictionary(uniqueKeysWithValues: end.sequences.map { ($0, min(sequences[$0] ?? 0, $1)) }))
    }
}
