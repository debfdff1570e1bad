import Dispatch
import Foundation
import LinkEvents
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(15)))
struct BlockingExecutorTests {
    /// Reports that it runs, then blocks its thread until the gate opens.
    private actor Blocker {
        private let executor = BlockingExecutor(label: "blocker")
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        func wait(at gate: DispatchSemaphore, whenRunning: @Sendable () -> Void) {
            whenRunning()
            gate.wait()
        }
    }

    /// More blockers than the concurrency pool has threads. If they used the pool's threads, no task could open the
    /// gate.
    @Test func blockedWorkHoldsNoThreadThatRunsTasks() async {
        let count = ProcessInfo.processInfo.activeProcessorCount * 2
        let gate = DispatchSemaphore(value: 0)
        let (running, continuation) = AsyncStream.makeStream(of: Void.self)
        await withDiscardingTaskGroup { group in
            for _ in 0..<count {
                group.addTask { await Blocker().wait(at: gate) { continuation.yield() } }
            }
            var left = count
            for await _ in running {
                left -= 1
                if left == 0 { break }
            }
            for _ in 0..<count { gate.signal() }
        }
    }

    /// All threads of the concurrency pool are blocked until a task opens the gate that a continuation resumes.
    @Test func resumedTaskNeedsNoThreadThatRunsTasks() async {
        let executor = BlockingTaskExecutor(label: "resumed")
        let count = ProcessInfo.processInfo.activeProcessorCount
        let gate = DispatchSemaphore(value: 0)
        let waiting = Mutex<CheckedContinuation<Void, Never>?>(nil)
        let blocked = Mutex(0)
        let (suspended, isSuspended) = AsyncStream.makeStream(of: Void.self)
        /// The last one resumes the task.
        @Sendable func block() {
            let isLast = blocked.withLock { blocked in
                blocked += 1
                return blocked == count
            }
            if isLast { waiting.withLock { $0.take() }?.resume() }
            gate.wait()
        }
        await withDiscardingTaskGroup { group in
            group.addTask(executorPreference: executor) {
                await withCheckedContinuation { continuation in
                    waiting.withLock { $0 = continuation }
                    isSuspended.yield()
                }
                for _ in 0..<count { gate.signal() }
            }
            for await _ in suspended { break }
            for _ in 0..<count { group.addTask { block() } }
        }
    }
}
