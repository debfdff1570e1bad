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
        var work: [ObjectIdentifier: Cancellation] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether the client has disconnected.
    package var isGone: Bool { state.withLock(\.isGone) }

    /// Cancels all work for the client, now and in the future.
    package func end() {
        let work = state.withLock { state in
            state.isGone = true
            defer { state.work = [:] }
            return Array(state.work.values)
        }
        for cancellation in work { cancellation.cancel() }
    }

    /// Runs `body` as a separate task, which is cancelled when the current client disconnects.
    package static func cancelling<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        guard let presence = current else { return try await body() }
        let cancellation = Cancellation()
        return try await presence.whilePresent(cancellation) {
            let task = Task { try await body() }
            cancellation.whenCancelled { task.cancel() }
            defer { cancellation.forgetAction() }
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    /// Runs `body`, which is cancelled through `cancellation` when the client disconnects.
    func whilePresent<Result>(_ cancellation: Cancellation, _ body: () async throws -> Result) async rethrows -> Result
    {
        let isGone = state.withLock { state in
            if !state.isGone { state.work[ObjectIdentifier(cancellation)] = cancellation }
            return state.isGone
        }
        if isGone { cancellation.cancel() }
        defer { state.withLock { _ = $0.work.removeValue(forKey: ObjectIdentifier(cancellation)) } }
        return try await body()
    }
}
