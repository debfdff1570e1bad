import Dispatch
import Foundation
import LinkEvents
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
}
