import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkStorage
import Testing

/// Exports windows again by name over the admin port.
@Suite(.timeLimit(.minutes(15)))
struct ExportAgainTests {
    private static let exports = "/admin/v1/tenants/shop/exports"

    private func path(_ manifest: JSONNode?) throws -> String {
        Self.exports + (try #require(manifest?["name"]?.text)).dropFirst("tenant=shop".count)
    }

    @Test func windowIsExportedAgainByItsName() async throws {
        try await withService { service in
            let key = try service.makeKey(tenant: "shop", scopes: [.exportsRead])
            _ = try await service.resolve(#"{"url":"yourapp://product/1"}"#)
            let first = try await service.adminPort(.post, Self.exports, key: key)
            let again = try await service.adminPort(.post, try path(first.json), key: key)
            #expect(again.status == 200)
            #expect(again.json == first.json && again.json?["version"]?.int == 1)

            let unknown = try await service.adminPort(
                .post,
                Self.exports + "/dt=2020-01-01/hour=00/events-20200101T010000.000Z",
                key: key
            )
            #expect(unknown.status == 404)
            #expect(unknown.json?["code"]?.text == "unknown_export")
        }
    }

    @Test func windowOfDroppedRowsIsGone() async throws {
        try await withService { service in
            let key = try service.makeKey()
            _ = try await service.resolve(#"{"url":"yourapp://product/1"}"#)
            let first = try await service.adminPort(.post, Self.exports, key: key)
            service.clock.advance(seconds: 86_400)
            _ = try await service.resolve(#"{"url":"yourapp://product/2"}"#)
            try await service.log.closeFinishedDays()
            try await service.log.drop(try await service.log.retainedRows(), at: service.clock.now)

            let again = try await service.adminPort(.post, try path(first.json), key: key)

            #expect(again.status == 410)
            #expect(again.json?["code"]?.text == "window_gone")
            // Existing exports are kept.
            let list = try await service.adminPort(.get, Self.exports, key: key)
            #expect(list.json?["exports"]?.elements == first.json.map { [$0] })
        }
    }

    @Test func manifestOfAnotherServerIsAConflict() async throws {
        try await withService { service in
            let key = try service.makeKey()
            _ = try await service.resolve(#"{"url":"yourapp://product/1"}"#)
            let first = try await service.adminPort(.post, Self.exports, key: key)
            let name = try #require(first.json?["name"]?.text)
            let sink = DirectoryExportSink(directory: service.directory + "/exports")
            let text = first.text.replacing("\"firstSeq\": 1", with: "\"firstSeq\": 2")
            try await sink.write(Array(text.utf8), to: name + ".manifest.json", over: .allowed)

            let again = try await service.adminPort(.post, try path(first.json), key: key)

            #expect(again.status == 409)
            #expect(again.json?["code"]?.text == "export_conflict")
        }
    }

    /// A key with read access cannot fill the sink and the ledger with repeated requests.
    @Test func exportOfNothingNewIsNotStored() async throws {
        try await withService { service in
            let key = try service.makeKey(tenant: "shop", scopes: [.exportsRead])
            _ = try await service.resolve(#"{"url":"yourapp://product/1"}"#)
            #expect(try await service.adminPort(.post, Self.exports, key: key).status == 201)
            for _ in 1...3 {
                let empty = try await service.adminPort(.post, Self.exports, key: key)
                #expect(empty.status == 200 && empty.json?["rows"]?.int == 0)
                #expect(try await service.adminPort(.post, Self.exports + "?download", key: key).status == 204)
            }
            let list = try await service.adminPort(.get, Self.exports, key: key)
            #expect(list.json?["exports"]?.elements?.count == 1)
        }
    }
}
