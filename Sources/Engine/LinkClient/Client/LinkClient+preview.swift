public import LinkRouting
package import LinkTable

extension LinkClient {
    /// Returns a client for previews and tests: with this table, without files and without a server.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - identity: The domains, schemes and apps of the tenant. The apps may be incomplete.
    ///   - app: The app that the client belongs to; nil for the first of the identity.
    ///   - context: Facts that are true for each link.
    ///   - transport: Answers ``ask(_:in:)-(String,_)``; nil if the test does not ask.
    public static func preview(
        table: RouteTable,
        identity: Identity,
        app: AppID? = nil,
        context: LinkContext = LinkContext(),
        transport: (any LinkTransport)? = nil
    ) throws(ConfigurationError) -> LinkClient {
        guard let app = app ?? identity.apps.first?.id else {
            throw ConfigurationError("The identity has no app. Add one, or name it with 'app'.")
        }
        guard let tenant = TenantID("preview") else { preconditionFailure("the id is valid") }
        let claims = TableClaims(
            scope: TableScope(tenant: tenant, app: app),
            revision: Revision(rawValue: 1),
            settingsRevision: 1,
            issuedAt: Timestamp(milliseconds: 0),
            expiresAt: Timestamp(milliseconds: Int64.max)
        )
        let router = Router(identity: identity, table: table)
        return try preview(AppTable(claims: claims, router: router), context, transport)
    }

    /// Returns a client for previews and tests from a tenant's document as JSON: `{"settings": {…}, "table": {…}}`.
    /// The client gets what a signed table would contain, so that a test sees the same links undecided as the app.
    public static func preview(
        json: String,
        app: String,
        context: LinkContext = LinkContext(),
        transport: (any LinkTransport)? = nil
    ) throws(ConfigurationError) -> LinkClient {
        guard let tenant = TenantID("preview"), let app = AppID(app) else {
            throw ConfigurationError("'app' is '\(app)', which is not an id; use one of the settings.")
        }
        let limits = JSONReader.Limits(maximumBytes: SignedTable.maximumBytes, maximumDepth: 64)
        do {
            let document = try JSONReader.parse(json, limits: limits)
            let claims = TableClaims(
                scope: TableScope(tenant: tenant, app: app),
                revision: Revision(rawValue: 1),
                settingsRevision: 1,
                issuedAt: Timestamp(milliseconds: 0),
                expiresAt: Timestamp(milliseconds: Int64.max)
            )
            let content = try TableContent(
                claims,
                table: document["table"] ?? .null,
                settings: document["settings"] ?? .null
            )
            return try preview(try AppTable(unsigned: content), context, transport)
        } catch let error as JSONSyntaxError {
            throw ConfigurationError("line \(error.position.line), column \(error.position.column): \(error.message)")
        } catch {
            throw ConfigurationError("\(error)")
        }
    }

    /// Returns a client with this signed table, without files and without a server, for tests of this package.
    package static func preview(
        signed bytes: [UInt8],
        keys: [TablePublicKey],
        _ scope: TableScope
    ) throws -> LinkClient {
        try preview(SignedTable.verify(bytes, keys: keys, expecting: scope), LinkContext(), nil)
    }

    private static func preview(
        _ table: AppTable,
        _ context: LinkContext,
        _ transport: (any LinkTransport)?
    ) throws(ConfigurationError) -> LinkClient {
        var configuration = Configuration(
            tenant: table.claims.scope.tenant.rawValue,
            app: table.claims.scope.app.rawValue,
            keys: []
        )
        configuration.context = context
        configuration.transport = transport
        return LinkClient(
            try ClientSetup(configuration, previewServer: transport == nil ? nil : "https://preview.invalid"),
            .live,
            table: ActiveTable(table, signed: nil, origin: .preview, serverFacts: OpenFacts())
        )
    }
}
