import Foundation
import LinkClient

/// `ReportingApp DIRECTORY ADDRESS-FILE FIRST COUNT KEY…`: an app of the tenant `shop` for tests that kill it.
///
/// It loads its table, or downloads it, then resolves the links `yourapp://product/FIRST` and following, and reports each.
/// Meanwhile it delivers its reports. It prints `table ORIGIN` and `reported NUMBER` as they happen, and ends with 0 when
/// its outbox is empty. The address of the server is read from a file for each request, because a server that is started
/// again has another port.
@main
struct ReportingApp {
    /// A test must not wait longer for an app that cannot finish.
    private static let patience = Duration.seconds(60)

    static func main() async {
        do {
            try await withThrowingTaskGroup { group in
                group.addTask { try await run(CommandLine.arguments) }
                group.addTask {
                    try await Task.sleep(for: patience)
                    throw Failure("not finished after \(patience)")
                }
                try await group.next()
                group.cancelAll()
            }
        } catch {
            FileHandle.standardError.write(Data("ReportingApp: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        guard arguments.count > 5, let first = Int(arguments[3]), let count = Int(arguments[4]) else {
            throw Failure("usage: ReportingApp DIRECTORY ADDRESS-FILE FIRST COUNT KEY…")
        }
        var configuration = LinkClient.Configuration(
            tenant: "shop",
            app: "ios",
            keys: Array(arguments[5...]),
            server: MovingServer.name
        )
        configuration.directory = arguments[1]
        configuration.transport = MovingServer(addressFile: arguments[2])
        let client = try LinkClient(configuration)
        await client.load()
        while client.state.table == nil {
            await client.refresh()
            try await Task.sleep(for: .milliseconds(20))
        }
        guard let table = client.state.table else { return }
        print("table \(table.origin)")
        let delivering = Task {
            while !Task.isCancelled {
                await client.deliver()
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        for number in first..<first + count {
            guard case .resolved(let link) = client.resolve("yourapp://product/\(number)") else {
                throw Failure("the link \(number) is undecided")
            }
            await client.report(link, .shown)
            print("reported \(number)")
        }
        // Reads the outbox also if nothing was reported.
        await client.deliver()
        while client.state.waitingReports > 0 { try await Task.sleep(for: .milliseconds(5)) }
        delivering.cancel()
        guard client.state.lostReports == 0 else { throw Failure("\(client.state.lostReports) reports are lost") }
        print("delivered")
    }

    /// Writes at once, without a buffer that a kill would discard.
    private static func print(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}

private struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// The app's own transport, which finds the server under its present address.
private struct MovingServer: LinkTransport {
    static let name = "http://localhost"
    let addressFile: String
    private let transport = URLSessionTransport()

    init(addressFile: String) { self.addressFile = addressFile }

    func send(_ request: LinkRequest) async throws -> LinkResponse {
        var request = request
        request.url = try String(contentsOfFile: addressFile, encoding: .utf8) + request.url.dropFirst(Self.name.count)
        return try await transport.send(request)
    }
}
