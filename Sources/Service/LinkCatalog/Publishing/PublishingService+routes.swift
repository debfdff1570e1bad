package import LinkRouting

/// Edits of single routes of a draft.
extension PublishingService {
    /// The position of a saved route in the draft.
    package enum Placement: Sendable {
        /// At its current position; a new route goes last.
        case keep
        case before(RouteID)
    }

    /// Returns a route of the draft, and the draft's version. Throws ``Failure/unknownRoute(_:)`` when there is none.
    package func route(_ id: RouteID, at location: DraftLocation) async throws -> (
        route: JSONNode, version: DraftVersion
    ) {
        let draft = try await namedDraft(at: location)
        let routes = draft.content["routes"]?.elements ?? []
        guard let route = routes.first(where: { $0["id"]?.text == id.rawValue }) else { throw Failure.unknownRoute(id) }
        return (route, draft.version)
    }

    /// Returns the routes of the draft that have a text in their id, path, screen, owner or a tag, ignoring case, and whose
    /// pattern a link matches; all of them for nil.
    package func routes(containing text: String?, matching link: DeepLink?, at location: DraftLocation) async throws
        -> (
            routes: [JSONNode], version: DraftVersion
        )
    {
        let draft = try await namedDraft(at: location)
        let routes = draft.content["routes"]?.elements ?? []
        guard text != nil || link != nil else { return (routes, draft.version) }
        let state = try await state(of: location)
        let found = try await queue.run(for: .tenant(location.tenant)) { _ in
            var matching: Set<String>?
            if let link {
                let router = state.published(try Self.table(draft.content)).router
                var ids: Set<String> = []
                router.everyRoute(for: link) { ids.insert($0.id.rawValue) }
                matching = ids
            }
            let text = text?.lowercased()
            return routes.filter { route in
                matching.map { $0.contains(route["id"]?.text ?? "") } ?? true && text.map(route.hasText) ?? true
            }
        }
        return (found, draft.version)
    }

    /// Writes many routes of the draft. A route replaces the one with the same id; new routes go last. With
    /// `replacing`, all other routes are removed.
    package func importRoutes(
        _ routes: [JSONNode],
        replacing: Bool,
        at location: DraftLocation,
        expected: DraftVersion? = nil,
        limit: KeyGrant? = nil,
        change: AuditContext
    ) async throws -> (draft: Draft, findings: [Finding]) {
        var seen: Set<String> = []
        let named = try routes.map { route in
            let field = try DocumentField(route, path: "route").anyObject().required("id")
            let id = try field.text()
            guard seen.insert(id).inserted else { throw field.error("duplicate route '\(id)'; remove one.") }
            return (id: id, content: route)
        }
        return try await rewriteRoutes(at: location, expected: expected, limit: limit, change: change) { old in
            var merged = replacing ? [] : old
            var indices = Dictionary(merged.enumerated().map { ($1["id"]?.text ?? "", $0) }) { first, _ in first }
            for route in named {
                if let index = indices[route.id] {
                    merged[index] = route.content
                } else {
                    indices[route.id] = merged.count
                    merged.append(route.content)
                }
            }
            return merged
        }
    }

    /// Writes one route of the draft. `isNew` tells whether the draft had no route with this id.
    package func saveRoute(
        _ route: JSONNode,
        id: RouteID,
        placement: Placement,
        at location: DraftLocation,
        expected: DraftVersion? = nil,
        limit: KeyGrant? = nil,
        change: AuditContext
    ) async throws -> (draft: Draft, findings: [Finding], isNew: Bool) {
        let field = DocumentField(route, path: "route")
        let stated = try field.anyObject()["id"]?.text()
        guard stated == nil || stated == id.rawValue else {
            throw DocumentError(
                path: "route.id",
                position: route.position,
                message: "The id '\(stated ?? "")' differs from the one in the path; write '\(id)' or leave it out."
            )
        }
        var route = route
        if stated == nil, let members = route.members {
            route.value = .object([JSONNode.Member("id", .string(id.rawValue))] + members)
        }
        var isNew = true
        let saved = try await rewriteRoutes(at: location, expected: expected, limit: limit, change: change) { routes in
            var routes = routes
            let old = routes.firstIndex { $0["id"]?.text == id.rawValue }
            isNew = old == nil
            switch placement {
            case .keep, .before(id):
                if let old { routes[old] = route } else { routes.append(route) }
            case .before(let other):
                if let old { routes.remove(at: old) }
                guard let index = routes.firstIndex(where: { $0["id"]?.text == other.rawValue }) else {
                    throw Failure.unknownRoute(other)
                }
                routes.insert(route, at: index)
            }
            return routes
        }
        return (saved.draft, saved.findings, isNew)
    }

    /// Removes one route of the draft. Throws ``Failure/unknownRoute(_:)`` when there is none.
    package func removeRoute(
        _ id: RouteID,
        at location: DraftLocation,
        expected: DraftVersion? = nil,
        limit: KeyGrant? = nil,
        change: AuditContext
    ) async throws -> Draft {
        try await rewriteRoutes(at: location, expected: expected, limit: limit, change: change) { routes in
            guard let index = routes.firstIndex(where: { $0["id"]?.text == id.rawValue }) else {
                throw Failure.unknownRoute(id)
            }
            var routes = routes
            routes.remove(at: index)
            return routes
        }.draft
    }

    /// Rewrites the draft's routes. Without an `expected` version, a concurrent write makes it read the draft again and
    /// repeat the edit.
    private func rewriteRoutes(
        at location: DraftLocation,
        expected: DraftVersion?,
        limit: KeyGrant?,
        change: AuditContext,
        _ edit: ([JSONNode]) throws -> [JSONNode]
    ) async throws -> (draft: Draft, findings: [Finding]) {
        let settings = try await settings(of: location.tenant)
        let context = EditContext(location: location, settings: settings, limit: limit, change: change)
        return try await Self.repeating {
            let (draft, live) = try await current(at: location, expected: expected)
            let table = draft.content.with(routes: try edit(draft.content["routes"]?.elements ?? []))
            try requireStorable(table, "The draft")
            let findings = try await findings(in: table, of: location.tenant, settings)
            return (try await save(table, over: draft, live, expected: expected, context), findings)
        }
    }
}

extension JSONNode {
    /// Whether the id, path, screen, owner or a tag of the route contains a text in lowercase.
    fileprivate func hasText(_ text: String) -> Bool {
        let screens = [self["open"]?["screen"], self["follow"]]
        return ([self["id"], self["path"], self["owner"]] + screens + (self["tags"]?.elements ?? []))
            .contains { $0?.text?.lowercased().contains(text) == true }
    }

    /// Returns the table with other routes. All other members keep their position.
    fileprivate func with(routes: [JSONNode]) -> JSONNode {
        var members = self.members ?? []
        if let index = members.firstIndex(where: { $0.key == "routes" }) {
            members[index].value = .array(routes)
        } else {
            members.append(Member("routes", .array(routes)))
        }
        return JSONNode(.object(members), at: position)
    }
}
