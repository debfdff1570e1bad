import HTTPTypes
import LinkAPI
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
    private var registration: ConnectionRegistry.Registration?
    private var isHead = false
    private var isWhole = false
    private var isRefused = false
    /// Whether the request is complete and the client waits for the server.
    private var isBusy = false
    /// Parts held back until the client has taken more of the connection's earlier responses; nil if none are held
    /// back.
    private var held: [HTTPRequestPart]?
    private var wantsRead = false
    private var deadline: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    package init(
        limits: ConnectionLimits,
        refusals: TransportErrorResponses,
        registry: ConnectionRegistry,
        connection: HTTP2ConnectionHandler
    ) {
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
        if held != nil { connection.waitsNoMore(self) }
    }

    // MARK: Inbound

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            isHead = head.method == .head
            do {
                let request = try head.checked(limits)
                if !connection.takesRequest() {
                    held = []
                    connection.waits(self)
                }
                pass(.head(request), context)
            } catch {
                isRefused = true
                for part in refusals.streamParts(for: error) {
                    write(context: context, data: wrapOutboundOut(part), promise: nil)
                }
                context.flush()
            }
        case .body(let bytes): pass(.body(bytes), context)
        case .end:
            isWhole = true
            deadline?.cancel()
            registration?.stopWaiting()
            isBusy = true
            connection.requestBegan()
            // Trailers are ignored.
            pass(.end(nil), context)
        }
    }

    private func pass(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        if held == nil { context.fireChannelRead(wrapInboundOut(part)) } else { held?.append(part) }
    }

    func read(context: ChannelHandlerContext) {
        wantsRead = held != nil
        if !wantsRead { context.read() }
    }

    /// Passes on the held parts; called when the client has taken enough.
    func goOn() {
        guard let context, let parts = held else { return }
        held = nil
        for part in parts { context.fireChannelRead(wrapInboundOut(part)) }
        context.fireChannelReadComplete()
        if wantsRead { read(context: context) }
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

    // MARK: Outbound

    package func send(_ response: BufferedResponse) {
        // The stream is closed.
        guard let context else { return }
        let head = HTTPResponse(status: response.status, headerFields: response.headers)
        write(context: context, data: wrapOutboundOut(.head(head)), promise: nil)
        if response.body.readableBytes > 0 {
            write(context: context, data: wrapOutboundOut(.body(response.body)), promise: nil)
        }
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
            registration?.startWaiting()
            if isBusy {
                isBusy = false
                connection.requestEnded()
            }
            context.write(data, promise: promise)
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
            throw Problem(
                .uriTooLong,
                "The request target has \(path.utf8.count) bytes; at most \(limits.uriBytes) are allowed."
            )
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
    // A valid constant; the alternative is never used.
    fileprivate static let host = HTTPField.Name.constant("Host")
}
