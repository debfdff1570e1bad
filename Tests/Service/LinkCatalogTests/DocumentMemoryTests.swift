import LinkCatalog
import Synchronization
import Testing

struct DocumentMemoryTests {
    private final class Counter: Sendable {
        private let counts = Mutex((now: 0, most: 0))

        var most: Int { counts.withLock(\.most) }

        @Sendable func begin() {
            counts.withLock { counts in
                counts.now += 1
                counts.most = max(counts.most, counts.now)
            }
        }

        func end() { counts.withLock { $0.now -= 1 } }
    }

    private func memory(_ maximumBytes: Int = 100, whenDone: @escaping @Sendable () -> Void = {}) -> DocumentMemory {
        DocumentMemory(queue: WorkQueue(threads: 1), maximumBytes: { maximumBytes }, whenDone: whenDone)
    }

    @Test func oneDocumentIsDecodedAtATime() async throws {
        let memory = memory()
        let counter = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<30 {
                group.addTask {
                    let request = memory.request(of: .key("t\(index % 5)"))
                    try await request.decode()
                    counter.begin()
                    await Task.yield()
                    counter.end()
                    request.end()
                }
            }
            try await group.waitForAll()
        }
        #expect(counter.most == 1)
    }

    /// A client that sends slowly keeps bytes, but nobody waits for it.
    @Test func arrivingBodyDoesNotDelayOthers() async throws {
        let memory = memory()
        let slow = memory.request(of: .key("slow"))
        try slow.reserve(50)
        let other = memory.request(of: .key("other"))
        try other.reserve(50)
        try await other.decode()
        other.end()
        slow.end()
    }

    @Test func bodyBeyondTheBudgetIsRefused() throws {
        let memory = memory()
        let (one, same) = (memory.request(of: .key("a")), memory.request(of: .key("a")))
        let (second, third) = (memory.request(of: .key("b")), memory.request(of: .key("c")))
        try one.reserve(30)
        try one.reserve(20)
        #expect(throws: DocumentMemory.Full.ofOwner) { try same.reserve(1) }
        try second.reserve(40)
        #expect(throws: DocumentMemory.Full.ofAll) { try third.reserve(11) }
        try third.reserve(10)
        one.end()
        try same.reserve(50)
    }

    /// Deallocating a request releases what it holds, so no explicit call is necessary.
    @Test func abandonedRequestReleasesItsMemory() async throws {
        let counter = Counter()
        let memory = memory(whenDone: counter.begin)
        for _ in 0..<10 {
            let request = memory.request(of: .key("a"))
            try request.reserve(50)
            try await request.decode()
        }
        #expect(counter.most == 10)
    }

    @Test func waitingRequestCanBeCancelled() async throws {
        let memory = memory()
        let first = memory.request(of: .key("a"))
        try await first.decode()
        let waiting = Task { try await memory.request(of: .key("a")).decode() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        first.end()
        try await memory.request(of: .key("a")).decode()
    }

    @Test func waitingRequestEndsWithItsClient() async throws {
        let (memory, client) = (memory(), ClientPresence())
        let first = memory.request(of: .key("a"))
        try await first.decode()
        let waiting = Task {
            try await ClientPresence.$current.withValue(client) { try await memory.request(of: .key("b")).decode() }
        }
        client.end()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        first.end()
    }

    @Test func ninthWaitingRequestOfATenantIsRefused() async throws {
        let memory = memory()
        let first = memory.request(of: .key("a"))
        try await first.decode()
        await withTaskGroup(of: (any Error)?.self) { group in
            for _ in 0..<9 {
                group.addTask {
                    do {
                        try await memory.request(of: .key("a")).decode()
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            let refused = await group.next()
            #expect(refused as? WorkRefusal == .tooMuchOfOwner)
            first.end()
            for await other in group { #expect(other == nil) }
        }
    }
}
