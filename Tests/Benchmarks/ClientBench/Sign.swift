import ArgumentParser
import Foundation
import LinkRouting
import LinkTable

struct Sign: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a signed table of a shop with generated routes.",
        discussion: """
            EXAMPLE
              ClientBench sign 10000 /tmp/shop.table
            """
    )

    @Argument(help: "The number of routes.") var count: Int
    @Argument(help: "The file to write.") var file: String

    func run() throws {
        let bytes = try SignedShop.signed(routes: count)
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        print(#"{"routes":\#(count),"bytes":\#(bytes.count)}"#)
    }
}

/// The signed table of the benchmark.
enum SignedShop {
    static func signed(routes count: Int) throws -> [UInt8] {
        let claims = TableClaims(
            scope: try scope(),
            revision: Revision(rawValue: 42),
            settingsRevision: 7,
            issuedAt: Timestamp(milliseconds: 1_800_000_000_000)
        )
        let limits = JSONReader.Limits(maximumBytes: 1 << 30)
        let content = try TableContent(
            claims,
            table: JSONReader.parse(ShopTable.table(routes: count), limits: limits),
            settings: JSONReader.parse(ShopTable.settings, limits: limits)
        )
        return try SignedTable.sign(content, with: try key())
    }

    static func key() throws -> TablePrivateKey { try TablePrivateKey(seed: Array(repeating: 1, count: 32)) }

    static func scope() throws -> TableScope {
        guard let tenant = TenantID(ShopTable.tenant), let app = AppID(ShopTable.app) else {
            throw InputError(description: "The tenant or the app of the generated table is not an id.")
        }
        return TableScope(tenant: tenant, app: app)
    }
}
