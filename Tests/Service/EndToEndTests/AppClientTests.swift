import Foundation
import LinkClient
import LinkRouting
import Synchronization
import TestSupport
import Testing

/// A `LinkClient` with `URLSession` and a real disk, and a real server that signs tables.
@Suite(.timeLimit(.minutes(15)))
struct AppClientTests {
    /// A server, the keys of its tables, and the directory of an app.
    private struct World {
        let directory: String
        let server: RunningServer
        let keyFile: String
        let pinned: [String]

        /// - Parameter folder: Of the client's files. A second client would use the table of the first one.
        func configuration(keys: [String]? = nil, in folder: String = "app") -> LinkClient.Configuration {
            var configuration = LinkClient.Configuration(
                tenant: "shop",
                app: "ios",
                keys: keys ?? pinned,
                server: "http://127.0.0.1:\(server.publicPort)"
            )
            configuration.directory = directory + "/" + folder
            return configuration
        }

        /// A client that has downloaded the table.
        func clientWithTable(_ configuration: LinkClient.Configuration? = nil) async throws -> LinkClient {
            let client = try LinkClient(configuration ?? self.configuration())
            try await eventually("the table is downloaded") {
                await client.refresh()
                return client.state.table?.origin == .download
            }
            return client
        }

        var storedTable: URL { URL(filePath: directory + "/app/shop.production.ios.table") }
    }

    private static func table(_ arguments: String...) async throws -> String {
        let tool = RunningServer.products.appending(path: "fingerpost").path
        let result = try await runBeside(tool, ["table"] + arguments)
        try #require(result.status == 0)
        return String(decoding: result.output, as: UTF8.self)
    }

