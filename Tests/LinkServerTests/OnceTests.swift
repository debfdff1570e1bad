import Dispatch
import LinkServer
import Synchronization
import Testing

struct OnceTests {
    @Test func valueIsMadeOnceHoweverManyAsk() {
        let once = Once<Int>()
        let makings = Mutex(0)
        let found = Mutex<[Int]>([])
        DispatchQueue.concurrentPerform(iterations: 64) { _ in
            let value = once.value {
                makings.withLock { makings in
                    makings += 1
                    return makings
                }
            }
            found.withLock { $0.append(value) }
        }
        #expect(found.withLock(\.self) == Array(repeating: 1, count: 64))
    }

    @Test func failureIsTriedAgain() throws {
        struct Failure: Error {}
        let once = Once<Int>()
        #expect(throws: Failure.self) { try once.value { throw Failure() } }
        #expect(once.value { 7 } == 7)
    }
}
