import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Enforces the limits of a request on an HTTP/2 stream, and converts the request to the form of an HTTP/1 request.
package final class HTTP2StreamHandler: ChannelDuplexHandler, ResponseSender {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: ConnectionLimits
    private let refusals: TransportErrorResponses
    private let registry: ConnectionRegistry
    private let connection: HTTP2ConnectionHandler
    private let buffers: RequestBufferBudget
    private var registration: ConnectionRegistry.Registration?
    private var isHead = false
    private var isWhole = false
    private var isRefused = false
    /// Whether the request is complete and the client waits for the server.
    private var isBusy = false
    private var isAnswered = false
    /// Whether the complete response was sent before the end of the request. Only then may the stream of an incomplete
    /// request be closed without losing its response; the stream would not end by itself.
    private var isSentEarly = false
    /// Whether the client has closed its sending side of the connection.
    private var isInputClosed = false
    /// The request, held back until the client has taken more of the connection's earlier responses; nil if it is not
    /// held back. What it has of a body is reserved in `buffers`.
    private var held: Held?
    private var deadline: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    private struct Held {
        let head: HTTPRequest
        var body = ByteBuffer()
    }

    /// Maximum number of bytes of a body that is held back; a longer one resets its stream.
    private static let heldBytes = 65_536

    package init(
        limits: ConnectionLimits,
        refusals: TransportErrorResponses,
        registry: ConnectionRegistry,
        connection: HTTP2ConnectionHandler,
        buffers: RequestBufferBudget
    ) {
        self.buffers = buffers
        self.limits = limits
        self.refusals = refusals
        self.registry = registry
        self.connection = connection
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        registration = registry.enter(context.channel)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        if let registration { registry.leave(registration) }
        registration = nil
        deadline?.cancel()
        if isBusy { connection.requestEnded() }
        isBusy = false
        guard let held else { return }
        buffers.release(held.body.readableBytes)
        self.held = nil
        connection.removeWaiting(self)
    }

    // MARK: Inbound

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            isHead = head.method == .head
            do {
                let request = try head.checked(limits)
                guard connection.admitRequest() else {
                    held = Held(head: request)
                    return connection.addWaiting(self)
                }
                pass(.head(request), context)
            } catch {
                isRefused = true
                for part in refusals.streamParts(for: error) {
                    write(context: context, data: wrapOutboundOut(part), promise: nil)
                }
                context.flush()
            }
        case .body(let bytes):
            if held == nil { pass(.body(bytes), context) } else { hold(bytes, context) }
        case .end:
            isWhole = true
            deadline?.cancel()
            if held == nil { end(context) }
        }
    }

    private func pass(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        context.fireChannelRead(wrapInboundOut(part))
    }

    private func end(_ context: ChannelHandlerContext) {
        // A request that was answered before its end protects the connection from eviction no longer.
        if !isAnswered {
            registration?.stopWaiting()
            isBusy = true
            connection.requestBegan()
        }
        // Trailers are ignored.
        pass(.end(nil), context)
    }

    /// Holds back a part of the body in one buffer, since frames may have a byte each.
    private func hold(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        let count = bytes.readableBytes
        guard var held, held.body.readableBytes + count <= Self.heldBytes, (try? buffers.reserve(count)) != nil else {
            return context.close(promise: nil)
        }
        self.held = nil
        held.body.writeImmutableBuffer(bytes)
        self.held = held
    }

    /// Passes on the held request. The connection calls this once the client has received enough of its responses.
    func resume() {
        guard let context, let held else { return }
        self.held = nil
        buffers.release(held.body.readableBytes)
        pass(.head(held.head), context)
        if held.body.readableBytes > 0 { pass(.body(held.body), context) }
        if isWhole { end(context) }
        context.fireChannelReadComplete()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Most requests arrive in one read and schedule no timer.
        if !isWhole, deadline == nil {
            deadline = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(Int64(limits.bodySeconds))) {
                guard !self.isRefused else { return context.close(promise: nil) }
                // The reader of the body answers.
                context.fireErrorCaught(LateBody(seconds: self.limits.bodySeconds))
            }
        }
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            isInputClosed = true
            closeIfIncomplete()
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Closes the stream if its request can no longer be completed. Otherwise it would hold the connection until a
    /// deadline.
    private func closeIfIncomplete() {
        guard isInputClosed, !isWhole, !isAnswered || isSentEarly else { return }
        context?.close(promise: nil)
    }

    // MARK: Outbound

    package func send(_ response: BufferedResponse) {
        // The stream is closed.
        guard let context else { return }
        let head = HTTPResponse(status: response.status, headerFields: response.allHeaders)
        write(context: context, data: wrapOutboundOut(.head(head)), promise: nil)
        let body = response.body
        if body.readableBytes > 0 { write(context: context, data: wrapOutboundOut(.body(body)), promise: nil) }
        write(context: context, data: wrapOutboundOut(.end(nil)), promise: nil)
        context.flush()
    }

    /// A stream has one response.
    package func flushingOnce(_ body: () -> Void) { body() }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .body where isHead: promise?.succeed()
        case .body(let bytes):
            let count = bytes.readableBytes
            let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
            connection.streams(hold: count)
            sent.futureResult.assumeIsolated().whenComplete { [connection] _ in connection.streams(hold: -count) }
            context.write(data, promise: sent)
        case .end:
            isAnswered = true
            registration?.startWaiting()
            if isBusy {
                isBusy = false
                connection.requestEnded()
            }
            guard !isWhole else { return context.write(data, promise: promise) }
            let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
            sent.futureResult.assumeIsolated().whenComplete { _ in
                self.isSentEarly = true
                self.closeIfIncomplete()
            }
            context.write(data, promise: sent)
        case .head: context.write(data, promise: promise)
        }
    }
}

extension HTTPRequest {
    /// Returns the request with its host in `authority` only. Throws if it exceeds a limit, or if two parsers could
    /// read it differently, as for HTTP/1.
    fileprivate func checked(_ limits: ConnectionLimits) throws(Problem) -> HTTPRequest {
        let path = path ?? ""
        guard path.utf8.count <= limits.uriBytes else {
            throw Problem(targetOf: path.utf8.count, over: limits)
        }
        guard path.utf8.first == UInt8(ascii: "/") || (path == "*" && method == .options) else {
            throw Problem(.invalidRequest, "The request target is not a path.")
        }
        let bytes = headerFields.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count }
        guard headerFields.count <= limits.headerFields, bytes <= limits.headerBytes else {
            throw Problem(
                .headersTooLarge,
                "The request has \(headerFields.count) header fields with \(bytes) bytes; at most "
                    + "\(limits.headerFields) fields with \(limits.headerBytes) bytes are allowed."
            )
        }
        let hosts = headerFields[values: .host]
        guard let host = authority ?? hosts.first, !host.isEmpty else {
            throw Problem(.invalidRequest, "The request names no host; send ':authority'.")
        }
        guard hosts.allSatisfy({ $0.lowercased() == host.lowercased() }), hosts.count <= 1 else {
            throw Problem(.hostMismatch, "':authority' and Host name different hosts; send the same in both.")
        }
        try Self.checkText(target: path, host: host)
        var request = self
        request.authority = host
        request.headerFields[.host] = nil
        return request
    }
}

extension HTTPField.Name {
    fileprivate static let host = HTTPField.Name.constant("Host")
}
