import Dispatch

/// Runs an actor on its own serial dispatch queue, for work that blocks on the disk. The actor then never blocks one of
/// the few threads that answer requests.
package final class BlockingExecutor: SerialExecutor {
    private let queue: DispatchQueue

    package init(label: String) { queue = DispatchQueue(label: label) }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
