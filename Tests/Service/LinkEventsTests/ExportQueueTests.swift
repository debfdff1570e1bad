import LinkRouting
import Synchronization
import TestSupport
import Testing

@testable import LinkEvents

@Suite(.timeLimit(.minutes(15)))
struct ExportQueueTests {
    private let shop = tenant("shop")
    private let taxi = tenant("taxi")

    private final class Names: Sendable {
        private let names = Mutex<[String]>([])

        var all: [String] { names.withLock(\.self) }

        func add(_ name: String) { names.withLock { $0.append(name) } }
    }

    /// The names of the waiting callers, in the order of their turns.
    private func order(_ requests: [(name: String, purpose: ExportQueue.Purpose)]) async throws -> [String] {
        let queue = ExportQueue()
        let names = Names()
        try await queue.acquire(.request(shop))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, request) in requests.enumerated() {
                group.addTask {
                    try await queue.acquire(request.purpose)
                    names.add(request.name)
                    queue.release()
                }
                while queue.waiting <= place { await Task.yield() }
            }
            queue.release()
            try await group.waitForAll()
        }
        return names.all
    }

    @Test func tenantsTakeTurns() async throws {
        let order = try await order([
            ("shop 1", .request(shop)), ("shop 2", .request(shop)), ("shop 3", .request(shop)),
            ("taxi 1", .request(taxi)),
        ])
        #expect(order == ["shop 1", "taxi 1", "shop 2", "shop 3"])
    }

    @Test func scheduleAndErasuresGoBeforeOthers() async throws {
        let order = try await order([
            ("shop", .request(shop)), ("taxi", .request(taxi)), ("erasure 1", .erasure(taxi)),
            ("erasure 2", .erasure(taxi)), ("schedule", .schedule),
        ])
        #expect(order == ["schedule", "erasure 1", "shop", "erasure 2", "taxi"])
    }

    @Test func oneTenantHasABoundedNumberWaiting() async throws {
        let queue = ExportQueue()
        try await queue.acquire(.request(shop))
        await withTaskGroup(of: Void.self) { group in
            for place in 0..<4 {
                group.addTask { try? await queue.acquire(.request(shop)) }
                while queue.waiting <= place { await Task.yield() }
            }
            await #expect(throws: ExportRefusal.tooMuchOfTenant) { try await queue.acquire(.request(shop)) }
            // There is still room for another tenant and for an erasure of this one.
            group.addTask { try? await queue.acquire(.request(taxi)) }
            group.addTask { try? await queue.acquire(.erasure(shop)) }
            while queue.waiting < 6 { await Task.yield() }
            group.cancelAll()
        }
        #expect(queue.waiting == 0)
    }

    @Test func cancelledCallerStopsWaiting() async throws {
        let queue = ExportQueue()
        try await queue.acquire(.schedule)
        let task = Task { try await queue.acquire(.request(shop)) }
        while queue.waiting < 1 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(queue.waiting == 0)
        queue.release()
        try await queue.acquire(.request(shop))
    }
}
