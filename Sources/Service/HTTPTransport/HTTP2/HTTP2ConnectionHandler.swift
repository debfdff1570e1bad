package import NIOCore
package import NIOHTTP2

/// Ends an HTTP/2 connection: when it is idle for too long, when the server stops, after a protocol error, or when the
/// client disconnects. After GOAWAY the connection ends within a fixed time. NIO's handler for this, like
/// Hummingbird's, starts its timer with a reply that the client may withhold.
package final class HTTP2ConnectionHandler: ChannelDuplexHandler {
    package typealias InboundIn = HTTP2Frame
    package typealias InboundOut = HTTP2Frame
    package typealias OutboundIn = HTTP2Frame
    package typealias OutboundOut = HTTP2Frame

    private let limits: HTTP2Limits
    private let registry: ConnectionRegistry
    private let slowReaderHandler: SlowReaderHandler
    private let loop: any EventLoop
    private var context: ChannelHandlerContext?
    private var registration: ConnectionRegistry.Registration?
    private var closing = HTTP2ShutdownStateMachine()
    private var open: [HTTP2StreamID: (since: NIODeadline, channel: any Channel)] = [:]
    private var idleSince = NIODeadline.now()
    private var nextCheck: Scheduled<Void>?
    private var end: Scheduled<Void>?
    private let announcement = HTTP2PingData(withInteger: .random(in: .min ... .max))

    /// Number of requests that wait for the server. A stream that waits for its client does not protect the connection
    /// from eviction.
    private var busy = 0
    /// Streams whose requests are held back until the client has taken more of the other responses (backpressure).
    private var waiting = CircularBuffer<HTTP2StreamHandler>()
    private let turns: LoopTurns
    /// Number of requests that were passed on in this turn.
    private var requests = 0
    private var waitsForTurn = false

    package init(
        _ limits: HTTP2Limits,
        registry: ConnectionRegistry,
        slowReaderHandler: SlowReaderHandler,
        turns: LoopTurns,
        on loop: any EventLoop
    ) {
        self.turns = turns
        self.limits = limits
        self.registry = registry
        self.slowReaderHandler = slowReaderHandler
        self.loop = loop
    }

    // MARK: Streams

    /// The delegate that reports the connection's streams to this handler.
    package var streams: any NIOHTTP2StreamDelegate { Streams(handler: NIOLoopBound(self, eventLoop: loop)) }

    private struct Streams: NIOHTTP2StreamDelegate {
        let handler: NIOLoopBound<HTTP2ConnectionHandler>

        func streamCreated(_ id: HTTP2StreamID, channel: any Channel) { handler.value.streamBegan(id, channel) }
        func streamClosed(_ id: HTTP2StreamID, channel: any Channel) { handler.value.streamEnded(id) }
    }

    private func streamBegan(_ id: HTTP2StreamID, _ channel: any Channel) {
        open[id] = (.now(), channel)
        closing.streamBegan(id)
    }

    private func streamEnded(_ id: HTTP2StreamID) {
        guard open.removeValue(forKey: id) != nil else { return }
        closing.streamEnded()
        guard open.isEmpty else { return }
        idleSince = .now()
        guard closing.isDone, let context else { return }
        // The stream's last frame is written but not flushed yet.
        context.eventLoop.assumeIsolated().execute { self.closeAfterLastByte(context) }
    }

    /// Called when the request of a stream is complete and its client waits for the server.
    func requestBegan() {
        busy += 1
        if busy == 1, isWritable { registration?.stopWaiting() }
    }

    /// Called when such a request is answered or its stream has ended.
    func requestEnded() {
        busy -= 1
        if busy == 0 { startWaiting() }
    }

    private func startWaiting() {
        registration?.startWaiting()
        registry.makeRoomIfFull()
    }

    private var isWritable: Bool { context?.channel.isWritable ?? false }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        // A client that does not read its responses may be evicted, whatever it has requested meanwhile.
        if !isWritable { startWaiting() } else if busy > 0 { registration?.stopWaiting() }
        // Responses without a body are not counted in `streams(hold:)`.
        resume()
        context.fireChannelWritabilityChanged()
    }

    // MARK: Backpressure

    /// Returns whether the next request is answered now; if not, its stream calls ``addWaiting(_:)``.
    func admitRequest() -> Bool {
        guard isWritable, slowReaderHandler.mayAnswer, waiting.isEmpty, requests < LoopTurns.requests else {
            return false
        }
        requests += 1
        return true
    }

    func addWaiting(_ stream: HTTP2StreamHandler) {
        waiting.append(stream)
        if requests >= LoopTurns.requests { waitForTurn() }
    }

    func removeWaiting(_ stream: HTTP2StreamHandler) { waiting.removeAll { $0 === stream } }

    /// Adds `bytes`, negative for bytes that were sent, to what the streams hold of their responses.
    func streams(hold bytes: Int) {
        slowReaderHandler.streams(hold: bytes)
        resume()
    }

    private func resume() {
        while !waitsForTurn, isWritable, slowReaderHandler.mayAnswer, let stream = waiting.popFirst() {
            requests += 1
            stream.resume()
            if requests >= LoopTurns.requests, !waiting.isEmpty { waitForTurn() }
        }
    }

    /// Continues after the other connections of the event loop.
    private func waitForTurn() {
        guard !waitsForTurn else { return }
        waitsForTurn = true
        turns.enqueue {
            self.waitsForTurn = false
            self.requests = 0
            if self.context != nil { self.resume() }
        }
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        if !waitsForTurn { requests = 0 }
        context.fireChannelReadComplete()
    }

    // MARK: Deadlines

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        registration = registry.enter(context.channel)
        watch(context)
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        if let registration { registry.leave(registration) }
        registration = nil
        nextCheck?.cancel()
        end?.cancel()
        // The streams of a closed connection are not reported as closed, and each refers to this handler.
        open.removeAll()
        waiting.removeAll()
    }

    /// Starts the one timer of the connection and all its streams; a request schedules none.
    private func watch(_ context: ChannelHandlerContext) {
        nextCheck = context.eventLoop.assumeIsolated().scheduleTask(in: limits.checkInterval) {
            let now = NIODeadline.now()
            for stream in self.open.values where stream.since + self.limits.stream <= now {
                stream.channel.close(promise: nil)
            }
            if self.open.isEmpty, self.idleSince + self.limits.idle <= now {
                self.take(self.closing.begin(), context)
            }
            self.resume()
            self.watch(context)
        }
    }

    // MARK: Shutdown

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .ping(announcement, ack: true) = unwrapInboundIn(data).payload { take(closing.acknowledged(), context) }
        context.fireChannelRead(data)
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent: take(closing.begin(), context)
        // The client sends no further requests but may wait for responses.
        case ChannelEvent.inputClosed:
            take(closing.acknowledged(), context)
            // The frames before the TLS closure have been delivered to the streams.
            for stream in open.values {
                stream.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            }
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        // Only one stream ended, and the library told the client why.
        case is NIOHTTP2Errors.StreamError, is NIOHTTP2Errors.NoSuchStream, is NIOHTTP2Errors.ContentLengthViolated:
            break
        // The library has written GOAWAY if the client can still receive it.
        default: context.close(promise: nil)
        }
    }

    private func take(_ step: HTTP2ShutdownStateMachine.Step?, _ context: ChannelHandlerContext) {
        switch step {
        case .announce:
            send(.goAway(lastStreamID: .maxID, errorCode: .noError, opaqueData: nil), context)
            send(.ping(announcement, ack: false), context)
        case .refuse(let newest):
            send(.goAway(lastStreamID: newest, errorCode: .noError, opaqueData: nil), context)
        case nil: return
        }
        context.flush()
        if closing.isDone { return closeAfterLastByte(context) }
        guard end == nil else { return }
        end = context.eventLoop.assumeIsolated().scheduleTask(in: limits.stalled) { context.close(promise: nil) }
    }

    private func closeAfterLastByte(_ context: ChannelHandlerContext) {
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
        slowReaderHandler.afterLastByte(sent)
    }

    private func send(_ payload: HTTP2Frame.FramePayload, _ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: payload)), promise: nil)
    }
}
