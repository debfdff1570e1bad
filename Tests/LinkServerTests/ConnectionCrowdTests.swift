import NIOCore
import NIOEmbedded
import Testing

@testable import LinkServer

struct ConnectionCrowdTests {
    /// A service that ends may have accepted a connection that is not on its event loop yet.
    @Test func connectionThatHasNotBegunIsClosedWhole() {
        let channel = EmbeddedChannel()
        let crowd = ConnectionCrowd(limit: 10, port: .public, metrics: MetricRegistry())
        var isClosed = false
        channel.closeFuture.assumeIsolated().whenComplete { _ in isClosed = true }
        let seat = crowd.enter(channel)
        crowd.endInputs()
        channel.embeddedEventLoop.run()
        #expect(isClosed)
        crowd.leave(seat)
    }
}
