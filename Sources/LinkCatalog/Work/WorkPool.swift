import Dispatch
import Foundation
package import LinkRouting
import Synchronization

/// Threads for what callers make us compute: checks, plans, publications, suites, association files.
///
/// Such work takes seconds where a table is large. The threads of the concurrency runtime and the event loops answer everybody,
/// so none of it runs there. Each caller has one piece of work running at a time and takes turns with the others; a bounded
/// number waits, and more is refused. Work is cancelled with the task that asked for it, and when its client is gone
/// (``ClientPresence``).
package final class WorkPool: Sendable {
    /// Whose work it is: callers take turns.
    package enum Caller: Sendable, Hashable {
        case tenant(TenantID)
        /// The id of a key that is bound to no tenant.
        case key(String)
        /// Ourselves.
        case server
    }

    /// More work waits than may.
    package enum Refusal: Error, Hashable {
        /// Of this caller.
        case tooMuchOfCaller
        /// Of all callers together.
        case tooMuch
        /// The process ends.
        case closed
    }

    package struct Counts: Sendable, Hashable {
        package var running = 0
        package var waiting = 0
        /// Also what was cancelled while it ran.
        package var done: Int64 = 0
        package var refused: Int64 = 0
        package var cancelled: Int64 = 0
    }

    private let queue: WorkQueue
    private let lasting = DispatchQueue(label: "fingerpost.live")

    /// - Parameters:
    ///   - threads: Made when they are first needed.
    ///   - waitingOfCaller: How much of one caller may wait beside what runs.
    ///   - waiting: Of all callers together.
    package init(threads: Int = WorkPool.usualThreads, waitingOfCaller: Int = 16, waiting: Int = 256) {
        queue = WorkQueue(threads: max(1, threads), waitingOfCaller: waitingOfCaller, waiting: waiting)
    }

    deinit { queue.close() }

    /// Half of the processors, for the others answer; two at least, so that small work passes a large document.
    package static var usualThreads: Int { max(2, ProcessInfo.processInfo.activeProcessorCount / 2) }

    package var counts: Counts { queue.counts }

    /// Nothing more is taken; what waits or runs is cancelled.
    package func close() { queue.close() }

    /// Runs `body` on a thread of the pool. `body` is told when nobody wants its result any more, and should end soon then; the
    /// caller does not wait for that.
    /// - Throws: ``Refusal``, `CancellationError`, or what `body` throws.
    package func run<Result: Sendable>(
        for caller: Caller,
        _ body: @escaping @Sendable (Cancellation) throws -> Result
    ) async throws -> Result {
        let cancellation = Cancellation()
        guard let presence = ClientPresence.current else { return try await run(for: caller, cancellation, body) }
        return try await presence.whilePresent(cancellation) { try await run(for: caller, cancellation, body) }
    }

    /// Runs what must come to its end, whoever has gone: one after the other, on a thread of its own.
    package func runToEnd<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            lasting.async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }

    private func run<Result: Sendable>(
        for caller: Caller,
        _ cancellation: Cancellation,
        _ body: @escaping @Sendable (Cancellation) throws -> Result
    ) async throws -> Result {
        // What the work was given, a whole table, would stay in memory for ever otherwise.
        defer { cancellation.forgetAction() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer = Answer(continuation)
                let work = WorkQueue.Work(of: caller) {
                    guard !cancellation.isCancelled else { return answer.give(.failure(CancellationError())) }
                    let result = Swift.Result { try body(cancellation) }
                    // What was cancelled may have come to any end.
                    answer.give(cancellation.isCancelled ? .failure(CancellationError()) : result)
                } refuse: { error in
                    cancellation.cancel()
                    answer.give(.failure(error))
                }
                queue.add(work)
                cancellation.whenCancelled { [queue] in queue.cancel(work) }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// What somebody waits for; what is given second is for nobody.
    private final class Answer<Value: Sendable>: Sendable {
        private let waiting: Mutex<CheckedContinuation<Value, any Error>?>

        init(_ waiting: CheckedContinuation<Value, any Error>) { self.waiting = Mutex(waiting) }

        func give(_ result: Result<Value, any Error>) {
            waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }?.resume(with: result)
        }
    }
}
