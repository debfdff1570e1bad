import Dispatch
import LinkCatalog
import LinkRouting
import Synchronization
import Testing

struct WorkPoolTests {
    private let acme = WorkPool.Caller.tenant(TenantID("acme") ?? .none)
    private let blogs = WorkPool.Caller.tenant(TenantID("blogs") ?? .none)

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

    private func until(_ pool: WorkPool, _ holds: (WorkPool.Counts) -> Bool) async {
        while !holds(pool.counts) { await Task.yield() }
    }

    @Test func workAnswersAndFails() async throws {
        struct Broken: Error {}
        let pool = WorkPool(threads: 2)
        #expect(try await pool.run(for: acme) { _ in 42 } == 42)
        await #expect(throws: Broken.self) { try await pool.run(for: acme) { _ in throw Broken() } }
        await until(pool) { $0.done == 2 && $0.running == 0 }
    }

    @Test func workIsReleasedWhenItIsDone() async throws {
        final class Table: Sendable {}
        let pool = WorkPool(threads: 1)
        weak var table: Table?
        do {
            let given = Table()
            table = given
            try await pool.run(for: acme) { _ in _ = given }
        }
        // The pool's only thread has released the first work item before it runs the second.
        try await pool.run(for: acme) { _ in }
        #expect(table == nil)
    }

    @Test func callersTakeTurns() async throws {
        let (pool, gate) = (WorkPool(threads: 1), Gate())
        let order = Order()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await pool.run(for: acme) { gate.hold($0) } }
            await gate.untilBegun()
            for (count, name) in ["acme 2", "acme 3"].enumerated() {
                tasks.addTask { try await pool.run(for: acme) { _ in order.note(name) } }
                await until(pool) { $0.waiting == count + 1 }
            }
            tasks.addTask { try await pool.run(for: blogs) { _ in order.note("blogs 1") } }
            await until(pool) { $0.waiting == 3 }
            gate.open()
            try await tasks.waitForAll()
        }
        #expect(order.names == ["blogs 1", "acme 2", "acme 3"])
    }

    /// A request whose earlier work is done comes before those that have not begun.
    @Test func continuedWorkComesFirst() async throws {
        let (pool, gate, order) = (WorkPool(threads: 1), Gate(), Order())
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await pool.run(for: acme) { gate.hold($0) } }
            await gate.untilBegun()
            tasks.addTask { try await pool.run(for: acme) { _ in order.note("new") } }
            await until(pool) { $0.waiting == 1 }
            tasks.addTask { try await pool.run(for: acme, isContinued: true) { _ in order.note("continued") } }
            await until(pool) { $0.waiting == 2 }
            gate.open()
            try await tasks.waitForAll()
        }
        #expect(order.names == ["continued", "new"])
    }

    @Test func oneCallerHoldsOneThread() async throws {
        let (pool, gate) = (WorkPool(threads: 2), Gate())
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<3 { tasks.addTask { try await pool.run(for: acme) { gate.hold($0) } } }
            await until(pool) { $0.running == 1 && $0.waiting == 2 }
            #expect(try await pool.run(for: blogs) { _ in "answered" } == "answered")
            #expect(pool.counts.running == 1)
            gate.open()
            try await tasks.waitForAll()
        }
    }

    @Test func tooMuchOfOneCallerOrOfAllIsRefused() async throws {
        let (pool, gate) = (WorkPool(threads: 1, waitingOfCaller: 1, waiting: 2), Gate())
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await pool.run(for: acme) { gate.hold($0) } }
            await gate.untilBegun()
            tasks.addTask { try await pool.run(for: acme) { _ in } }
            await until(pool) { $0.waiting == 1 }
            await #expect(throws: WorkPool.Refusal.tooMuchOfCaller) { try await pool.run(for: acme) { _ in } }
            tasks.addTask { try await pool.run(for: blogs) { _ in } }
            await until(pool) { $0.waiting == 2 }
            await #expect(throws: WorkPool.Refusal.tooMuch) { try await pool.run(for: .server) { _ in } }
            // What was taken before of the same request would be lost.
            tasks.addTask { try await pool.run(for: acme, isContinued: true) { _ in } }
            await until(pool) { $0.waiting == 3 }
            #expect(pool.counts.refused == 2)
            gate.open()
            try await tasks.waitForAll()
        }
    }

    @Test func workEndsWithItsTask() async throws {
        let (pool, gate) = (WorkPool(threads: 1), Gate())
        let running = Task { try await pool.run(for: acme) { gate.hold($0) } }
        await gate.untilBegun()
        let waiting = Task { try await pool.run(for: blogs) { _ in Issue.record("nobody waits for this any more") } }
        await until(pool) { $0.waiting == 1 }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
        await until(pool) { $0.running == 0 }
        #expect(pool.counts.cancelled == 2)
        #expect(try await pool.run(for: acme) { _ in "the next" } == "the next")
    }

    @Test func workEndsWithItsClient() async throws {
        let (pool, gate, client) = (WorkPool(threads: 1), Gate(), ClientPresence())
        let work = Task {
            try await ClientPresence.$current.withValue(client) { try await pool.run(for: acme) { gate.hold($0) } }
        }
        await gate.untilBegun()
        client.end()
        await #expect(throws: CancellationError.self) { try await work.value }
        await until(pool) { $0.running == 0 }
        await #expect(throws: CancellationError.self) {
            try await ClientPresence.$current.withValue(client) {
                try await pool.run(for: acme) { _ in Issue.record("the client went before it was asked") }
            }
        }
    }

    /// Closing the pool ends waiting callers with an error too.
    @Test func closingCancelsEverything() async throws {
        let (pool, gate) = (WorkPool(threads: 1), Gate())
        let running = Task { try await pool.run(for: acme) { gate.hold($0) } }
        await gate.untilBegun()
        let waiting = Task { try await pool.run(for: blogs) { _ in } }
        await until(pool) { $0.waiting == 1 }
        pool.close()
        await #expect(throws: CancellationError.self) { try await running.value }
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await #expect(throws: WorkPool.Refusal.closed) { try await pool.run(for: blogs) { _ in } }
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
