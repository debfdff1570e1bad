import Dispatch
import LinkCatalog
import LinkRouting
import Synchronization
import Testing

struct WorkQueueTests {
    private let acme = WorkOwner.tenant(TenantID("acme") ?? .none)
    private let blogs = WorkOwner.tenant(TenantID("blogs") ?? .none)

    /// Work that runs until the gate opens or it is cancelled.
    private final class Gate: Sendable {
        private let opened = DispatchSemaphore(value: 0)
        let begun = AsyncStream<Void>.makeStream()

        func open() { opened.signal() }

        func hold(_ cancellation: Cancellation) {
            begun.continuation.yield()
            while !cancellation.isCancelled {
                guard opened.wait(timeout: .now() + .milliseconds(1)) == .timedOut else { break }
            }
            // Passes the signal on, so that all work that waits is released.
            opened.signal()
        }

        func untilBegun() async { for await _ in begun.stream { return } }
    }

    private final class Order: Sendable {
        private let noted = Mutex<[String]>([])
        var names: [String] { noted.withLock(\.self) }
        func note(_ name: String) { noted.withLock { $0.append(name) } }
    }

    private func until(_ queue: WorkQueue, _ holds: (WorkCounts) -> Bool) async {
        while !holds(queue.counts) { await Task.yield() }
    }

    @Test func workAnswersAndFails() async throws {
        struct Broken: Error {}
        let queue = WorkQueue(threads: 2)
        #expect(try await queue.run(for: acme) { _ in 42 } == 42)
        await #expect(throws: Broken.self) { try await queue.run(for: acme) { _ in throw Broken() } }
        await until(queue) { $0.done == 2 && $0.running == 0 }
    }

    @Test func workIsReleasedWhenItIsDone() async throws {
        final class Table: Sendable {}
        let queue = WorkQueue(threads: 1)
        weak var table: Table?
        do {
            let given = Table()
            table = given
            try await queue.run(for: acme) { _ in _ = given }
        }
        // The thread releases it when it ends.
        while table != nil { await Task.yield() }
    }

    @Test func otherOwnersComeFirst() async throws {
        let (queue, gate) = (WorkQueue(threads: 1), Gate())
        let order = Order()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await queue.run(for: acme) { gate.hold($0) } }
            await gate.untilBegun()
            for (count, name) in ["acme 2", "acme 3"].enumerated() {
                tasks.addTask { try await queue.run(for: acme) { _ in order.note(name) } }
                await until(queue) { $0.waiting == count + 1 }
            }
            tasks.addTask { try await queue.run(for: blogs) { _ in order.note("blogs 1") } }
            await until(queue) { $0.waiting == 3 }
            gate.open()
            try await tasks.waitForAll()
        }
        #expect(order.names == ["blogs 1", "acme 2", "acme 3"])
    }

    @Test func oneOwnerHoldsOneThread() async throws {
        let (queue, gate) = (WorkQueue(threads: 2), Gate())
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<3 { tasks.addTask { try await queue.run(for: acme) { gate.hold($0) } } }
            await until(queue) { $0.running == 1 && $0.waiting == 2 }
            #expect(try await queue.run(for: blogs) { _ in "answered" } == "answered")
            #expect(queue.counts.running == 1)
            gate.open()
            try await tasks.waitForAll()
        }
    }

    @Test func tooMuchOfOneOwnerOrOfAllIsRefused() async throws {
        let (queue, gate) = (WorkQueue(threads: 1, waitingOfOwner: 1, waiting: 2), Gate())
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await queue.run(for: acme) { gate.hold($0) } }
            await gate.untilBegun()
            tasks.addTask { try await queue.run(for: acme) { _ in } }
            await until(queue) { $0.waiting == 1 }
            await #expect(throws: WorkRefusal.tooMuchOfOwner) { try await queue.run(for: acme) { _ in } }
            tasks.addTask { try await queue.run(for: blogs) { _ in } }
            await until(queue) { $0.waiting == 2 }
            await #expect(throws: WorkRefusal.tooMuch) { try await queue.run(for: .server) { _ in } }
            #expect(queue.counts.refused == 2)
            gate.open()
            try await tasks.waitForAll()
        }
    }

    @Test func workEndsWithItsTask() async throws {
        let (queue, gate) = (WorkQueue(threads: 1), Gate())
        let running = Task { try await queue.run(for: acme) { gate.hold($0) } }
        await gate.untilBegun()
        let waiting = Task { try await queue.run(for: blogs) { _ in Issue.record("nobody waits for this any more") } }
        await until(queue) { $0.waiting == 1 }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
        await until(queue) { $0.running == 0 }
        #expect(queue.counts.cancelled == 2)
        #expect(try await queue.run(for: acme) { _ in "the next" } == "the next")
    }

    @Test func workEndsWithItsClient() async throws {
        let (queue, gate, client) = (WorkQueue(threads: 1), Gate(), ClientPresence())
        let work = Task {
            try await ClientPresence.$current.withValue(client) { try await queue.run(for: acme) { gate.hold($0) } }
        }
        await gate.untilBegun()
        client.end()
        await #expect(throws: CancellationError.self) { try await work.value }
        await until(queue) { $0.running == 0 }
        await #expect(throws: CancellationError.self) {
            try await ClientPresence.$current.withValue(client) {
                try await queue.run(for: acme) { _ in Issue.record("the client went before it was asked") }
            }
        }
    }

    @Test func taskEndsWithItsClient() async throws {
        let presence = ClientPresence()
        await #expect(throws: CancellationError.self) {
            try await ClientPresence.$current.withValue(presence) {
                try await ClientPresence.cancelling {
                    presence.end()
                    while !Task.isCancelled { await Task.yield() }
                    try Task.checkCancellation()
                }
            }
        }
        #expect(try await ClientPresence.cancelling { 1 } == 1)
    }
}
