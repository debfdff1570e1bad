package import NIOCore
import NIOHTTP1

/// The handlers of an HTTP/1 connection between its socket and the handler of its requests.
package struct HTTP1Pipeline: Sendable {
    package let port: PortRole
    package let limits: ConnectionLimits
    package let refusals: TransportErrorResponses
    package let registry: ConnectionRegistry
    package let unsent: UnsentResponses

    package init(
        port: PortRole,
        limits: ConnectionLimits,
        refusals: TransportErrorResponses,
        registry: ConnectionRegistry,
        unsent: UnsentResponses
    ) {
        self.port = port
        self.limits = limits
        self.refusals = refusals
        self.registry = registry
        self.unsent = unsent
    }

    /// Creates the decoder's generic types. If two event loops accept their first connections at the same time and both
    /// create them, the runtime of Swift 6.3 can read a null pointer while it checks their conformances. So every port
    /// calls this before it listens.
    package func createGenericTypes() { withExtendedLifetime(decoder()) {} }

    private func decoder() -> ByteToMessageHandler<HTTPRequestDecoder> {
        ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: limits.decoderLimits))
    }

    /// - Parameters:
    ///   - turns: Nil if the requests are not answered on the event loop.
    ///   - buffers: The budget for input that is held while an earlier request is answered.
    /// - Returns: The last handler, which writes the responses.
    package func addHandlers(
        to channel: any Channel,
        turns: LoopTurns?,
        buffers: RequestBufferBudget
    ) throws -> HTTP1ConnectionHandler {
        let slowReaderHandler = SlowReaderHandler(
            unsent,
            port: port,
            stalledAfter: .seconds(Int64(limits.stalledSeconds))
        )
        let connection = HTTP1ConnectionHandler(
            limits: limits,
            refusals: refusals,
            registry: registry,
            slowReaderHandler: slowReaderHandler
        )
        let pipeline = channel.pipeline.syncOperations
        // Directly at the socket, because the handlers after it transform the bytes of a response.
        try pipeline.addHandler(slowReaderHandler, position: .first)
        try pipeline.addHandler(HTTP1InputLimiter(connection, turns, buffers))
        try pipeline.addHandler(decoder())
        try pipeline.addHandler(connection)
        return connection
    }
}
