import LinkClient
import LinkRouting
import LinkTable
import Synchronization

/// A tenant with a table for the app `ios`.
enum Sample {
    static let issuedAt = Timestamp(milliseconds: 1_800_000_000_000)

    private static let settings = #"""
        {"domains": ["go.acme.com"], "schemes": ["acme"],
         "apps": [{"id": "ios", "platform": "ios", "teamID": "ABCDE12345", "bundleID": "com.acme.app"},
                  {"id": "droid", "platform": "android", "package": "com.acme.app"}]}
        """#

    static let routes = #"""
        [{"id": "product", "path": "/product/{id:int}", "open": {"screen": "product", "arguments": {"id": "{id}"}}},
         {"id": "account", "path": "/account", "signIn": "required", "open": {"screen": "account"}},
         {"id": "sale", "path": "/sale", "when": {"time": {"until": "2030-01-01T00:00:00Z"}}, "open": {"screen": "sale"}},
         {"id": "local", "path": "/local", "when": {"country": ["GB"]}, "open": {"screen": "uk"}},
         {"id": "all", "path": "/local", "open": {"screen": "world"}},
         {"id": "secret", "path": "/vip/{code}", "audience": "server", "open": {"screen": "vip"}},
         {"id": "new", "path": "/new", "requires": ["warp"], "open": {"screen": "warp"}}]
        """#

    static func scope(
        tenant: String = "acme",
        environment: String = "production",
        app: String = "ios"
    ) -> TableScope {
        TableScope(tenant: id(tenant), environment: id(environment), app: id(app))
    }

    static func key(_ byte: UInt8 = 1) throws -> TablePrivateKey {
        try TablePrivateKey(seed: Array(repeating: byte, count: 32))
    }

    /// A signed table.
    static func signed(
        revision: Int64 = 7,
        settingsRevision: Int64 = 3,
        scope: TableScope = scope(),
        issuedAt: Timestamp = issuedAt,
        serverFacts: [String] = [],
        routes: String = routes,
        key: UInt8 = 1
    ) throws -> [UInt8] {
        let claims = TableClaims(
            scope: scope,
            revision: Revision(rawValue: revision),
            settingsRevision: settingsRevision,
            serverFacts: serverFacts,
            issuedAt: issuedAt
        )
        let table = try json(#"{"formatVersion": 1, "routes": \#(routes)}"#)
        return try SignedTable.sign(TableContent(claims, table: table, settings: json(settings)), with: self.key(key))
    }

    private static func json(_ text: String) throws -> JSONNode {
        try JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: 8 << 20))
    }
}

func id<ID: Identifier>(_ text: String) -> ID {
    guard let id = ID(text) else { preconditionFailure("'\(text)' is no identifier") }
    return id
}

/// A client with a disk, a server and a clock of the test.
struct TestClient {
    let client: LinkClient
    let disk: MemoryDisk
    let server: StubServer

    static let tablePath = "/data/acme.production.ios.table"
    static let outboxPath = "/data/acme.production.ios.outbox"

    init(
        bundled: [UInt8]? = nil,
        disk: MemoryDisk = MemoryDisk(),
        server: StubServer = StubServer(),
        keys: [UInt8] = [1, 2],
        now: Timestamp = Sample.issuedAt,
        random seed: UInt64 = 1,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in throw CancellationError() }
    ) throws {
        var configuration = LinkClient.Configuration(
            tenant: "acme",
            app: "ios",
            keys: try keys.map { try Sample.key($0).publicKey.description },
            server: "https://links.acme.test/"
        )
        configuration.bundledTable = bundled.map { .bytes($0) } ?? .none
        configuration.directory = "/data"
        configuration.transport = server
        configuration.clientKey = "fp_test"
        let counter = Mutex(seed << 32)
        let environment = ClientEnvironment(
            now: { now },
            random: {
                counter.withLock { counter in
                    counter &+= 1
                    return counter &* 0x9E37_79B9_7F4A_7C15
                }
            },
            sleep: sleep,
            disk: disk
        )
        client = try LinkClient(configuration, environment: environment)
        self.disk = disk
        self.server = server
    }

    func problem(_ kind: LinkClientState.Kind) -> LinkClientState.Problem? {
        client.state.problems.first { $0.kind == kind }
    }
}
