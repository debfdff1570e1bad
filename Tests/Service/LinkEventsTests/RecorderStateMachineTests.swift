import LinkRouting
import TestSupport
import Testing

@testable import LinkEvents

struct RecorderStateMachineTests {
    private typealias Machine = RecorderStateMachine

    private let noon = instant("2026-11-21T12:00:00Z")

    private func request(_ events: [Event], by key: KeyOwner = .nobody) -> Machine.Request {
        Machine.Request(events: events, key: key) { _ in }
    }

    private func request(_ count: Int, of tenant: TenantID = tenant("shop")) -> Machine.Request {
        request((0..<count).map { .sample($0, of: tenant) })
    }

    private func machine(_ adjust: (inout Machine.Limits) -> Void = { _ in }) -> Machine {
        var limits = Machine.Limits()
        adjust(&limits)
        return Machine(limits: limits)
    }

    @Test func limitsAreThoseOfTheDesign() {
        let limits = Machine.Limits()
        #expect(limits.waitingEvents == 8_192)
        #expect(limits.waitingBytes == 16 * 1_024 * 1_024)
        #expect(limits.batchEvents == 1_024)
        #expect(limits.batchBytes == 1_024 * 1_024)
        #expect(limits.unownedPerSecond == 100)
    }

    @Test func fullByCountRefusesAtOnce() {
        var machine = machine { $0.waitingEvents = 10 }
        #expect(machine.submit(request(9), at: noon) == nil)
        #expect(machine.submit(request(2), at: noon)?.reason == .queueFull)
        #expect(machine.submit(request(1), at: noon) == nil)
        #expect(machine.submit(request(1), at: noon)?.reason == .queueFull)
        #expect(machine.counts == EventRecorder.Counts(received: 13, stored: 0, refused: [.queueFull: 3], waiting: 10))
    }

    @Test func fullByBytesRefusesAtOnce() {
        let one = request(1)
        var machine = machine { $0.waitingBytes = one.byteCount * 2 }
        #expect(machine.submit(one, at: noon) == nil)
        #expect(machine.submit(one, at: noon) == nil)
        #expect(machine.submit(one, at: noon)?.reason == .queueFull)
    }

    /// Events that are being written still occupy memory.
    @Test func acceptedEventsCountUntilTheyAreAnswered() {
        let one = request(1)
        var machine = machine {
            $0.waitingEvents = 1
            $0.waitingBytes = one.byteCount
        }
        #expect(machine.submit(one, at: noon) == nil)
        #expect(machine.take() != nil)
        #expect(machine.submit(one, at: noon)?.reason == .queueFull)
        machine.finished(one, .stored(firstSequence: 1))
        #expect(machine.submit(one, at: noon) == nil)
    }

