import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// A bounded queue for computations that take up to seconds for a large table. They must not block the threads of the
/// concurrency runtime and the event loops, so each runs on a thread of its own, with a low priority.
///
/// The service has three queues. Editors' checks and plans: one at a time of a tenant, and eight waiting; further ones are
/// refused with 429, or with 503 if 64 of all tenants wait. Public work, which is making association files, loading
/// revisions for reports of apps, and signing tables: one at a time. The services that ask for it wait for each piece, so
/// it never refuses them. Traces of links: 16 of a tenant wait.
///
/// Work is cancelled with the task that requested it, and when its client disconnects (``ClientPresence``).
package final class WorkQueue: Sendable {
    private let semaphore: TaskSemaphore

    /// - Parameters:
    ///   - threads: Maximum number of threads, and of owners whose work runs at the same time.
    ///   - waitingOfOwner: Maximum number of waiting pieces of work of one owner, besides the running one.
    ///   - waiting: Maximum number of waiting pieces of work of all owners together.
    package init(threads: Int = WorkQueue.defaultThreads, waitingOfOwner: Int = 8, waiting: Int = 64) {
        semaphore = TaskSemaphore(count: threads, waitingOfOwner: waitingOfOwner, waiting: waiting)
    }

    /// Half of the processors, because the other half answers requests. At least two, so that small work does not wait
    /// for a large document.
    package static var defaultThreads: Int { max(2, ProcessInfo.processInfo.activeProcessorCount / 2) }

    package var counts: WorkCounts { semaphore.counts }

    /// Runs `body` on a thread of its own. Cancelled work must end soon.
    ///
    /// - Throws: ``WorkRefusal``, `CancellationError`, or the error of `body`.
    package func run<Result: Sendable>(
        for owner: WorkOwner,
        _ body: @escaping @Sendable (Cancellation) throws -> Result
    ) async throws -> Result {
        try await ClientPresence.cancelling { [self] in
            let cancellation = Cancellation()
            return try await withTaskCancellationHandler {
                try await semaphore.take(for: owner)
                let result = await Self.result { try body(cancellation) }
                semaphore.giveBack(by: owner, isCancelled: cancellation.isCancelled)
                // The result of cancelled work is undefined.
                guard !cancellation.isCancelled else { throw CancellationError() }
                return try result.get()
            } onCancel: {
                cancellation.cancel()
            }
        }
    }

    private static func result<Success: Sendable>(
        of body: @escaping @Sendable () throws -> Success
    ) async -> Result<Success, any Error> {
        await withCheckedContinuation { continuation in
            let thread = Thread {
                lowerPriority()
                continuation.resume(returning: Result { try body() })
            }
            thread.name = "fingerpost.work"
            // Documents are read recursively, and Darwin gives a thread only 512 KiB of stack.
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    /// Lowers the thread's priority below that of the threads that answer requests.
    private static func lowerPriority() {
        #if canImport(Glibc)
            // On Linux, niceness is a property of a thread, and 0 denotes the calling one. Failure is harmless.
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        #endif
    }
}
