import CoreMetrics
import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPTransport

struct ConnectionRegistryTests {
    /// During shutdown the service may have accepted a connection that is not registered with its event loop yet.
    @Test func unregisteredConnectionIsClosed() {
        let channel = EmbeddedChannel()
        let registry = ConnectionRegistry(limit: 10, port: .public, metrics: NOOPMetricsHandler.instance)
        var isClosed = false
        channel.closeFuture.assumeIsolated().whenComplete { _ in isClosed = true }
        let registration = registry.enter(channel)
        registry.endInputs()
        channel.embeddedEventLoop.run()
        #expect(isClosed)
        registry.leave(registration)
    }

    /// When the last connection was accepted, all connections were busy.
    @Test func fullPortEvictsAWaitingConnection() {
        let loop = EmbeddedEventLoop()
        let channels = (0..<2).map { _ in EmbeddedChannel(loop: loop) }
        let registry = ConnectionRegistry(limit: 2, port: .ops, metrics: NOOPMetricsHandler.instance)
        var isClosed = false
        channels[0].closeFuture.assumeIsolated().whenComplete { _ in isClosed = true }
        let registrations = channels.map { channel in
            let registration = registry.enter(channel)
            registration.stopWaiting()
            return registration
        }
        registry.makeRoomIfFull()
        loop.run()
        #expect(!isClosed)
        registrations[0].startWaiting()
        registry.makeRoomIfFull()
        loop.run()
        #expect(isClosed)
        for registration in registrations { registry.leave(registration) }
    }
}
