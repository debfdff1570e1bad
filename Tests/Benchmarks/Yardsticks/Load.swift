import ArgumentParser
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send POST /resolve at a constant rate, independent of the answers, and print latencies as JSON.",
        discussion: """
            A latency counts from the instant at which the request was due, so a server that stalls is charged for all the
            requests that its stall held back. Microseconds.

            EXAMPLE
              Yardsticks load 127.0.0.1:8080 --bodies bodies.txt --rate 10000 --connections 128 --seconds 10
            """
    )

    @Argument(help: "HOST:PORT of the server.") var address: String
    @Option(help: "A file with one body per line. They are sent in turn.") var bodies: String
    @Option(help: "Requests a second.") var rate: Int
    @Option(help: "The number of connections, which stay open.") var connections = 128
    @Option(help: "The duration of the measurement. A warm-up of a fifth of it is added before.") var seconds = 10.0

    func validate() throws {
        guard (1...1_000_000).contains(rate), (1...10_000).contains(connections), seconds > 0 else {
            throw ValidationError("The rate must be 1 to 1000000, connections 1 to 10000, and seconds more than 0.")
        }
    }

    func run() async throws {
        let parts = address.split(separator: ":")
        guard parts.count == 2, let port = Int(parts[1]) else {
            throw ValidationError("'\(address)' is not an address; write HOST:PORT.")
        }
        let host = String(parts[0])
        let lines = try String(contentsOfFile: bodies, encoding: .utf8).split(separator: "\n")
        guard !lines.isEmpty else { throw ValidationError("'\(bodies)' contains no bodies; write one per line.") }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let plan = LoadSchedule(
            bodies: lines.map { ByteBuffer(substring: $0) },
            host: address,
            interval: .nanoseconds(1_000_000_000 / Int64(rate)),
            warmUp: Int(Double(rate) * seconds / 5),
            count: Int(Double(rate) * seconds)
        )
        let result = loop.makePromise(of: LoadResult.self)
        let schedule = try await loop.submit { NIOLoopBound(OpenLoop(plan, loop, result), eventLoop: loop) }.get()
        let bootstrap = ClientBootstrap(group: loop)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(LoadConnection(schedule.value))
                }
            }
        for _ in 0..<connections { _ = try await bootstrap.connect(host: host, port: port).get() }
        try await loop.submit { schedule.value.start() }.get()
        print(try await result.futureResult.get().json)
    }
}
