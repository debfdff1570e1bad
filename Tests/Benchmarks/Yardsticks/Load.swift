import ArgumentParser
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send requests at a constant rate, independent of the answers, and print latencies as JSON.",
        discussion: """
            A latency counts from the instant at which the request was due, so a server that stalls is charged for all the
            requests that its stall held back. Microseconds.

            EXAMPLE
              Yardsticks load 127.0.0.1:8080 --bodies bodies.txt --rate 10000 --connections 128 --seconds 10
              Yardsticks load 127.0.0.1:8080 --clicks paths.txt --host go.acme.com --rate 600
            """
    )

    @Argument(help: "HOST:PORT of the server.") var address: String
    @Option(help: "A file with one body of POST /resolve per line. They are sent in turn.") var bodies: String?
    @Option(help: "A file with one path per line for GET, and behind a blank the client's address in X-Forwarded-For.")
    var clicks: String?
    @Option(help: "The value of the Host field (default: the address of the server).") var host: String?
    @Option(help: "Requests a second.") var rate: Int
    @Option(help: "The number of connections, which stay open.") var connections = 128
    @Option(help: "The duration of the measurement. A warm-up of a fifth of it is added before.") var seconds = 10.0

    func validate() throws {
        guard (1...1_000_000).contains(rate), (1...10_000).contains(connections), seconds > 0 else {
            throw ValidationError("The rate must be 1 to 1000000, connections 1 to 10000, and seconds more than 0.")
        }
        guard (bodies == nil) != (clicks == nil) else { throw ValidationError("Name a file: --bodies or --clicks.") }
    }

    func run() async throws {
        let parts = address.split(separator: ":")
        guard parts.count == 2, let port = Int(parts[1]) else {
            throw ValidationError("'\(address)' is not an address; write HOST:PORT.")
        }
        let file = bodies ?? clicks ?? ""
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        guard !lines.isEmpty else { throw ValidationError("'\(file)' is empty; write one request per line.") }
        let host = host ?? address
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let plan = LoadSchedule(
            requests: lines.map { clicks == nil ? .resolve($0, of: host) : .click($0, of: host) },
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
        for _ in 0..<connections { _ = try await bootstrap.connect(host: String(parts[0]), port: port).get() }
        try await loop.submit { schedule.value.start() }.get()
        print(try await result.futureResult.get().json)
    }
}
