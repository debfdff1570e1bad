import Dispatch

/// Runs tasks that prefer it on its own serial dispatch queue, for work that blocks on the disk.
///
/// A continuation that is resumed puts its task straight into this queue. With a ``BlockingExecutor``, the task would
/// first run on the global executor, because a continuation does not know the actor that waits for it.
package final class BlockingTaskExecutor: TaskExecutor {
    private let queue: DispatchQueue

    package init(label: String) { queue = DispatchQueue(label: label) }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
