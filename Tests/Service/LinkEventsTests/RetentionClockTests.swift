import LinkEvents
import LinkRouting
import Testing

struct RetentionClockTests {
    private func time(day: Int64, hour: Int64 = 0) -> Timestamp {
        Timestamp(milliseconds: (day * 24 + hour) * 3_600_000)
    }

    @Test func elapsedTimeIsNotAJump() {
        var clock = RetentionClock(lastPass: time(day: 20_000))
        for day in Int64(20_001)...20_900 {
            clock.pass(at: time(day: day))
            #expect(clock.jumpedAt == nil)
        }
        clock.pass(at: time(day: 20_931))
        #expect(clock.jumpedAt == nil)
    }

    @Test func clockJumpIsTrustedAfterAWait() {
        var clock = RetentionClock(lastPass: time(day: 20_000))
        clock.pass(at: time(day: 22_000))
        #expect(clock.jumpedAt == time(day: 22_000))
        clock.pass(at: time(day: 22_002, hour: 23))
        #expect(clock.jumpedAt == time(day: 22_000))
        clock.pass(at: time(day: 22_003))
        #expect(clock.jumpedAt == nil)
    }

    @Test func clockSetBackEndsTheWait() {
        var clock = RetentionClock(lastPass: time(day: 20_000))
        clock.pass(at: time(day: 22_000))
        clock.pass(at: time(day: 20_001))
        #expect(clock.jumpedAt == nil && clock.lastPass == time(day: 20_001))
    }

    @Test func secondJumpStartsAnotherWait() {
        var clock = RetentionClock(lastPass: time(day: 20_000))
        clock.pass(at: time(day: 22_000))
        clock.pass(at: time(day: 24_000))
        #expect(clock.jumpedAt == time(day: 24_000))
    }
}
