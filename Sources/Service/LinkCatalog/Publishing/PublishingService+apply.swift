package import LinkRouting

/// Files with settings, a table and suites, applied together.
extension PublishingService {
    // MARK: Files

    /// The changes that applying a file has made.
    package struct Applied: Sendable {
        package let stored: TenantChange.Stored
        package let plan: TablePlan
    }

    /// Stores settings, table and suites together, and makes them live. Creates the tenant if it is new. If one of them
    /// is refused, nothing is stored. A key that may not change settings may send settings that equal the stored ones.
    ///
    /// - Parameters:
    ///   - suites: The texts of the request's suites.
    ///   - expected: The revision of the settings that the request replaces; 0 for a new tenant, nil for any revision.
    package func apply(
        _ request: PlanRequest,
        suites: [SuiteName: String],
        at location: DraftLocation,
        expected: Int64?,
        note: Note = Note(),
        claims: HostClaims.Rule = .exclusive,
        limit: KeyGrant? = nil,
        change: AuditContext
    ) async throws -> Applied {
        try requireOverriding(note, limit)
        if let settings = request.settings {
            try Document.requireStorable(settings, "The settings", maximumBytes: Document.maximumSettingsBytes)
        }
        let request = try await permitted(request, by: limit, at: location)
        return try await Self.repeating {
            let state = try await state(of: location, for: request)
            try state.requireEnvironment(for: limit)
            try await requireEnvironments(of: request.suites, state)
            let plan = try await plan(request, state, limit)
            try requireStorable(plan.content, "The table")
            let publication = try await publication(of: plan, .file, at: location, note, limit)
            var settings: SettingsChange?
            if let content = request.settings, state.isNew || !state.settingsChanges.isEmpty {
                let live = try await store.live(of: location.tenant)
                try Self.requireFew(state.settings.namedEnvironments, besides: Set(live.keys), content)
                try await requireLiveTables(
                    live.filter { $0.key != location.environment },
                    of: location.tenant,
                    under: state.settings
                )
                settings = SettingsChange(
                    content: content,
                    identity: state.settings.identity,
                    installKey: state.settings.privacy.recordInstall ? random(Self.installKeyBytes) : nil,
                    expected: expected,
                    checked: live,
                    claims: claims
                )
            }
            let isPublishing = !plan.diff.isEmpty
            let stored = try await store.apply(
                TenantChange(settings: settings, publication: isPublishing ? publication : nil, suites: suites),
                to: location.tenant,
                change: change
            )
            if let row = stored.revision { onPublication(row, location.tenant, change) }
            try await reload(behind: "The file is applied")
            return Applied(stored: stored, plan: plan)
        }
    }

    /// Throws for a suite that names an environment which the tenant does not have: it would never run there.
    func requireEnvironments(of suites: [String: LinkSuite], _ state: State) async throws {
        let known = state.settings.namedEnvironments
        let unknown = suites.values.reduce(into: Set<EnvironmentID>()) { $0.formUnion($1.namedEnvironments) }
            .subtracting(known)
        guard !unknown.isEmpty else { return }
        let live = try await store.live(of: state.location.tenant)
        guard let first = unknown.subtracting(live.keys).min() else { return }
        throw Failure.unknownEnvironment(first, named: known)
    }

    /// Returns the request without its settings if they would change nothing and the key may not change settings.
    /// Throws ``Failure/settingsOutsideLimit(_:)`` if they would change something that the key may not change.
    private func permitted(
        _ request: PlanRequest,
        by limit: KeyGrant?,
        at location: DraftLocation
    ) async throws -> PlanRequest {
        guard let settings = request.settings, let limit, !limit.mayChangeSettings(of: location.tenant) else {
            return request
        }
        guard let row = try await store.settings(of: location.tenant),
            TableDiff.fields(from: row.content, to: settings).isEmpty
        else {
            throw Failure.settingsOutsideLimit(limit)
        }
        var request = request
        request.settings = nil
        return request
    }
}

extension LinkSuite {
    /// Every environment that the suite or one of its cases names.
    package var namedEnvironments: Set<EnvironmentID> {
        cases.reduce(into: environments ?? []) { $0.formUnion($1.environments ?? []) }
    }
}
