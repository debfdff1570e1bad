import HTTPTypes
import LinkCatalog
import LinkRouting
import LinkServer
import Testing

/// Routes by a text and by a link that they match, and the revisions that changed a route.
@Suite(.timeLimit(.minutes(15)))
struct RouteSearchTests {
    @Test func routesAreFoundByTextAndByLink() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let sale =
                #"{"path": "/item/{code:alnum}", "tags": ["Spring"], "owner": "shop", "open": {"screen": "Sale"}}"#
            #expect(try await session.send(.put, "draft/routes/sale", sale).status == 201)
            for (query, ids) in [
                ("q=ITEM", ["item", "sale"]), ("q=spring", ["sale"]), ("q=shop", ["item", "sale"]),
                ("q=Post", ["blog"]),
                ("q=nothing", []), ("matches=https%3A%2F%2Fgo.acme.test%2Fitem%2F7", ["item", "sale"]),
                ("matches=https%3A%2F%2Fgo.acme.test%2Fitem%2F7x", ["sale"]),
                ("matches=acme%3A%2F%2Fblog%2Fx", ["blog"]),
                ("q=shop&matches=acme%3A%2F%2Fblog%2Fx", []), ("q=shop&limit=1", ["item"]),
                ("q=shop&limit=1&cursor=item", ["sale"]),
            ] as [(String, [String])] {
                let answer = try await session.get("draft/routes?\(query)")
                let found = answer.json?["routes"]?.elements?.map { $0["id"]?.text }
                #expect(answer.status == 200 && found == ids, "\(query): \(answer.text)")
            }
            let lines = try await session.get("draft/routes?q=spring", accept: "application/x-ndjson")
            #expect(lines.text.split(separator: "\n").count == 1)
            let wrong = try await session.get("draft/routes?matches=go.acme.test")
            #expect(wrong.status == 400 && wrong.text.contains("'matches' is no link"), "\(wrong.text)")
        }
    }

    @Test func routesAreOrderedByHits() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            for link in ["https://go.acme.test/item/7", "acme://blog/x", "acme://blog/y"] {
                #expect(try await service.resolve(#"{"url": "\#(link)"}"#).status == 200)
            }
            let answer = try await session.get("draft/routes?sort=hits")
            #expect(
                answer.json?["routes"]?.elements?.map { $0["id"]?.text } == ["blog", "item", "home"],
                "\(answer.text)"
            )
            let wrong = try await session.get("draft/routes?sort=name")
            #expect(wrong.status == 400 && wrong.text.contains("'sort' must be 'hits'"), "\(wrong.text)")
            let reader = try await AdminSession(service, scopes: [.tablesRead]) { $0.tenant = TenantID("acme") }
            #expect(try await reader.get("draft/routes?sort=hits").status == 403)
        }
    }

    @Test func aDraftTellsWhichLinksItsAssociationFilesMove() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let page = #"{"path": "/item/{id:int}", "owner": "shop", "web": "https://www.acme.test/{id}"}"#
            #expect(try await session.send(.put, "draft/routes/item", page).status == 200)
            let answer = try await session.get("association?host=go.acme.test&platform=ios&draft=main")
            let moves = answer.json?["moves"]?.elements ?? []
            #expect(answer.status == 200 && answer.json?["complete"]?.bool == true, "\(answer.text)")
            #expect(moves.contains { $0["before"]?.text == "app" && $0["after"]?.text == "browser" }, "\(answer.text)")
            let live = try await session.get("association?host=go.acme.test&platform=ios")
            #expect(live.json?["moves"] == nil && live.json?["file"] != answer.json?["file"])
            let unknown = try await session.get("association?host=go.acme.test&platform=ios&draft=other")
            #expect(unknown.status == 409, "\(unknown.text)")
        }
    }

    @Test func theRevisionsOfARouteSayWhatEachDid() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let sale = #"{"path": "/sale", "open": {"screen": "Sale"}}"#
            let item = #"{"path": "/item/{id:int}", "owner": "shop", "open": {"screen": "Other"}}"#
            #expect(try await session.send(.put, "draft/routes/sale", sale).status == 201)
            #expect(try await session.post("draft/publish").status == 201)
            #expect(try await session.send(.put, "draft/routes/item", item).status == 200)
            #expect(try await session.post("draft/publish").status == 201)
            #expect(try await session.delete("draft/routes/sale").status == 204)
            #expect(try await session.post("draft/publish").status == 201)
            for (route, changes) in [
                ("sale", ["4 removed", "2 added"]), ("item", ["3 changed", "1 added"]), ("blog", ["1 added"]),
                ("unknown", []),
            ] as [(String, [String])] {
                let answer = try await session.get("revisions?route=\(route)")
                let found = answer.json?["revisions"]?.elements?.map {
                    "\($0["revision"]?.int ?? 0) \($0["change"]?.text ?? "")"
                }
                #expect(found == changes, "\(route): \(answer.text)")
            }
            // Of the revisions of a page only.
            let page = try await session.get("revisions?route=sale&limit=2")
            #expect(page.json?["revisions"]?.elements?.count == 1 && page.json?["nextCursor"]?.text == "3")
            let next = try await session.get("revisions?route=sale&limit=2&cursor=3")
            #expect(next.json?["revisions"]?.elements?.first?["change"]?.text == "added", "\(next.text)")
        }
    }
}