    /// The public keys in the output of `table keys`: the current one and the next one.
    private static func keys(in text: String) -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("current ") || $0.hasPrefix("next ") }.compactMap {
            $0.split(separator: " ").dropFirst().first.map(String.init)
        }
    }

    private func withWorld(_ body: (World) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let keyFile = directory + "/table.jwk"
            let pinned = Self.keys(in: try await Self.table("keys", "create", keyFile))
            let configuration = directory + "/fingerpost.yaml"
            try "tables: {signingKey: \"\(keyFile)\"}\n".write(toFile: configuration, atomically: true, encoding: .utf8)
            let server = try RunningServer(directory: directory + "/data", flags: ["--config", configuration])
            defer { server.killNow() }
            try await body(World(directory: directory, server: server, keyFile: keyFile, pinned: pinned))
        }
    }

    @Test func tableIsDownloadedStoredAndNotDownloadedAgain() async throws {
        try await withWorld { world in
            let counting = CountingTransport()
            var configuration = world.configuration()
            configuration.transport = counting
            let client = try await world.clientWithTable(configuration)
            #expect(client.resolve("yourapp://product/42").resolution?.destination?.screen == "ProductDetail")
            let stored = try Data(contentsOf: world.storedTable)
            #expect(counting.statuses.last == 200)
            await client.refresh()
            #expect(counting.statuses.last == 304)

            let restarted = try LinkClient(configuration)
            await restarted.load()
            #expect(restarted.state.table?.origin == .disk)
            await restarted.refresh()
            #expect(counting.statuses.last == 304, "the tag of the table on the disk is sent")
            #expect(restarted.state.problems == [])
            #expect(try Data(contentsOf: world.storedTable) == stored)
        }
    }

    @Test func reportsAndQuestionsReachTheServer() async throws {
        try await withWorld { world in
            let client = try await world.clientWithTable()
            for number in 1...30 {
                guard case .resolved(let link) = client.resolve("yourapp://product/\(number)") else {
                    Issue.record("the link is undecided")
                    return
                }
                await client.report(link, number.isMultiple(of: 2) ? .shown : .failed("no_such_screen"))
            }
            #expect(client.state.waitingReports == 30)
            await client.deliver()
            #expect(client.state.waitingReports == 0)
            #expect(client.state.problems == [])
            let resolved = try await client.ask("yourapp://product/99")
            #expect(resolved.destination?.screen == "ProductDetail")
            // The second delivery finds nothing.
            await client.deliver()
            let key = try #require(world.server.key)
            let page = try HTTPConnection(port: world.server.adminPort).request(
                "GET",
                "/admin/v1/tenants/shop/events?limit=1000",
                headers: ["Authorization": "Bearer \(key)"]
            ).json()
            let events = page["events"]?.elements ?? []
            let reported = events.filter { $0["source"]?.text == "app" }
            #expect(reported.count == 30)
            #expect(Set(reported.compactMap { $0["clientEventId"]?.text }).count == 30)
            #expect(reported.allSatisfy { $0["agreement"]?.text == "same" }, "\(reported.first?.json() ?? "")")
            #expect(events.count == 31)
        }
    }

    /// The app of a release has both keys, so it accepts the tables before and after a rotation.
    @Test func rotationOfKeysReachesTheApp() async throws {
        try await withWorld { world in
            let client = try await world.clientWithTable()
            let old = try await world.clientWithTable(world.configuration(keys: [world.pinned[0]], in: "old"))
            let before = try #require(client.state.table?.issuedAt)
            _ = try await Self.table("keys", "rotate", world.keyFile)
            world.server.send(SIGHUP)
            try await eventually("the table of the next key is served") {
                await old.refresh()
                return old.state.problems.first?.code == "unknown_key"
            }
            #expect(old.state.table?.issuedAt == before, "an app without the next key keeps its table")
            #expect(old.resolve("yourapp://product/1").resolution?.outcome == .matched)
            await client.refresh()
            #expect(client.state.problems == [])
            let configuration = world.configuration(keys: [world.pinned[1]], in: "next")
            let next = try await world.clientWithTable(configuration)
            #expect(next.state.table?.issuedAt == before, "a table is signed again with the time of its period")
        }
    }

    @Test(arguments: [("2001-01-01T00:00:00Z", "issued_in_future"), ("2099-01-01T00:00:00Z", "expired")])
    func clockThatIsYearsOffKeepsTheTable(_ time: String, _ code: String) async throws {
        try await withWorld { world in
            // A table of an earlier download is on the disk.
            _ = try await world.clientWithTable()
            let stored = try Data(contentsOf: world.storedTable)
            // The same table with another tag, so that the server sends it again.
            try FileManager.default.moveItem(
                atPath: world.storedTable.path,
                toPath: world.directory + "/bundled.table"
            )
            var configuration = world.configuration()
            configuration.transport = WithoutTags()
            configuration.bundledTable = .file(world.directory + "/bundled.table")
            let clock = Mutex(try #require(Timestamp(time)))
            var environment = ClientEnvironment.live
            environment.now = { clock.withLock(\.self) }
            let client = try LinkClient(configuration, environment: environment)
            await client.refresh()
            #expect(client.state.problems.first?.code == code)
            #expect(client.resolve("yourapp://product/1").resolution?.outcome == .matched)
            // The clock is set; the next download succeeds.
            clock.withLock { $0 = ClientEnvironment.live.now() }
            await client.refresh()
            #expect(client.state.problems == [])
            #expect(try Data(contentsOf: URL(filePath: world.directory + "/bundled.table")) == stored)
        }
    }
}

/// Counts the answers of a `URLSession`.
private final class CountingTransport: LinkTransport {
    private let transport = URLSessionTransport()
    private let seen = Mutex<[Int]>([])
    var statuses: [Int] { seen.withLock(\.self) }

    func send(_ request: LinkRequest) async throws -> LinkResponse {
        let response = try await transport.send(request)
        seen.withLock { $0.append(response.status) }
        return response
    }
}

/// Sends no entity tag, so that the server always sends the table.
private struct WithoutTags: LinkTransport {
    private let transport = URLSessionTransport()

    func send(_ request: LinkRequest) async throws -> LinkResponse {
        var request = request
        request.headers["If-None-Match"] = nil
        return try await transport.send(request)
    }
}

/// Repeats the check until it holds. The limit only ends a test that hangs.
private func eventually(_ what: String, _ check: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + HangLimit.duration
    while try await !check() {
        try #require(ContinuousClock.now < deadline, "\(what)")
    }
}
