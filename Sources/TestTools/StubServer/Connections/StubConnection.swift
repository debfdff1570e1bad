import NIOCore
import NIOHTTP1
import NIOPosix
import Networking
import StubMatching

/// Reads the requests of a connection one after the other, and writes their answers. It writes raw bytes, because
/// faults send bytes that are not HTTP.
final class StubConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    private let limits: StubLimits
    private let memory: MessageMemory
    private let scheme: String
    private let handle: @Sendable (ReceivedRequest) -> Handling
    private var head: HTTPRequestHead?
    private var body: ByteBuffer?
    private var isTooLarge = false
    /// Parts of the next requests, which arrived before the answer was complete.
    private var waiting: CircularBuffer<HTTPServerRequestPart> = []
    private var isBusy = false
    private var isClosing = false
    /// Whether the client has closed its sending side.
    private var isInputClosed = false
    /// Whether `takeWaiting` is under way.
    private var isTaking = false
    /// The bytes of a refused request that are still read and discarded; nil if no request was refused.
    private var bytesToDiscard: Int?
    /// The bytes of the request and of its answer that are counted in `memory`.
    private var countedBytes = 0
    /// Closes a connection on which no request begins; nil after the first one.
    private var firstRequestTimeout: Scheduled<Void>?

    init(
        _ limits: StubLimits,
        _ memory: MessageMemory,
        scheme: String,
        handle: @escaping @Sendable (ReceivedRequest) -> Handling
    ) {
        self.limits = limits
        self.memory = memory
        self.scheme = scheme
        self.handle = handle
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if let bytesToDiscard { return discard(part, bytesToDiscard, context) }
        guard !isBusy, !isTaking else { return waiting.append(part) }
        take(part, context)
    }

    private func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        guard !isClosing else { return }
        switch part {
        case .head(let head): begin(head.trimmingFieldValues, context)
        case .body(var piece):
            guard !isTooLarge else { return }
            let bytes = (body?.readableBytes ?? 0) + piece.readableBytes
            guard bytes <= limits.bodyBytes else { return refuseBody(context) }
            guard count(MessageMemory.counted(bytes) - countedBytes) else { return refuse(memory.exhausted, context) }
            if body == nil { body = piece } else { body?.writeBuffer(&piece) }
        case .end: finish(context)
        }
    }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        endFirstRequestTimeout()
        self.head = head
        body = nil
        isTooLarge = false
        let bytes = head.headers.reduce(head.uri.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        guard bytes <= limits.headerBytes else {
            return refuse(
                .text(431, "The request's head has \(bytes) bytes; at most \(limits.headerBytes) are taken.\n"),
                context
            )
        }
        if let length = head.headers.first(name: "content-length").flatMap(Int.init), length > limits.bodyBytes {
            return refuseBody(context)
        }
        if head.headers.first(name: "expect")?.lowercased() == "100-continue" {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
        }
    }

    private func refuseBody(_ context: ChannelHandlerContext) {
        refuse(
            .text(413, "The request's body is larger than \(limits.bodyBytes) bytes, which this stub server takes.\n"),
            context
        )
    }

    /// Answers a request that has not arrived completely, and closes the sending side. Discards further input for a
    /// while: closing at once would reset the connection, and the client might lose the answer.
    private func refuse(_ answer: StubAnswer, _ context: ChannelHandlerContext) {
        isTooLarge = true
        isClosing = true
        body = nil
        releaseMemory()
        bytesToDiscard = limits.bodyBytes
        let message = ResponseBytes(
            answer,
            to: head?.method ?? .GET,
            closing: true,
            isHTTP10: head?.version == .http1_0
        )
        context.writeAndFlush(wrapOutboundOut(message.whole(context.channel.allocator)), promise: nil)
        context.close(mode: .output, promise: nil)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: Self.longestDiscarding) { bound.value.close(promise: nil) }
    }

    private static let longestDiscarding = TimeAmount.seconds(5)

    private func discard(_ part: HTTPServerRequestPart, _ rest: Int, _ context: ChannelHandlerContext) {
        let count = if case .body(let piece) = part { piece.readableBytes } else { 64 }
        bytesToDiscard = rest - count
        if rest < count { context.close(promise: nil) }
    }

    private func finish(_ context: ChannelHandlerContext) {
        guard !isTooLarge, let head else { return }
        isBusy = true
        let request = ReceivedRequest(
            method: head.method.rawValue,
            target: head.uri,
            version: "HTTP/\(head.version.major).\(head.version.minor)",
            headers: head.headers.map { HeaderField($0.name, $0.value) },
            body: body.map { Array($0.readableBytesView) } ?? [],
            clientAddress: context.remoteAddress?.ipAddress ?? "unknown",
            localAddress: context.localAddress?.ipAddress ?? "unknown",
            localPort: context.localAddress?.port ?? 0,
            scheme: scheme
        )
        body = nil
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        switch handle(request) {
        case .answer(let answer): reply(answer, context)
        case .blocking(let work):
            NIOThreadPool.singleton.runIfActive(eventLoop: context.eventLoop, work).whenComplete { result in
                let (connection, context) = bound.value
                connection.reply(Self.answer(result), context)
            }
        case .asynchronous(let work):
            // The connection waits for the task: `reply` ends the request.
            context.eventLoop.makeFutureWithTask(work).whenComplete { result in
                let (connection, context) = bound.value
                connection.reply(Self.answer(result), context)
            }
        }
    }

    private static func answer(_ result: Result<StubAnswer, any Error>) -> StubAnswer {
        switch result {
        case .success(let answer): answer
        case .failure(let error): .text(500, "The stub server failed: \(error)\n")
        }
    }

    private func reply(_ made: StubAnswer, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        let answer = count(MessageMemory.counted(made.body.count)) ? made : memory.exhausted
        guard answer.delayMilliseconds > 0 else { return write(answer, context) }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: .milliseconds(Int64(answer.delayMilliseconds))) {
            let (connection, context) = bound.value
            connection.write(answer, context)
        }
    }

    /// Returns false if there is no memory for a body.
    private func count(_ bytes: Int) -> Bool {
        guard memory.add(bytes) else { return false }
        countedBytes += bytes
        return true
    }

    private func releaseMemory() {
        memory.remove(countedBytes)
        countedBytes = 0
    }

    private func write(_ answer: StubAnswer, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        if let fault = answer.fault {
            releaseMemory()
            return commit(fault, context)
        }
        let asksToClose = answer.header("connection")?.lowercased() == "close"
        send(answer, closing: asksToClose || !(head?.isKeepAlive ?? false), context)
    }

    private func send(_ answer: StubAnswer, closing: Bool, _ context: ChannelHandlerContext) {
        isClosing = isClosing || closing
        let message = ResponseBytes(
            answer,
            to: head?.method ?? .GET,
            closing: closing,
            isHTTP10: head?.version == .http1_0
        )
        guard let dribble = answer.dribble, message.hasBody, !answer.body.isEmpty else {
            guard message.hasBody, answer.body.count > Self.pieceBytes else {
                return finish(answer, with: message.whole(context.channel.allocator), closing: closing, context)
            }
            context.write(wrapOutboundOut(message.head(context.channel.allocator)), promise: nil)
            return sendRest(ArraySlice(answer.body), of: answer, closing: closing, context)
        }
        context.writeAndFlush(wrapOutboundOut(message.head(context.channel.allocator)), promise: nil)
        sendPieces(ArraySlice(answer.body), of: dribble, number: 0, message, answer, closing: closing, context)
    }

    private static let pieceBytes = 256 << 10

    /// Writes a large body piece by piece, so that a client that reads slowly costs no second copy of it.
    private func sendRest(
        _ rest: ArraySlice<UInt8>,
        of answer: StubAnswer,
        closing: Bool,
        _ context: ChannelHandlerContext
    ) {
        let piece = context.channel.allocator.buffer(bytes: rest.prefix(Self.pieceBytes))
        let rest = rest.dropFirst(Self.pieceBytes)
        guard !rest.isEmpty else { return finish(answer, with: piece, closing: closing, context) }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(piece)).whenComplete { result in
            let (connection, context) = bound.value
            guard case .success = result else { return connection.end(answer, closing: true, context) }
            connection.sendRest(rest, of: answer, closing: closing, context)
        }
    }

    /// Writes one piece of the body after its share of the time, and then the rest.
    private func sendPieces(
        _ rest: ArraySlice<UInt8>,
        of dribble: ResponseDefinition.Dribble,
        number: Int,
        _ message: ResponseBytes,
        _ answer: StubAnswer,
        closing: Bool,
        _ context: ChannelHandlerContext
    ) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let pieces = max(1, min(dribble.chunks, answer.body.count))
        let pause = Int64(dribble.milliseconds / pieces)
        context.eventLoop.scheduleTask(in: .milliseconds(pause)) {
            let (connection, context) = bound.value
            guard context.channel.isActive else { return }
            let isLast = number + 1 >= pieces
            let piece = isLast ? rest : rest.prefix(max(1, answer.body.count / pieces))
            let bytes = message.piece(piece, isLast: isLast)
            guard !isLast else { return connection.finish(answer, with: bytes, closing: closing, context) }
            context.writeAndFlush(connection.wrapOutboundOut(bytes), promise: nil)
            connection.sendPieces(
                rest.dropFirst(piece.count),
                of: dribble,
                number: number + 1,
                message,
                answer,
                closing: closing,
                context
            )
        }
    }

    private func commit(_ fault: ResponseDefinition.Fault, _ context: ChannelHandlerContext) {
        isClosing = true
        let garbage = "lskdu018973t09sylgasjkfg1][]'./.sdlv"
        switch fault {
        case .emptyResponse: break
        case .connectionReset:
            // A close with a linger time of 0 sends RST instead of FIN.
            let channel = context.channel
            guard let options = channel as? any SocketOptionProvider else { break }
            options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in channel.close(promise: nil) }
            return
        case .randomData: context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: garbage)), promise: nil)
        case .malformedChunk:
            let framing = head?.isKeepAlive == true ? "Transfer-Encoding: chunked\r\n" : "Connection: close\r\n"
            context.writeAndFlush(
                wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 200 OK\r\n\(framing)\r\n\(garbage)")),
                promise: nil
            )
        }
        context.close(promise: nil)
    }

    /// Writes the last bytes of an answer. The next request waits until the client has taken them, so that a client that
    /// only sends cannot fill the memory with answers.
    private func finish(_ answer: StubAnswer, with bytes: ByteBuffer, closing: Bool, _ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(bytes)).whenComplete { result in
            let (connection, context) = bound.value
            let closing = if case .failure = result { true } else { closing }
            connection.end(answer, closing: closing, context)
        }
    }

    private func end(_ answer: StubAnswer, closing: Bool, _ context: ChannelHandlerContext) {
        answer.afterwards?()
        releaseMemory()
        head = nil
        isBusy = false
        guard !closing else {
            waiting.removeAll()
            return context.close(promise: nil)
        }
        takeWaiting(context)
    }

    /// Takes the waiting requests. An answer that is complete at once calls this method again. A loop takes the
    /// requests, because one packet may contain thousands of them, and recursion would overflow the stack.
    private func takeWaiting(_ context: ChannelHandlerContext) {
        guard !isTaking else { return }
        isTaking = true
        defer { isTaking = false }
        while !isBusy, !isClosing, let part = waiting.popFirst() { take(part, context) }
        guard !isBusy, !isClosing else { return }
        if isInputClosed { context.close(promise: nil) } else { context.read() }
    }

    /// Reads on only when no answer is under way, so that a client cannot fill the memory with requests.
    func channelReadComplete(context: ChannelHandlerContext) {
        if bytesToDiscard != nil || (!isBusy && !isClosing) { context.read() }
        context.fireChannelReadComplete()
    }

    func channelActive(context: ChannelHandlerContext) {
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        firstRequestTimeout = context.eventLoop.scheduleTask(in: .seconds(limits.firstRequestSeconds)) {
            bound.value.close(promise: nil)
        }
        context.read()
        context.fireChannelActive()
    }

    private func endFirstRequestTimeout() {
        firstRequestTimeout?.cancel()
        firstRequestTimeout = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        endFirstRequestTimeout()
        releaseMemory()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A client may close its sending side and still wait for the answer.
        if case ChannelEvent.inputClosed = event {
            isInputClosed = true
            if !isBusy { context.close(promise: nil) }
            return
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError, !isBusy, !isClosing else { return context.close(promise: nil) }
        if error == .headerOverflow {
            return refuse(.text(431, "The request's head is too long, or has too many headers.\n"), context)
        }
        let problem =
            error == .invalidURL
            ? "The request's target has a blank, or characters that are not ASCII; send them percent-encoded."
            : "The request is not HTTP/1.1: \(error)"
        refuse(.text(400, problem + "\n"), context)
    }
}
