import Dispatch
import Foundation
package import LinkRouting
import Synchronization

/// A thread pool for computations that callers request: checks, plans, publications, suites, association files, traces,
/// links of slow tables.
///
/// Such work takes up to seconds for a large table. It must not block the threads of the concurrency runtime and the event
/// loops, which answer all requests. Each caller runs one piece of work at a time, in round-robin order with the other
/// callers. A bounded number waits; more is refused. Work is cancelled with the task that requested it, and when its
/// client disconnects (``ClientPresence``).
package final class WorkPool: Sendable {
    /// The owner of work. The pool schedules callers in round-robin order.
    package enum Caller: Sendable, Hashable {
        case tenant(TenantID)
        /// The id of a key that is not bound to a tenant.
        case key(KeyID)
        /// The server itself.
        case server
    }

    /// The reason why the pool refuses work.
    package enum Refusal: Error, Hashable {
        /// The caller has reached its maximum of waiting work.
        case tooMuchOfCaller
        /// All callers together have reached the maximum of waiting work.
        case tooMuch
        /// The process is shutting down.
        case closed
    }

    /// The current load and the totals of a pool since its start.
    package struct Counts: Sendable, Hashable {
        package var running = 0
        package var waiting = 0
        /// Includes work that was cancelled while it ran.
        package var done: Int64 = 0
        package var refused: Int64 = 0
        package var cancelled: Int64 = 0
    }

    private let queue: WorkQueue
    private let lasting = DispatchQueue(label: "fingerpost.live")

    /// - Parameters:
    ///   - threads: Maximum number of threads. They are started on demand.
    ///   - waitingOfCaller: Maximum number of waiting pieces of work of one caller, besides the running one.
    ///   - waiting: Maximum number of waiting pieces of work of all callers together.
    package init(threads: Int = WorkPool.defaultThreads, waitingOfCaller: Int = 16, waiting: Int = 256) {
        queue = WorkQueue(threads: max(1, threads), waitingOfCaller: waitingOfCaller, waiting: waiting)
    }

    deinit { queue.close() }

    /// Half of the processors, because the other half answers requests. At least two, so that small work does not wait
    /// for a large document.
    package static var defaultThreads: Int { max(2, ProcessInfo.processInfo.activeProcessorCount / 2) }

    package var counts: Counts { queue.counts }

    /// Refuses further work and cancels all that waits or runs.
    package func close() { queue.close() }

    /// Runs `body` on a thread of the pool. On cancellation, the caller returns without waiting for `body`, which sees
    /// the ``Cancellation`` and should end soon.
    ///
    /// - Parameter isContinued: Whether the pool has taken earlier work of the same request, so that the limits do not
    ///   apply: what is done already would be lost.
    /// - Throws: ``Refusal``, `CancellationError`, or the error of `body`.
    package func run<Result: Sendable>(
        for caller: Caller,
        isContinued: Bool = false,
        _ body: @escaping @Sendable (Cancellation) throws -> Result
    ) async throws -> Result {
        let cancellation = Cancellation()
        guard let presence = ClientPresence.current else {
            return try await run(for: caller, isContinued, cancellation, body)
        }
        return try await presence.whilePresent(cancellation) {
            try await run(for: caller, isContinued, cancellation, body)
        }
    }

    /// Runs work that must complete regardless of cancellation. Such work runs serially on its own dispatch queue.
    package func runToEnd<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            lasting.async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }

    private func run<Result: Sendable>(
        for caller: Caller,
        _ isContinued: Bool,
        _ cancellation: Cancellation,
        _ body: @escaping @Sendable (Cancellation) throws -> Result
    ) async throws -> Result {
        // The work captures a whole table, which would otherwise never be released.
        defer { cancellation.forgetAction() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer = OneTimeContinuation(continuation)
                let work = WorkQueue.Work(of: caller, isContinued: isContinued) {
                    guard !cancellation.isCancelled else { return answer.give(.failure(CancellationError())) }
                    let result = Swift.Result { try body(cancellation) }
                    // The result of cancelled work is undefined.
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

    /// Resumes the waiting caller with the first result and drops any later one.
    private final class OneTimeContinuation<Value: Sendable>: Sendable {
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
