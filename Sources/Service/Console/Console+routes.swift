import Foundation
import LinkCatalog
import LinkRouting

/// *Routes*: those of a draft, and one of them as YAML.
extension Console {
    @Sendable func routes(_ visit: Visit) async throws -> [String: any Sendable] {
        var values = try await visit.answers([
            "counts": visit.target("/stats/top/route", ["environment": visit.environment, "limit": "1000"])
        ])
        let list = try await visit.get(
            visit.target(
                "/draft/routes",
                [
                    "q": visit.field("q"), "matches": visit.field("link"), "cursor": visit.field("cursor"),
                    "sort": visit.field("sort"), "environment": visit.environment, "draft": visit.draft,
                ]
            )
        )
        let top = (values["counts"] as? ShownJSON)?.object["top"]?.elements ?? []
        let hits = Dictionary(top.map { ($0["value"]?.text ?? "", $0["count"]?.int ?? 0) }) { first, _ in first }
        let rows = list["routes"]?.elements ?? []
        values["hasRoutes"] = !rows.isEmpty
        values["rows"] = rows.map { route in
            [
                "route": route.shown ?? "", "pattern": PathPart.parts(ofPattern: route["path"]?.text ?? ""),
                "screen": (route["open"]?["screen"] ?? route["web"] ?? route["follow"])?.text ?? "",
                "count": hits[route["id"]?.text ?? ""].map(String.init) ?? "",
            ] as [String: any Sendable]
        }
        values["nextPage"] = list["nextCursor"]?.text.map { cursor in
            visit.place(
                "/routes",
                ["q": visit.field("q"), "link": visit.field("link"), "sort": visit.field("sort"), "cursor": cursor]
                    + visit.draftItems
            )
        }
        values["byHits"] = visit.place(
            "/routes",
            ["q": visit.field("q"), "link": visit.field("link"), "sort": "hits"] + visit.draftItems
        )
        values["drafts"] = try await visit.get(visit.target("/drafts", ["environment": visit.environment])).shown
        return values
    }

    // MARK: One route

    @Sendable func route(_ visit: Visit) async throws -> [String: any Sendable] {
        let id = visit.parameter("route")
        let stored = try await visit.send(
            "GET",
            visit.target("/draft/routes/\(id.percentEncodedPart)", visit.draftItems)
        )
        let route = try stored.json
        let text = try Document.yaml(route)
        var values = try await visit.answers([
            "history": visit.target("/revisions", ["route": id, "limit": "20", "environment": visit.environment])
        ])
        values["id"] = id
        values["pattern"] = PathPart.parts(ofPattern: route["path"]?.text ?? "")
        values["stored"] = text
        values["version"] = stored.unquotedVersion
        values["form"] = ["text": text, "version": stored.unquotedVersion]
        // The live table has been checked.
        if !stored.unquotedVersion.hasPrefix("live-") {
            let check = try await visit.ask("POST", visit.target("/draft/check", visit.draftItems))
            let own = (check["findings"]?.elements ?? []).filter { $0["route"]?.text == id }
            values["own"] = own.map { $0.shown ?? "" } as [any Sendable]
            values["hasErrors"] = own.contains { $0["severity"]?.text == "error" }
        }
        if visit.query["replay"] != nil { values["replay"] = try await replay(visit, of: id) }
        return values
    }

    /// The form for a new route; `?pattern=`, `?id=` and `?follow=` suggest one, and `?like=` names a route whose screen it is to open.
    @Sendable func newRoute(_ visit: Visit) async throws -> [String: any Sendable] {
        var members: [JSONNode.Member] = [
            JSONNode.Member("id", .string(visit.field("id") ?? "item")),
            JSONNode.Member("path", .string(visit.field("pattern") ?? "/item/{id:int}")),
        ]
        var values: [String: any Sendable] = ["isNew": true]
        if let like = visit.field("like") {
            do {
                let target = visit.target("/draft/routes/\(like.percentEncodedPart)", visit.draftItems)
                let route = try await visit.get(target)
                members += (route.members ?? []).filter { ["owner", "tags"].contains($0.key) }
                // Other members may use parameters that the new pattern does not have.
                route["open"]?["screen"].map { members.append(JSONNode.Member("open", .object(["screen": $0]))) }
            } catch let refusal as RefusedRequest {
                values["mistake"] = refusal.detail
            }
        }
        if let follow = visit.field("follow") { members.append(JSONNode.Member("follow", .string(follow))) }
        if members.count == 2 { members.append(JSONNode.Member("open", .object(["screen": .string("Item")]))) }
        values["form"] = ["text": try Document.yaml(JSONNode(.object(members))), "version": ""]
        return values
    }

