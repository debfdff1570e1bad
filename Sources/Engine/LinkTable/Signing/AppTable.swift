package import LinkRouting

/// A verified table: its claims, and the engine of the app that it configures.
package struct AppTable: Sendable {
    package let claims: TableClaims
    package let router: Router
    /// The routes of a signed table; nil for a table that was not read from JSON.
    private let routes: LazyRoutes?

    /// The routes that are decoded when a table is read.
    package enum Checking: Sendable {
        /// All routes. A table with a route that cannot be read is refused. Use it for new tables.
        case everyRoute
        /// No route. A route that cannot be read makes its links undecided. Use it for tables that were checked before.
        case noRoute
    }

    /// A table without a signature, for previews and tests.
    package init(claims: TableClaims, router: Router) {
        self.claims = claims
        self.router = router
        routes = nil
    }

    private init(_ claims: TableClaims, _ identity: Identity, _ table: EncodedTable) {
        self.claims = claims
        let routes = LazyRoutes(table.routes)
        router = Router(
            identity: identity,
            table: table,
            routes: routes,
            environment: claims.scope.environment,
            tenant: claims.scope.tenant
        )
        self.routes = routes
    }

    /// The number of routes, without stubs.
    package var routeCount: Int { router.table.routes.count - stubCount }
    /// The number of routes that only the server decides about.
    package var stubCount: Int { router.table.routes.count { $0.unsupported.contains(TableContent.serverFeature) } }

    /// Returns the reason why a route that was needed cannot be read; nil if it was read.
    package func problem(of route: RouteID) -> String? { routes?.problem(of: route) }

    /// Reads content that was not signed, for previews and tests.
    package init(unsigned content: TableContent) throws(TableRejection) {
        try self.init(payload: content.payload[...], expecting: content.scope, checking: .everyRoute)
    }

    private static let limits = JSONReader.Limits(
        maximumBytes: SignedTable.maximumBytes,
        maximumDepth: 64,
        maximumValues: 1_000_000
    )

    /// Reads the payload of a signed table. Unknown members of the payload are ignored: a newer server may add members
    /// that do not change how a link resolves. Those that do are announced by `requires` or a newer format version.
    ///
    /// The members that are read precede `table`. Its routes stay JSON, so the table keeps the payload.
    init(payload: ArraySlice<UInt8>, expecting scope: TableScope, checking: Checking) throws(TableRejection) {
        do {
            self = try Self.read(payload, expecting: scope, checking)
        } catch let rejection as TableRejection {
            throw rejection
        } catch let error as JSONSyntaxError {
            throw .unreadable("line \(error.position.line), column \(error.position.column): \(error.message)")
        } catch {
            throw .unreadable("\(error)")
        }
    }

    private static func read(
        _ payload: ArraySlice<UInt8>,
        expecting scope: TableScope,
        _ checking: Checking
    ) throws -> AppTable {
        try payload.withUnsafeBufferPointer { try read($0, of: payload, expecting: scope, checking) }
    }

    private static func read(
        _ bytes: UnsafeBufferPointer<UInt8>,
        of payload: ArraySlice<UInt8>,
        expecting scope: TableScope,
        _ checking: Checking
    ) throws -> AppTable {
        var members: [JSONNode.Member] = []
        var result: AppTable?
        try JSONReader.read(bytes, limits: limits) { reader in
            guard reader.isObject else {
                throw DocumentField(try reader.node(), path: "").notAnObject()
            }
            var object = try reader.beginObject()
            while let key = try reader.nextKey(of: &object) {
                guard case "table" = key else {
                    members.append(JSONNode.Member(key.text, try reader.node()))
                    continue
                }
                let head = JSONNode(.object(members))
                try checkFormat(head)
                let headObject = try DocumentField(head, path: "").anyObject()
                let claims = try TableClaims(headObject)
                try check(claims.scope, against: scope)
                let identity = try Identity(try headObject.required("identity").anyObject())
                let table = try EncodedTable(reading: &reader, of: payload, path: "table")
                if checking == .everyRoute { try table.routes.check() }
                result = AppTable(claims, identity, table)
            }
        }
        guard let result else {
            // A newer format may have no table.
            try checkFormat(JSONNode(.object(members)))
            throw TableRejection.unreadable("'table' is missing.")
        }
        return result
    }

    /// Refuses a newer format before anything else is read, because everything else may have another meaning there.
    private static func checkFormat(_ node: JSONNode) throws(TableRejection) {
        guard let stated = node["formatVersion"] else {
            throw .unreadable("'formatVersion' is missing; it comes before 'table'.")
        }
        guard let version = stated.int else {
            throw .unreadable("'formatVersion' is \(stated.json().prefix(40)); write \(RouteTable.formatVersion).")
        }
        guard version <= RouteTable.formatVersion else { throw .newerFormat(version) }
        guard version == RouteTable.formatVersion else {
            throw .unreadable("'formatVersion' is \(version); write \(RouteTable.formatVersion).")
        }
        let required = node["requires"]?.elements ?? []
        let features = required.compactMap(\.text)
        guard features.count == required.count, node["requires"].map({ $0.elements != nil }) ?? true else {
            throw .unreadable("'requires' is not a list of names.")
        }
        let unsupported = features.filter { !RouteTable.features.contains($0) }
        guard unsupported.isEmpty else { throw .unsupportedFeatures(unsupported) }
    }

    private static func check(_ scope: TableScope, against expected: TableScope) throws(TableRejection) {
        guard scope.tenant == expected.tenant else { throw .otherTenant(scope.tenant) }
        guard scope.environment == expected.environment else { throw .otherEnvironment(scope.environment) }
        guard scope.app == expected.app else { throw .otherApp(scope.app) }
    }
}

extension TableClaims {
    fileprivate init(_ object: ObjectField) throws(DocumentError) {
        func instant(_ key: String) throws(DocumentError) -> Timestamp {
            let field = try object.required(key)
            guard let instant = Timestamp(try field.text()) else { throw field.error("\(field.shown) is not a time.") }
            return instant
        }
        let (issuedAt, expiresAt) = (try instant("issuedAt"), try instant("expiresAt"))
        guard issuedAt < expiresAt else {
            throw try object.required("expiresAt").error("'expiresAt' must be after 'issuedAt'.")
        }
        self.init(
            scope: TableScope(
                tenant: try object.required("tenant").identifier(TenantID.self),
                environment: try object.required("environment").identifier(EnvironmentID.self),
                app: try object.required("app").identifier(AppID.self)
            ),
            revision: Revision(rawValue: try object.required("revision").int(in: 1...Int64.max)),
            settingsRevision: try object.required("settingsRevision").int(in: 0...Int64.max),
            serverFacts: try object["serverFacts"]?.list().map { field throws(DocumentError) in try field.text() }
                ?? [],
            issuedAt: issuedAt,
            expiresAt: expiresAt
        )
    }
}
