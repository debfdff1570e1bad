import Synchronization

/// Tracks whether the client of a connection is still connected. Work for a disconnected client is cancelled; changes
/// that are stored already still take effect.
package final class ClientPresence: Sendable {
    /// The connection of the request that the current task answers; nil outside of requests.
    @TaskLocal package static var current: ClientPresence?

    /// Grace period for a client that half-closes its connection and waits for the response.
    package static let patienceSeconds: Int64 = 2

    private struct State {
        var isGone = false
        /// Cancels the tasks for the client.
        var tasks: [UInt64: @Sendable () -> Void] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether the client has disconnected.
    package var isGone: Bool { state.withLock(\.isGone) }

    /// Cancels all tasks for the client, now and in the future.
    package func end() {
        let tasks = state.withLock { state in
            state.isGone = true
            defer { state.tasks = [:] }
            return Array(state.tasks.values)
        }
        for cancel in tasks { cancel() }
    }

    /// Runs `body` as a separate task, which is cancelled when the current client disconnects.
    ///
    /// - Throws: `CancellationError` if the client has disconnected before, or the error of `body`.
    package static func cancelling<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        guard let presence = current else { return try await body() }
        guard !presence.isGone else { throw CancellationError() }
        // Awaited below.
        let task = Task { try await body() }
        let number = presence.whenGone { task.cancel() }
        defer { presence.state.withLock { $0.tasks[number] = nil } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Calls `cancel` when the client disconnects, or now if it has already.
    private func whenGone(_ cancel: @escaping @Sendable () -> Void) -> UInt64 {
        let (number, isGone) = state.withLock { state in
            state.lastNumber += 1
            if !state.isGone { state.tasks[state.lastNumber] = cancel }
            return (state.lastNumber, state.isGone)
        }
        if isGone { cancel() }
        return number
    }
}
