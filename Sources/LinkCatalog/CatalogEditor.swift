package import LinkRouting

/// Changes the catalog: checks, stores, and tells what is live. A change that does not check changes nothing.
package struct CatalogEditor: Sendable {
    package static let mainDraft = "main"

    private let store: any CatalogStore
    /// Called with the new catalog after each change that is live.
    private let goLive: @Sendable (Catalog) -> Void

    package init(store: any CatalogStore, goLive: @escaping @Sendable (Catalog) -> Void) {
        self.store = store
        self.goLive = goLive
    }

    package enum Failure: Error, Sendable {
        case unknownTenant(TenantID)
        case unknownRoute(RouteID)
        case noTable(TenantID)
        /// At least one finding is an error.
        case findings([Finding])
    }

    package func reload() async throws {
        goLive(try await store.snapshot().catalog())
    }

    /// Writes settings; they are live at once. The live tables must still check under them.
    package func saveSettings(
        _ content: JSONNode,
        of tenant: TenantID,
        expected: Int64?,
        change: Change
    ) async throws -> SettingsRow {
        let settings = try Settings(Field(content, path: "settings"))
        for live in try await store.snapshot().tenants where live.settings.tenant == tenant {
            for table in live.live {
                let errors = try RouteTable(Field(table.content, path: "table"))
                    .check(for: settings.identity, in: table.content, prefix: "table").filter { $0.severity == .error }
                guard errors.isEmpty else { throw Failure.findings(errors) }
            }
        }
        let row = try await store.saveSettings(
            content,
            identity: settings.identity,
            of: tenant,
            expected: expected,
            change: change
        )
        try await reload()
        return row
    }

    /// The draft, or what is live when there is none.
    package func draft(of tenant: TenantID, in environment: EnvironmentID) async throws -> DraftRow {
        guard try await store.settings(of: tenant) != nil else { throw Failure.unknownTenant(tenant) }
        return try await store.draft(Self.mainDraft, of: tenant, in: environment)
            ?? DraftRow(name: Self.mainDraft, base: nil, version: 0, content: .object(["routes": .array([])]))
    }

    /// Replaces the draft by a table that can be read; its findings come back, errors too: they stop the publishing.
    package func saveTable(
        _ content: JSONNode,
        of tenant: TenantID,
        in environment: EnvironmentID,
        expected: Int64?,
        change: Change
    ) async throws -> (draft: DraftRow, findings: [Finding]) {
        let findings = try await findings(in: content, of: tenant)
        let draft = try await store.saveDraft(
            content,
            name: Self.mainDraft,
            of: tenant,
            in: environment,
            expected: expected,
            change: change
        )
        return (draft, findings)
    }

    /// What a check of a table says. A table that cannot be read throws its findings.
    package func findings(in content: JSONNode, of tenant: TenantID) async throws -> [Finding] {
        guard let row = try await store.settings(of: tenant) else { throw Failure.unknownTenant(tenant) }
        let settings = try Settings(Field(row.content, path: "settings"))
        let table: RouteTable
        do {
            table = try RouteTable(Field(content, path: "table"))
        } catch {
            throw Failure.findings(error.errors.map(Finding.init))
        }
        return table.check(for: settings.identity, in: content, prefix: "table")
    }

    /// Publishes the draft; it is live when this returns.
    package func publish(
        _ tenant: TenantID,
        in environment: EnvironmentID,
        message: String,
        change: Change
    ) async throws -> RevisionRow {
        guard try await store.settings(of: tenant) != nil else { throw Failure.unknownTenant(tenant) }
        guard let draft = try await store.draft(Self.mainDraft, of: tenant, in: environment) else {
            throw Failure.noTable(tenant)
        }
        let errors = try await findings(in: draft.content, of: tenant).filter { $0.severity == .error }
        guard errors.isEmpty else { throw Failure.findings(errors) }
        let row = try await store.publish(draft.content, of: tenant, in: environment, message: message, change: change)
        try await reload()
        return row
    }

    // MARK: Single routes

    package enum Placement: Sendable {
        /// Where it stood; a new route goes last.
        case keep
        case before(RouteID)
    }

    package func route(_ id: RouteID, of tenant: TenantID, in environment: EnvironmentID) async throws -> JSONNode {
        let routes = try await draft(of: tenant, in: environment).content["routes"]?.elements ?? []
        guard let route = routes.first(where: { $0["id"]?.text == id.rawValue }) else { throw Failure.unknownRoute(id) }
        return route
    }

    /// Writes one route of the draft.
    package func saveRoute(
        _ route: JSONNode,
        id: RouteID,
        placement: Placement,
        of tenant: TenantID,
        in environment: EnvironmentID,
        change: Change
    ) async throws -> (draft: DraftRow, findings: [Finding], isNew: Bool) {
        let field = Field(route, path: "route")
        let stated = try field.anyObject()["id"]?.text()
        guard stated == nil || stated == id.rawValue else {
            throw DocumentError(
                path: "route.id",
                position: route.position,
                message: "The id '\(stated ?? "")' is not the one in the path; write '\(id)' or leave it out."
            )
        }
        var route = route
        if stated == nil, let members = route.members {
            route.value = .object([JSONNode.Member("id", .string(id.rawValue))] + members)
        }
        let draft = try await draft(of: tenant, in: environment)
        var routes = draft.content["routes"]?.elements ?? []
        let old = routes.firstIndex { $0["id"]?.text == id.rawValue }
        switch placement {
        case .keep, .before(id):
            if let old { routes[old] = route } else { routes.append(route) }
        case .before(let other):
            if let old { routes.remove(at: old) }
            guard let place = routes.firstIndex(where: { $0["id"]?.text == other.rawValue }) else {
                throw Failure.unknownRoute(other)
            }
            routes.insert(route, at: place)
        }
        let saved = try await saveTable(
            draft.content.replacing(routes: routes),
            of: tenant,
            in: environment,
            expected: draft.version,
            change: change
        )
        return (saved.draft, saved.findings, old == nil)
    }

    /// Removes one route of the draft.
    package func removeRoute(
        _ id: RouteID,
        of tenant: TenantID,
        in environment: EnvironmentID,
        change: Change
    ) async throws -> DraftRow {
        let draft = try await draft(of: tenant, in: environment)
        var routes = draft.content["routes"]?.elements ?? []
        guard let index = routes.firstIndex(where: { $0["id"]?.text == id.rawValue }) else {
            throw Failure.unknownRoute(id)
        }
        routes.remove(at: index)
        return try await saveTable(
            draft.content.replacing(routes: routes),
            of: tenant,
            in: environment,
            expected: draft.version,
            change: change
        ).draft
    }
}

extension JSONNode {
    /// The table with other routes; whatever else it says stays where it is.
    fileprivate func replacing(routes: [JSONNode]) -> JSONNode {
        var members = self.members ?? []
        if let index = members.firstIndex(where: { $0.key == "routes" }) {
            members[index].value = .array(routes)
        } else {
            members.append(Member("routes", .array(routes)))
        }
        return JSONNode(.object(members), at: position)
    }
}
