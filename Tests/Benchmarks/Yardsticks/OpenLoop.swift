import NIOCore
import NIOHTTP1

struct LoadRequest {
    var head: HTTPRequestHead
    var body = ByteBuffer()

    static func resolve(_ body: Substring, of host: String) -> LoadRequest {
        let headers: HTTPHeaders = [
            "host": host, "content-type": "application/json", "content-length": "\(body.utf8.count)",
        ]
        let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/resolve", headers: headers)
        return LoadRequest(head: head, body: ByteBuffer(substring: body))
    }

    /// - Parameter line: A path, and behind a blank the address for which a proxy sends the request.
    static func click(_ line: Substring, of host: String) -> LoadRequest {
        let words = line.split(separator: " ")
        var headers: HTTPHeaders = ["host": host]
        if words.count > 1 { headers.add(name: "x-forwarded-for", value: String(words[1])) }
        return LoadRequest(
            head: HTTPRequestHead(version: .http1_1, method: .GET, uri: String(words[0]), headers: headers)
        )
    }
}

struct LoadSchedule {
    var requests: [LoadRequest]
    var interval: TimeAmount
    /// The number of requests of the warm-up, which are not measured.
    var warmUp: Int
    var count: Int
}

struct LoadResult: Sendable {
    /// Latencies of the measured requests, in nanoseconds.
    var latencies: [Int64]
    /// The number of answers with a status of an error, also during the warm-up.
    var refused: Int
    var seconds: Double

    var json: String {
        let sorted = latencies.sorted()
        func microseconds(_ share: Double) -> Double {
            guard let last = sorted.last else { return 0 }
            let index = Int(Double(sorted.count) * share)
            return Double(index < sorted.count ? sorted[index] : last) / 1_000
        }
        return #"{"answered":\#(sorted.count),"refused":\#(refused),"perSecond":\#(Double(sorted.count) / seconds),"#
            + #""p50":\#(microseconds(0.5)),"p90":\#(microseconds(0.9)),"p99":\#(microseconds(0.99)),"#
            + #""p999":\#(microseconds(0.999)),"max":\#(microseconds(1))}"#
    }
}

/// Sends each request when it is due, over an idle connection. If no connection is idle, the next connection that gets
/// an answer sends the request. All methods run on one event loop.
final class OpenLoop {
    private let schedule: LoadSchedule
    private let loop: any EventLoop
    private let promise: EventLoopPromise<LoadResult>
    private var idle: [LoadConnection] = []
    private var beginning = NIODeadline.now()
    /// The next request to send.
    private var next = 0
    private var answered = 0
    private var result: LoadResult
    private var isWaiting = false
    private var isOver = false

    init(_ schedule: LoadSchedule, _ loop: any EventLoop, _ promise: EventLoopPromise<LoadResult>) {
        self.schedule = schedule
        self.loop = loop
        self.promise = promise
        result = LoadResult(latencies: [], refused: 0, seconds: 0)
        result.latencies.reserveCapacity(schedule.count)
    }

    private var total: Int { schedule.warmUp + schedule.count }
    private func due(_ request: Int) -> NIODeadline { beginning + schedule.interval * request }

    func start() {
        beginning = .now() + .milliseconds(10)
        proceed()
    }

    /// Sends the due requests, and schedules itself for the next one. If no connection is idle, the next answer
    /// calls it.
    private func proceed() {
        let now = NIODeadline.now()
        while next < total, due(next) <= now, let connection = idle.popLast() {
            connection.send(schedule.requests[next % schedule.requests.count], as: next)
            next += 1
        }
        guard next < total, !idle.isEmpty, !isWaiting, !isOver else { return }
        isWaiting = true
        loop.assumeIsolated().scheduleTask(deadline: due(next)) {
            self.isWaiting = false
            self.proceed()
        }
    }

    func connected(_ connection: LoadConnection) { idle.append(connection) }

    func answered(_ connection: LoadConnection, request: Int, isOK: Bool) {
        let now = NIODeadline.now()
        if !isOK { result.refused += 1 }
        if request >= schedule.warmUp { result.latencies.append((now - due(request)).nanoseconds) }
        answered += 1
        idle.append(connection)
        if answered == total { end(.success(now)) } else { proceed() }
    }

    func failed(_ error: any Error) { end(.failure(error)) }

    private func end(_ outcome: Result<NIODeadline, any Error>) {
        guard !isOver else { return }
        isOver = true
        switch outcome {
        case .success(let now):
            result.seconds = Double((now - due(schedule.warmUp)).nanoseconds) / 1e9
            promise.succeed(result)
        case .failure(let error): promise.fail(error)
        }
    }
}

/// One connection with at most one unanswered request.
final class LoadConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let loop: OpenLoop
    private var context: ChannelHandlerContext?
    private var request = 0
    private var isOK = false

    init(_ loop: OpenLoop) { self.loop = loop }

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        loop.connected(self)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        loop.failed(ChannelError.eof)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { loop.failed(error) }

    func send(_ sent: LoadRequest, as request: Int) {
        guard let context else { return loop.failed(ChannelError.ioOnClosedChannel) }
        self.request = request
        context.write(wrapOutboundOut(.head(sent.head)), promise: nil)
        if sent.body.readableBytes > 0 { context.write(wrapOutboundOut(.body(.byteBuffer(sent.body))), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): isOK = head.status.code < 400
        case .body: break
        case .end: loop.answered(self, request: request, isOK: isOK)
        }
    }
}
