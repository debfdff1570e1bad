package import LinkRouting

/// A verified table: its claims, and the engine of the app that it configures.
package struct AppTable: Sendable {
    package let claims: TableClaims
    package let router: Router

    package init(claims: TableClaims, router: Router) {
        self.claims = claims
        self.router = router
    }

    /// The number of routes, without stubs.
    package var routeCount: Int { router.table.routes.count - stubCount }
    /// The number of routes that only the server decides about.
    package var stubCount: Int { router.table.routes.count { $0.unsupported.contains(TableContent.serverFeature) } }

    /// Reads content that was not signed, for previews and tests.
    package init(unsigned content: TableContent) throws(TableRejection) {
        try self.init(payload: content.payload[...], expecting: content.scope)
    }

    private static let limits = JSONReader.Limits(
        maximumBytes: SignedTable.maximumBytes,
        maximumDepth: 64,
        maximumValues: 1_000_000
    )

    /// Reads the payload of a signed table. Unknown members of the payload are ignored: a newer server may add members
    /// that do not change how a link resolves. Those that do are announced by `requires` or a newer format version.
    ///
    /// Everything that is read comes before `table`, whose routes are read one by one, without a tree of the document.
    init(payload: ArraySlice<UInt8>, expecting scope: TableScope) throws(TableRejection) {
        do {
            self = try payload.withUnsafeBufferPointer { try Self.read($0, expecting: scope) }
        } catch let rejection as TableRejection {
            throw rejection
        } catch let error as JSONSyntaxError {
            throw .unreadable("line \(error.position.line), column \(error.position.column): \(error.message)")
        } catch {
            throw .unreadable("\(error)")
        }
    }

    private static func read(_ bytes: UnsafeBufferPointer<UInt8>, expecting scope: TableScope) throws -> AppTable {
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
                let headObject = try DocumentField(stored: head, path: "").anyObject()
                let claims = try TableClaims(headObject)
                try check(claims.scope, against: scope)
                let identity = try Identity(try headObject.required("identity").anyObject())
                let table = try RouteTable(reading: &reader, path: "table")
                result = AppTable(
                    claims: claims,
                    router: Router(identity: identity, table: table, environment: claims.scope.environment)
                )
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
        guard let version = node["formatVersion"]?.int else {
            throw .unreadable("'formatVersion' is missing; it comes before 'table'.")
        }
        guard version <= RouteTable.formatVersion else { throw .newerFormat(version) }
        let unsupported = (node["requires"]?.elements ?? []).compactMap(\.text).filter {
            !RouteTable.features.contains($0)
        }
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
            issuedAt: try instant("issuedAt"),
            expiresAt: try instant("expiresAt")
        )
    }
}