    @Test func batchTakesWhatWaitsUpToItsBound() throws {
        var machine = machine { $0.batchEvents = 5 }
        for size in [2, 2, 2, 7, 1] { #expect(machine.submit(request(size), at: noon) == nil) }
        var sizes: [[Int]] = []
        while case .batch(let requests)? = machine.take() { sizes.append(requests.map(\.events.count)) }
        // A request is never split, even if it is larger than a batch.
        #expect(sizes == [[2, 2], [2], [7], [1]])
    }

    @Test func batchIsBoundByBytes() {
        let one = request(1)
        var machine = machine { $0.batchBytes = one.byteCount * 3 }
        for _ in 0..<4 { #expect(machine.submit(one, at: noon) == nil) }
        guard case .batch(let requests)? = machine.take() else {
            Issue.record("nothing was taken")
            return
        }
        #expect(requests.count == 3)
    }

    @Test func fenceWaitsForEarlierEventsOnly() {
        var machine = machine()
        #expect(machine.submit(request(1), at: noon) == nil)
        #expect(machine.submitFence { _ in })
        #expect(machine.submit(request(1), at: noon) == nil)
        var order: [String] = []
        while let work = machine.take() {
            switch work {
            case .batch(let requests): order.append("batch of \(requests.count)")
            case .fence: order.append("fence")
            }
        }
        #expect(order == ["batch of 1", "fence", "batch of 1"])
    }

    @Test func stoppedMachineAcceptsNothingAndReturnsTheRest() {
        var machine = machine()
        #expect(machine.submit(request(1), at: noon) == nil)
        machine.stop()
        #expect(machine.submit(request(3), at: noon)?.reason == .stopping)
        #expect(!machine.submitFence { _ in })
        #expect(machine.take() != nil)
        #expect(machine.take() == nil)
        #expect(machine.counts.refused == [.stopping: 3])
    }

    @Test func unownedEventsAreBoundASecond() {
        var machine = machine()
        #expect(machine.submit(request(60, of: .none), at: noon) == nil)
        #expect(machine.submit(request(41, of: .none), at: noon)?.reason == .unownedRate)
        #expect(machine.submit(request(40, of: .none), at: noon) == nil)
        #expect(machine.submit(request(1, of: .none), at: noon)?.reason == .unownedRate)
        #expect(machine.submit(request(1), at: noon) == nil)
        let later = Timestamp(milliseconds: noon.milliseconds + 1_000)
        #expect(machine.submit(request(100, of: .none), at: later) == nil)
        #expect(machine.counts.refused == [.unownedRate: 42])
    }

    /// The caller submits the other events again, so they must not be counted twice.
    @Test func mixedRequestCountsOnlyItsUnownedEventsAsRefused() {
        var machine = machine { $0.unownedPerSecond = 1 }
        let mixed = request([.sample(1), .sample(2, of: .none), .sample(3, of: .none)])
        #expect(machine.submit(mixed, at: noon)?.reason == .unownedRate)
        #expect(machine.submit(request([.sample(1)]), at: noon) == nil)
        #expect(machine.counts == EventRecorder.Counts(received: 3, stored: 0, refused: [.unownedRate: 2], waiting: 1))
    }

    // MARK: Bytes of a day

    @Test func tenantAtItsBytesOfTheDayIsRefusedUntilMidnight() {
        let one = request(1)
        var machine = machine { $0.dayBytes = 2 * one.byteCount }
        for _ in 0..<2 {
            #expect(machine.submit(one, at: noon) == nil)
            machine.finished(one, .stored(firstSequence: 1))
        }
        #expect(machine.submit(one, at: noon) == .init(reason: .dayBytes, tenants: [tenant("shop")]))
        #expect(machine.submit(request(1, of: tenant("taxi")), at: noon) == nil)
        let midnight = instant("2026-11-22T00:00:00Z")
        let before = Timestamp(milliseconds: midnight.milliseconds - 1)
        #expect(machine.submit(one, at: before)?.reason == .dayBytes)
        #expect(machine.submit(one, at: midnight) == nil)
        #expect(machine.counts.refused == [.dayBytes: 2])
    }

    /// Only what is on the disk counts: a log that fails uses up no bytes.
    @Test func refusedEventsUseUpNoBytes() {
        let one = request(1)
        var machine = machine { $0.dayBytes = 1 }
        for _ in 0..<3 {
            #expect(machine.submit(one, at: noon) == nil)
            machine.finished(one, .refused(.diskFull))
        }
        #expect(machine.keylessBytes(at: noon).isEmpty)
    }

    @Test func eventsThatTheLogHasAlreadyUseUpNoBytes() {
        var machine = machine { $0.dayBytes = 1 << 20 }
        let again = request([
            .sample(1, of: tenant("shop")), .sample(2, of: tenant("shop")), .sample(3, of: tenant("taxi")),
        ])
        #expect(machine.submit(again, at: noon) == nil)
        machine.finished(again, .stored(firstSequence: 1, duplicates: [0, 2]))
        let new = request([.sample(2, of: tenant("shop"))]).byteCount
        #expect(machine.keylessBytes(at: noon).filter { $0.value > 0 } == [tenant("shop"): new])
    }

    @Test func requestsWithAKeyOfTheTenantNeitherCountNorAreRefused() {
        let shop = tenant("shop")
        var machine = machine { $0.dayBytes = 1 }
        for key in [KeyOwner.tenant(shop), .everyTenant] {
            let keyed = request([.sample(1, of: shop)], by: key)
            #expect(machine.submit(keyed, at: noon) == nil)
            machine.finished(keyed, .stored(firstSequence: 1))
        }
        #expect(machine.keylessBytes(at: noon).isEmpty)
        // A key of another tenant is none for this one.
        let foreign = request([.sample(2, of: shop)], by: .tenant(tenant("taxi")))
        #expect(machine.submit(foreign, at: noon) == nil)
        machine.finished(foreign, .stored(firstSequence: 3))
        #expect(machine.keylessBytes(at: noon) == [shop: foreign.byteCount])
        #expect(machine.submit(foreign, at: noon)?.reason == .dayBytes)
        #expect(machine.submit(request([.sample(3, of: shop)], by: .tenant(shop)), at: noon) == nil)
    }

    @Test func mixedRequestCountsOnlyTheEventsOfTenantsAtTheLimitAsRefused() {
        let (shop, taxi) = (tenant("shop"), tenant("taxi"))
        var machine = machine { $0.dayBytes = 1 }
        let first = request([.sample(1, of: shop)])
        #expect(machine.submit(first, at: noon) == nil)
        machine.finished(first, .stored(firstSequence: 1))
        let mixed = request([.sample(2, of: shop), .sample(3, of: taxi), .sample(4, of: shop)])
        #expect(machine.submit(mixed, at: noon) == .init(reason: .dayBytes, tenants: [shop]))
        #expect(machine.counts == EventRecorder.Counts(received: 3, stored: 1, refused: [.dayBytes: 2], waiting: 0))
    }

    /// In any sequence of steps, nothing is lost, duplicated or reordered, and the counts add up.
    @Test(arguments: 0..<50 as Range<UInt64>) func countsAlwaysAddUp(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = machine {
            $0.waitingEvents = 40
            $0.waitingBytes = 40 * request(1).byteCount
            $0.batchEvents = 12
            $0.unownedPerSecond = 5
        }
        var clock = noon
        var next = 0
        var accepted: [RecordedID] = []
        var taken: [RecordedID] = []
        var writing: [Machine.Request] = []
        for _ in 0..<500 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4:
                let events = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                    next += 1
                    return Event.sample(next, of: Int.random(in: 0..<8, using: &random) == 0 ? .none : tenant("shop"))
                }
                if machine.submit(request(events), at: clock) == nil { accepted += events.map(\.id) }
            case 5: _ = machine.submitFence { _ in }
            case 6, 7:
                if case .batch(let requests)? = machine.take() {
                    writing += requests
                    taken += requests.flatMap(\.events).map(\.id)
                    #expect(requests.reduce(0) { $0 + $1.events.count } <= 12)
                }
            case 8:
                let result: RecordResult = Bool.random(using: &random) ? .stored(firstSequence: 1) : .refused(.diskFull)
                for request in writing { machine.finished(request, result) }
                writing = []
            default: clock = Timestamp(milliseconds: clock.milliseconds + 400)
            }
            let counts = machine.counts
            #expect(counts.received == counts.stored + counts.refused.values.reduce(0, +) + counts.waiting)
            #expect((0...40).contains(counts.waiting))
        }
        machine.stop()
        while let work = machine.take() {
            guard case .batch(let requests) = work else { continue }
            writing += requests
            taken += requests.flatMap(\.events).map(\.id)
        }
        for request in writing { machine.finished(request, .stored(firstSequence: 1)) }
        #expect(taken == accepted)
        #expect(machine.counts.waiting == 0)
        #expect(!machine.hasWork)
    }
}
