package import LinkRouting

/// Single routes of a draft.
extension CatalogEditor {
    package enum Placement: Sendable {
        /// Where it stood; a new route goes last.
        case keep
        case before(RouteID)
    }

    package func route(_ id: RouteID, at place: Place) async throws -> (route: JSONNode, version: DraftVersion) {
        let draft = try await draft(at: place)
        let routes = draft.content["routes"]?.elements ?? []
        guard let route = routes.first(where: { $0["id"]?.text == id.rawValue }) else { throw Failure.unknownRoute(id) }
        return (route, draft.version)
    }

    /// Writes many routes of the draft: each takes the place of the one with its id, new ones go last. Replacing, no others
    /// stay.
    package func importRoutes(
        _ routes: [JSONNode],
        replacing: Bool,
        at place: Place,
        expected: DraftVersion? = nil,
        limit: KeyGrant? = nil,
        change: Change
    ) async throws -> (draft: DraftRow, findings: [Finding]) {
        let draft = try await draft(at: place, ifStill: expected)
        var merged = replacing ? [] : draft.content["routes"]?.elements ?? []
        var places = Dictionary(merged.enumerated().map { ($1["id"]?.text ?? "", $0) }) { first, _ in first }
        var seen: Set<String> = []
        for route in routes {
            let field = try Field(route, path: "route").anyObject().required("id")
            let id = try field.text()
            guard seen.insert(id).inserted else { throw field.error("the route '\(id)' comes twice; leave one out.") }
            if let place = places[id] {
                merged[place] = route
            } else {
                places[id] = merged.count
                merged.append(route)
            }
        }
        return try await saveDraft(
            draft.content.replacing(routes: merged),
            at: place,
            expected: draft.version,
            limit: limit,
            change: change
        )
    }

    /// Writes one route of the draft.
    package func saveRoute(
        _ route: JSONNode,
        id: RouteID,
        placement: Placement,
        at place: Place,
        expected: DraftVersion? = nil,
        limit: KeyGrant? = nil,
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
        let draft = try await draft(at: place, ifStill: expected)
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
        let saved = try await saveDraft(
            draft.content.replacing(routes: routes),
            at: place,
            expected: draft.version,
            limit: limit,
            change: change
        )
        return (saved.draft, saved.findings, old == nil)
    }

    /// Removes one route of the draft.
    package func removeRoute(
        _ id: RouteID,
        at place: Place,
        expected: DraftVersion? = nil,
        limit: KeyGrant? = nil,
        change: Change
    ) async throws -> DraftRow {
        let draft = try await draft(at: place, ifStill: expected)
        var routes = draft.content["routes"]?.elements ?? []
        guard let index = routes.firstIndex(where: { $0["id"]?.text == id.rawValue }) else {
            throw Failure.unknownRoute(id)
        }
        routes.remove(at: index)
        return try await saveDraft(
            draft.content.replacing(routes: routes),
            at: place,
            expected: draft.version,
            limit: limit,
            change: change
        ).draft
    }

    /// The draft, which must be at `expected` where that is given.
    private func draft(at place: Place, ifStill expected: DraftVersion?) async throws -> DraftRow {
        let draft = try await draft(at: place)
        guard expected == nil || expected == draft.version else { throw StaleWrite(current: "\(draft.version)") }
        return draft
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
