import Foundation

/// Runs `body`. On a terminal, reports on standard error every second that it still runs.
package func showingProgress<Result: Sendable>(
    _ what: String,
    isTerminal: Bool = isatty(STDERR_FILENO) == 1,
    _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    guard isTerminal else { return try await body() }
    return try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            var seconds = 0
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(1))
                guard !Task.isCancelled else { break }
                seconds += 1
                StandardError.write(Array("\r\(what) … \(seconds) s\u{1B}[K".utf8))
            }
            if seconds > 0 { StandardError.write(Array("\r\u{1B}[K".utf8)) }
            return nil
        }
        defer { group.cancelAll() }
        for try await result in group { if let result { return result } }
        throw CancellationError()
    }
}
