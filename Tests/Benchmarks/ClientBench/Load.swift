import ArgumentParser
import Foundation
import LinkClient
import LinkTable

struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Load a signed table in this new process. Print the seconds, and the resident memory in bytes.",
        discussion: """
            `resident` is the memory that the table takes after loading, `peak` the memory that loading takes at most,
            both without the memory that the process had before. Each of them is rounded to pages.

            EXAMPLE
              ClientBench load /tmp/shop.table
            """
    )

    @Argument(help: "A file that `sign` wrote.") var file: String

    func run() async throws {
        let client = try Self.client(file)
        let before = Residence()
        let start = ContinuousClock.now
        await client.load()
        let duration = ContinuousClock.now - start
        let after = Residence()
        guard client.state.table != nil else { throw InputError(description: "\(client.state.problems)") }
        print(
            #"{"seconds":\#(duration / .seconds(1)),"resident":\#(after.resident - before.resident),"#
                + #""peak":\#(after.peak - before.resident)}"#
        )
        withExtendedLifetime(client) {}
    }

    static func client(_ file: String) throws -> LinkClient {
        var configuration = LinkClient.Configuration(
            tenant: ShopTable.tenant,
            app: ShopTable.app,
            keys: [try SignedShop.key().publicKey.description]
        )
        configuration.bundledTable = .file(file)
        return try LinkClient(configuration)
    }
}

/// The resident memory of the process in bytes.
private struct Residence {
    var resident = 0
    var peak = 0

    init() {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        for line in status.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 3, let kibibytes = words[1].isEmpty ? nil : Int(words[1]) else { continue }
            if words[0].hasPrefix("VmRSS:") { resident = kibibytes << 10 }
            if words[0].hasPrefix("VmHWM:") { peak = kibibytes << 10 }
        }
    }
}
