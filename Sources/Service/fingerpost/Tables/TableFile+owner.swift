import LinkCatalog
import LinkRouting
import Networking

extension TableFile {
    /// Returns the file of one team as a change of the live table: only routes with this owner are changed. Settings and
    /// the table's other members are left as they are on the server.
    ///
    /// Throws if the file has a route of another owner, if another owner's route on the server has an id of the file, or
    /// if the team's routes have changed on the server since the revision that the file is based on and the file changes
    /// them too.
    package func limited(to owner: String, client: AdminClient) async throws -> TableFile {
        try requireRoutes(of: owner)
        let (live, revision) = try await Self.liveTable(of: tenant, client)
        var base = live.routes(of: owner)
        if let basedOn, basedOn != revision {
            base = try await client.send(.get, "tenants/\(tenant)/revisions/\(basedOn)/table").body.routes(of: owner)
        }
        try requireUnownedIDs(by: owner, in: live)
        let own = JSONNode.object(["routes": .array(table?["routes"]?.elements ?? [])])
        let merge = TableMerge(base: base, live: .object(["routes": live["routes"] ?? .array([])]), draft: own)
        guard merge.conflicts.isEmpty else {
            throw fail(
                "\(path): the server's table has conflicting changes; pull the table, and make your changes again:",
                .failed,
                more: merge.conflicts.map { "  \($0.kind.rawValue) '\($0.subject)'" }
            )
        }
        let others = (live.members ?? []).filter { $0.key != "routes" }
        let routes = JSONNode.Member("routes", merge.content["routes"] ?? .array([]))
        let ownRoutes = merge.content.routes(of: owner)["routes"]?.elements ?? []
        return TableFile(
            path: path,
            tenant: tenant,
            settings: nil,
            table: JSONNode(.object(others + [routes])),
            basedOn: revision,
            ownRoutes: Set(ownRoutes.compactMap { $0["id"]?.text })
        )
    }

    /// Advice about a plan that removes routes, for a file that is not limited to an owner; nil if none applies.
    package func advice(about plan: TablePlanning.Plan) -> String? {
        let removed = plan.body["changes"]?["removed"]?.elements ?? []
        // An edited file removes what its author removed.
        guard !removed.isEmpty, basedOn == nil else { return nil }
        let routes = table?["routes"]?.elements ?? []
        if let owner = routes.first?["owner"]?.text, routes.allSatisfy({ $0["owner"]?.text == owner }),
            removed.contains(where: { $0["owner"]?.text != owner })
        {
            return "All routes of the file belong to '\(owner)'. To keep those of others, use "
                + "\(OptionText("owner", owner).text): it changes only the routes of that owner."
        }
        return "The file has no 'basedOn', so it replaces the whole table and removes the routes that it does not "
            + "contain. 'fingerpost pull \(tenant) -f FILE' writes a file to edit."
    }

    /// Throws if the server's table has a route of another owner with an id of this file.
    private func requireUnownedIDs(by owner: String, in live: JSONNode) throws {
        let ids = Set((table?["routes"]?.elements ?? []).compactMap { $0["id"]?.text })
        let taken = (live["routes"]?.elements ?? []).compactMap { route -> String? in
            guard let id = route["id"]?.text, ids.contains(id), route["owner"]?.text != owner else { return nil }
            return "  route '\(id)' " + (route["owner"]?.text.map { "belongs to '\($0)'" } ?? "has no owner")
        }
        guard taken.isEmpty else {
            throw fail(
                "\(path): routes of the server's table that do not belong to '\(owner)' have the same ids; use other ids:",
                .failed,
                more: taken
            )
        }
    }

    private func requireRoutes(of owner: String) throws {
        guard let routes = table?["routes"]?.elements else {
            throw fail("\(path) has no routes; --owner needs a file with the team's routes.", .unreadableInput)
        }
        for route in routes where route["owner"]?.text != owner {
            let id = route["id"]?.text ?? ""
            let reason = route["owner"]?.text.map { "belongs to '\($0)'" } ?? "has no owner"
            throw fail(
                "\(path):\(route.position.line): the route '\(id)' \(reason); write 'owner: \(owner)', or remove it from "
                    + "the file.",
                .unreadableInput
            )
        }
    }

    /// Returns the live table and its revision; an empty table and 0 before the first publication.
    private static func liveTable(
        of tenant: TenantID,
        _ client: AdminClient
    ) async throws -> (JSONNode, revision: Int64) {
        do {
            let live = try await client.send(.get, "tenants/\(tenant)/table")
            return (live.body, live.eTag.flatMap { Int64($0) } ?? 0)
        } catch let refusal as AdminClient.Refusal where refusal.code == "no_table" {
            return (.object([:]), 0)
        }
    }
}

extension JSONNode {
    /// A table with the routes of one owner and no other member.
    fileprivate func routes(of owner: String) -> JSONNode {
        .object(["routes": .array((self["routes"]?.elements ?? []).filter { $0["owner"]?.text == owner })])
    }
}
