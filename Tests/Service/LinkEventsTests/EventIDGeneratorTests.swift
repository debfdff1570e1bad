import LinkEvents
import LinkRouting
import TestSupport
import Testing

struct EventIDGeneratorTests {
    private let noon = instant("2026-11-21T12:00:00.123Z")

    @Test func idIsAUUIDv7() {
        let generator = EventIDGenerator { .max }
        // 48 bits of time, version 7, a counter, variant 10, 62 random bits.
        #expect(generator.next(at: noon) == "01a1fdfa-467b-7000-bfff-ffffffffffff")
        #expect(generator.next(at: noon) == "01a1fdfa-467b-7001-bfff-ffffffffffff")
        #expect(EventIDGenerator { 0 }.next(at: noon) == "01a1fdfa-467b-7000-8000-000000000000")
    }

    @Test func idsIncreaseWithinAMillisecondAndWhenTheClockStepsBack() {
        var random = SeededGenerator(seed: 1)
        let generator = EventIDGenerator { 42 }
        var clock = noon.milliseconds
        var ids: [String] = []
        for _ in 0..<20_000 {
            ids.append(generator.next(at: Timestamp(milliseconds: clock)).description)
            if Int.random(in: 0..<1_000, using: &random) == 0 {
                clock += Int64.random(in: -5_000...100, using: &random)
            }
        }
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func idsOfManyTasksDiffer() async {
        let generator = EventIDGenerator { 0 }
        let noon = noon
        let ids = await withTaskGroup(of: [String].self) { group in
            for _ in 0..<20 { group.addTask { (0..<500).map { _ in generator.next(at: noon).description } } }
            return await group.reduce(into: Set<String>()) { $0.formUnion($1) }
        }
        #expect(ids.count == 10_000)
    }
}
