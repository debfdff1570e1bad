import NIOHTTP2
import Testing

@testable import HTTPTransport

/// The end of a connection of HTTP/2, without a connection.
struct HTTP2ShutdownStateMachineTests {
    @Test func idleConnectionIsAnnouncedThenRefusedThenDone() {
        var closing = HTTP2ShutdownStateMachine()
        #expect(closing.begin() == .announce)
        #expect(!closing.isDone)
        #expect(closing.acknowledged() == .refuse(after: .rootStream))
        #expect(closing.isDone)
    }

    @Test func openStreamsAreWaitedFor() {
        var closing = HTTP2ShutdownStateMachine()
        closing.streamBegan(1)
        #expect(closing.begin() == .announce)
        // The client had not heard of the end yet.
        closing.streamBegan(3)
        #expect(closing.acknowledged() == .refuse(after: 3))
        closing.streamEnded()
        #expect(!closing.isDone)
        closing.streamEnded()
        #expect(closing.isDone)
    }

    @Test func endIsAnnouncedOnce() {
        var closing = HTTP2ShutdownStateMachine()
        #expect(closing.begin() == .announce)
        #expect(closing.begin() == nil)
        #expect(closing.acknowledged() == .refuse(after: .rootStream))
        #expect(closing.acknowledged() == nil)
        #expect(closing.begin() == nil)
    }

    /// It asks for nothing more, so there is nothing to announce.
    @Test func clientThatEndedItsInputIsRefusedAtOnce() {
        var closing = HTTP2ShutdownStateMachine()
        closing.streamBegan(1)
        #expect(closing.acknowledged() == .refuse(after: 1))
        closing.streamEnded()
        #expect(closing.isDone)
    }
}
