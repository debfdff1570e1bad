/// Runs `body`, and reports progress on standard error every second while it runs.
package func showingProgress<Result: Sendable>(
    _ what: String,
    _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            var seconds = 0
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(1))
                guard !Task.isCancelled else { break }
                seconds += 1
                warn("\(what) … \(seconds) s")
            }
            return nil
        }
        defer { group.cancelAll() }
        for try await result in group { if let result { return result } }
        throw CancellationError()
    }
}
