import Dispatch
import Foundation
import LinkEvents
import Testing

@Suite(.timeLimit(.minutes(15)))
struct BlockingExecutorTests {
    /// Blocks its thread from when it has said that it runs until the gate opens.
    private actor Blocker {
        private let executor = BlockingExecutor(label: "blocker")
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        func wait(at gate: DispatchSemaphore, whenRunning: @Sendable () -> Void) {
            whenRunning()
            gate.wait()
        }
    }

    /// More of them than the machine has threads for tasks: were they to take those, nobody could open the gate.
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
