public import LinkRouting
import LinkTable

extension LinkClient {
    /// The configuration of a client: its app, its server and its keys.
    public struct Configuration: Sendable {
        /// The tenant's id.
        public var tenant: String
        /// The id of this app in the tenant's settings, such as `ios`.
        public var app: String
        public var environment = "production"
        /// The public keys of signed tables: the current one, and the next one. Each has 43 characters;
        /// `fingerpost table keys show` prints them.
        public var keys: [String]
        /// The address of the server, such as `https://links.example.com`. Nil for an app that never asks a server.
        public var server: String?
        /// A key with the scope `resolve`, if the tenant's settings require one.
        public var clientKey: String?
        /// The table in the app's bundle. With it, the first link after the installation works offline.
        public var bundledTable = BundledTable.none
        /// The directory for the last table and the outbox, such as `Application Support`. It is created if it is
        /// missing. Nil to keep everything in memory.
        public var directory: String?
        /// Facts that are true for each link: platform, versions, language. A context of a call replaces them.
        public var context = LinkContext()
        /// Facts that the server adds to a context, besides those that the table names: `country` or `traits.NAME`. If a
        /// route depends on one of them, the server must decide.
        public var serverFacts: [String] = []
        /// The mean time between downloads while ``LinkClient/run()`` runs. Each actual delay differs by at most a
        /// fifth.
        public var refreshInterval = Duration.seconds(3_600)
        /// Sends the requests; nil for `URLSession`, where it is available.
        public var transport: (any LinkTransport)?

        public init(tenant: String, app: String, keys: [String], server: String? = nil) {
            self.tenant = tenant
            self.app = app
            self.keys = keys
            self.server = server
        }
    }

    /// A table that is part of the app.
    public enum BundledTable: Sendable {
        case none
        /// The path of the file, as in `Bundle.main.path(forResource: "links", ofType: "table")`.
        case file(String)
        case bytes([UInt8])
    }

    /// The reason why a configuration is not usable, with advice.
    public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
        public let description: String

        init(_ description: String) { self.description = description }
    }
}

/// A validated configuration.
struct ClientSetup: Sendable {
    let scope: TableScope
    let keys: [TablePublicKey]
    /// The server's address without a slash at the end.
    let server: String?
    let configuration: LinkClient.Configuration
    let serverFacts: OpenFacts
    let transport: (any LinkTransport)?

    /// - Parameter previewServer: Nil for the server of the configuration.
    init(
        _ configuration: LinkClient.Configuration,
        previewServer: String? = nil
    ) throws(LinkClient.ConfigurationError) {
        self.configuration = configuration
        scope = TableScope(
            tenant: try Self.identifier("tenant", configuration.tenant),
            environment: try Self.identifier("environment", configuration.environment),
            app: try Self.identifier("app", configuration.app)
        )
        var keys: [TablePublicKey] = []
        for text in configuration.keys {
            do throws(TableKeyError) {
                keys.append(try TablePublicKey(text))
            } catch {
                throw LinkClient.ConfigurationError("keys[\(keys.count)]: \(error)")
            }
        }
        if let index = keys.firstIndex(where: { key in keys.contains { $0.id == key.description } }) {
            throw LinkClient.ConfigurationError(
                "keys[\(index)] is the id (kid) of another key; remove it. A public key is the 43 characters of 'x'."
            )
        }
        self.keys = keys
        if let server = configuration.server, previewServer == nil {
            self.server = try Self.address(server)
        } else {
            server = previewServer
        }
        serverFacts = OpenFacts(configuration.serverFacts)
        transport = configuration.transport ?? Self.standardTransport(server)
        guard !keys.isEmpty || configuration.server == nil else {
            throw LinkClient.ConfigurationError(
                "'keys' is empty, so no table is accepted. Add the keys that 'fingerpost table keys show' prints."
            )
        }
    }

    private static func identifier<ID: Identifier>(
        _ name: String,
        _ text: String
    ) throws(LinkClient.ConfigurationError) -> ID {
        guard let id = ID(text) else {
            throw LinkClient.ConfigurationError(
                "'\(name)' is '\(text)', which is not an id; use the one of the server's settings."
            )
        }
        return id
    }

    private static func address(_ text: String) throws(LinkClient.ConfigurationError) -> String {
        let local = ["http://localhost", "http://127.0.0.1", "http://[::1]"]
        let isLocal = local.contains { name in
            text.hasPrefix(name) && [nil, ":", "/"].contains(text.dropFirst(name.count).first)
        }
        guard text.hasPrefix("https://") || isLocal, let link = try? DeepLink.parse(text), link.text == text,
            link.rawQuery == nil, link.rawFragment == nil
        else {
            throw LinkClient.ConfigurationError(
                "'server' is '\(text)'; write an address such as https://links.example.com. Only a server on this "
                    + "machine may use http."
            )
        }
        var address = text
        while address.hasSuffix("/") { address.removeLast() }
        return address
    }

    private static func standardTransport(_ server: String?) -> (any LinkTransport)? {
        #if canImport(FoundationNetworking) || canImport(Darwin)
            return server == nil ? nil : URLSessionTransport()
        #else
            return nil
        #endif
    }
}
