package import LinkRouting

extension PublishingService {
    /// Writes settings and makes them live. The live tables must pass their checks under the new settings.
    package func saveSettings(
        _ content: JSONNode,
        of tenant: TenantID,
        expected: Int64?,
        claims: HostClaims.Rule = .exclusive,
        change: AuditContext
    ) async throws -> StoredSettings {
        try Document.requireStorable(content, "The settings", maximumBytes: Document.maximumSettingsBytes)
        let settings = try await queue.run(for: .tenant(tenant)) { _ in
            try Settings(DocumentField(content, path: "settings"))
        }
        try Self.requireFew(settings.namedEnvironments, besides: [], content)
        return try await Self.repeating {
            let live = try await store.live(of: tenant)
            try Self.requireFew(settings.namedEnvironments, besides: Set(live.keys), content)
            try await requireLiveTables(live, of: tenant, under: settings)
            let row = try await store.saveSettings(
                content,
                identity: settings.identity,
                of: tenant,
                installKey: settings.privacy.recordInstall ? random(Self.installKeyBytes) : nil,
                expected: expected,
                checked: live,
                claims: claims,
                change: change
            )
            try await reload(behind: "The settings \(row.revision) are stored")
            return row
        }
    }

    /// Archives a tenant. Its links are unmatched from now on.
    package func archive(_ tenant: TenantID, change: AuditContext) async throws {
        try await store.archive(tenant, change: change)
        try await reload(behind: "The tenant is archived")
    }

    /// Makes an archived tenant active again.
    package func unarchive(_ tenant: TenantID, change: AuditContext) async throws {
        try await store.unarchive(tenant, change: change)
        try await reload(behind: "The tenant is active")
    }

    /// Deletes the content of an archived tenant.
    package func remove(_ tenant: TenantID, change: AuditContext) async throws {
        try await store.remove(tenant, change: change)
        try await reload(behind: "The tenant is removed")
    }

    /// Throws ``Failure/findings(_:)`` if one of these live tables does not pass its checks under new settings.
    func requireLiveTables(_ live: [EnvironmentID: Revision], of tenant: TenantID, under settings: Settings)
        async throws
    {
        for (environment, revision) in live.sorted(by: { $0.value < $1.value }) {
            // An unreadable table is not live either. It must not block settings that repair the tenant.
            guard let content = try await readableContent(of: revision, tenant: tenant) else { continue }
            let errors = try await queue.run(for: .tenant(tenant)) { cancellation in
                guard let routes = try? RouteTable(DocumentField(content, path: "table")) else {
                    return [Finding]()
                }
                let errors = routes.check(
                    for: settings.identity,
                    in: content,
                    prefix: "table",
                    unless: cancellation
                )
                .filter { $0.severity == .error }
                guard errors.isEmpty else { return errors }
                let published = PublishedTable(
                    tenant: tenant,
                    environment: environment,
                    revision: revision,
                    settingsRevision: 0,
                    settings: settings,
                    table: routes
                )
                try prepare(published, cancellation)
                return []
            }
            guard errors.isEmpty else { throw Failure.findings(errors) }
        }
    }

    /// Limits the number of environments. A live table stays even if the settings no longer name its environment, so
    /// environments with a live table count as well.
    static func requireFew(
        _ named: Set<EnvironmentID>,
        besides live: Set<EnvironmentID>,
        _ content: JSONNode
    ) throws {
        let known = named.union(live).subtracting([.production])
        guard known.count > Settings.mostEnvironments, !named.subtracting(live).subtracting([.production]).isEmpty
        else {
            return
        }
        let error = DocumentError(
            path: "settings.environments",
            position: content["environments"]?.position ?? content.position,
            message: """
                a tenant has at most \(Settings.mostEnvironments) environments besides 'production', and these would be \
                \(known.count): those in 'environments', those of apps, and those with a live table; remove some.
                """
        )
        throw Settings.DecodingErrors([error])
    }
}
