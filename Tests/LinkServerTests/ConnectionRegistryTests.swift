import NIOCore
import NIOEmbedded
import Testing

@testable import LinkServer

struct ConnectionRegistryTests {
    /// During shutdown the service may have accepted a connection that is not registered with its event loop yet.
    @Test func connectionThatHasNotBegunIsClosedWhole() {
        let channel = EmbeddedChannel()
        let crowd = ConnectionRegistry(limit: 10, port: .public, metrics: MetricRegistry())
        var isClosed = false
        channel.closeFuture.assumeIsolated().whenComplete { _ in isClosed = true }
        let seat = crowd.enter(channel)
        crowd.endInputs()
        channel.embeddedEventLoop.run()
        #expect(isClosed)
        crowd.leave(seat)
    }

    /// When the last connection was accepted, all connections were busy.
    @Test func fullPortHasRoomWhenOneKeepsUsWaiting() {
        let loop = EmbeddedEventLoop()
        let channels = (0..<2).map { _ in EmbeddedChannel(loop: loop) }
        let crowd = ConnectionRegistry(limit: 2, port: .ops, metrics: MetricRegistry())
        var isClosed = false
        channels[0].closeFuture.assumeIsolated().whenComplete { _ in isClosed = true }
        let seats = channels.map { channel in
            let seat = crowd.enter(channel)
            seat.stopWaiting()
            return seat
        }
        crowd.makeRoomIfFull()
        loop.run()
        #expect(!isClosed)
        seats[0].startWaiting()
        crowd.makeRoomIfFull()
        loop.run()
        #expect(isClosed)
        for seat in seats { crowd.leave(seat) }
    }
}
