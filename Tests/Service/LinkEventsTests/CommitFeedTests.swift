import LinkRouting
import TestSupport
import Testing

@testable import LinkEvents

/// Listeners that wait for commits.
@Suite(.timeLimit(.minutes(15)))
struct CommitFeedTests {
    @Test func onlyListenersOfTheTenantAreWoken() async throws {
        let feed = CommitFeed()
        let shop = try #require(feed.listen(to: tenant("shop"), with: "key"))
        let taxi = try #require(feed.listen(to: tenant("taxi"), with: "key"))
        feed.note([.sample(1), .sample(2)])
        feed.note([.sample(3)])
        shop.end()
        taxi.end()
        var woken = 0
        for await _ in shop.signals { woken += 1 }
        // Two commits between two reads give one signal.
        #expect(woken == 1)
        for await _ in taxi.signals { Issue.record("nothing of taxi was committed") }
    }

    @Test func listenersAreBoundedAndGiveTheirPlaceBack() async throws {
        var limits = CommitFeed.Limits()
        (limits.listeners, limits.listenersOfOneTenant) = (3, 2)
        let feed = CommitFeed(limits: limits)
        do {
            let kept = [feed.listen(to: tenant("shop"), with: "key"), feed.listen(to: tenant("shop"), with: "key")]
            #expect(kept.allSatisfy { $0 != nil })
            #expect(feed.listen(to: tenant("shop"), with: "key") == nil)
            let other = feed.listen(to: tenant("taxi"), with: "key")
            #expect(other != nil && feed.listen(to: tenant("acme"), with: "key") == nil)
            #expect(feed.listenerCount == 3)
            for listening in kept + [other] { listening?.end() }
        }
        #expect(feed.listenerCount == 0)
        #expect(feed.listen(to: tenant("shop"), with: "key") != nil)
    }

    @Test func oneKeyCannotUseAllListenersOfItsTenant() {
        var limits = CommitFeed.Limits()
        (limits.listenersOfOneTenant, limits.listenersOfOneKey) = (3, 2)
        let feed = CommitFeed(limits: limits)
        let kept = [feed.listen(to: tenant("shop"), with: "one"), feed.listen(to: tenant("shop"), with: "one")]
        #expect(feed.listen(to: tenant("shop"), with: "one") == nil)
        #expect(feed.listen(to: tenant("shop"), with: "other") != nil)
        for listening in kept { listening?.end() }
    }
}
