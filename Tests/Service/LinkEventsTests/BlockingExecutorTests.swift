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

    /// The threads of the concurrency pool, which a test blocks. The last blocked one resumes a task, which releases all.
    private final class BlockedPool: Sendable {
        private struct State {
            var waiting: CheckedContinuation<Void, Never>?
            var blockedCount = 0
        }

        let threadCount = ProcessInfo.processInfo.activeProcessorCount
        private let gate = DispatchSemaphore(value: 0)
        private let state = Mutex(State())

        func suspend(telling isSuspended: AsyncStream<Void>.Continuation) async {
            await withCheckedContinuation { continuation in
                state.withLock { $0.waiting = continuation }
                isSuspended.yield()
            }
        }

        func block() {
            let waiting = state.withLock { state in
                state.blockedCount += 1
                return state.blockedCount == threadCount ? state.waiting.take() : nil
            }
            waiting?.resume()
            gate.wait()
        }

        func release() { for _ in 0..<threadCount { gate.signal() } }
    }

    @Test func resumedTaskNeedsNoThreadThatRunsTasks() async {
        let executor = BlockingTaskExecutor(label: "resumed")
        let pool = BlockedPool()
        let (suspended, isSuspended) = AsyncStream.makeStream(of: Void.self)
        await withDiscardingTaskGroup { group in
            group.addTask(executorPreference: executor) {
                await pool.suspend(telling: isSuspended)
                pool.release()
            }
            for await _ in suspended { break }
            for _ in 0..<pool.threadCount { group.addTask { pool.block() } }
        }
    }
}