    @Sendable func saveRoute(_ visit: Visit) async throws -> ConsoleAnswer {
        let text = visit.form["text"] ?? ""
        var id = visit.parameter("route")
        if id.isEmpty {
            // The admin API reads the whole text, of keys that may write.
            guard let written = text.prefix(4_096).firstMatch(of: #/(?:^|[\n{,])[ ]*"?id"?:[ ]*"?([\w.\-]+)/#)?.output.1
            else {
                throw RefusedRequest(422, "The text needs a line with the id of the route, such as 'id: item'.")
            }
            id = String(written)
            // A route of this name must not be replaced by a new one.
            let target = visit.target("/draft/routes/\(id.percentEncodedPart)", visit.draftItems)
            if (try? await visit.get(target)) != nil {
                throw RefusedRequest(409, "There is a route '\(id)' already; write another id.")
            }
        }
        _ = try await visit.send(
            "PUT",
            visit.target(
                "/draft/routes/\(id.percentEncodedPart)",
                ["before": visit.field("before")] + visit.draftItems
            ),
            ("application/yaml", text),
            ifMatch: visit.field("version")
        )
        return .redirect(to: visit.place("/routes/edit/\(id.percentEncodedPart)", ["saved": "yes"] + visit.draftItems))
    }

    /// Removes a route from the draft, and shows the form that puts it back where it was.
    @Sendable func removeRoute(_ visit: Visit) async throws -> ConsoleAnswer {
        let id = visit.parameter("route")
        let target = visit.target("/draft/routes/\(id.percentEncodedPart)", visit.draftItems)
        let text = try Document.yaml(try await visit.get(target))
        let rest = try await visit.get(
            visit.target("/draft/routes", ["limit": "1", "cursor": id] + visit.draftItems)
        )
        _ = try await visit.send("DELETE", target, ifMatch: visit.field("version"))
        var values = try await routes(visit)
        values["removed"] =
            ["id": id, "text": text, "before": rest["routes"]?.elements?.first?["id"]?.text ?? ""]
            as [String: any Sendable]
        return .page("routes", values)
    }

    /// Links that would change in the same way, each with what it opens now and then.
    private static func shown(change: JSONNode) -> [String: any Sendable] {
        func target(_ destination: JSONNode?) -> String {
            let keys = ["screen", "uri", "web", "store"].compactMap { destination?[$0]?.text }
            return keys.isEmpty ? "nothing" : keys.prefix(2).joined(separator: " ")
        }
        return [
            "change": change.shown ?? "",
            "differs": (change["differs"]?.elements ?? []).compactMap(\.text).joined(separator: ", "),
            "samples": (change["samples"]?.elements ?? []).map {
                ["link": $0["link"]?.text ?? "", "before": target($0["from"]), "after": target($0["to"])]
            },
        ]
    }

    /// What the draft would change for recorded links of the last day; of all of them or of those of one route.
    func replay(_ visit: Visit, of route: String? = nil) async throws -> any Sendable {
        let answer = try await visit.ask(
            "POST",
            visit.target("/draft/replay", visit.draftItems),
            .object(["limit": .int(route == nil ? 100_000 : 20_000)])
        )
        let changes = (answer["changes"]?.elements ?? []).filter { change in
            route == nil || [change["from"], change["to"]].contains { $0?["route"]?.text == route }
        }
        return [
            "answer": answer.shown ?? "", "hasHidden": answer["hidden"]?.members?.isEmpty == false,
            "changes": changes.map(Self.shown(change:)),
        ] as [String: any Sendable]
    }
}
