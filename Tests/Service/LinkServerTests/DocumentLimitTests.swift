import HTTPTypes
import LinkCatalog
import LinkRouting
import LinkServer
import Testing

/// Nothing is stored that cannot be read back, and no small request becomes large in memory.
@Suite(.timeLimit(.minutes(15)))
struct DocumentLimitTests {
    /// Two bytes in YAML become six in JSON.
    @Test func settingsAreMeasuredAsTheyWouldBeStored() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let text = String(repeating: #"\a"#, count: 300_000)
            let large = try await session.put("settings", yaml: "privacy: {recordTraits: [\"\(text)\"]}")
            #expect(large.status == 422 && large.code == "document_too_large", "\(large.text)")
            #expect(try await session.get("settings").json?["settingsRevision"]?.int == 1)
            // Other requests are not blocked.
            #expect(try await session.put("settings", yaml: AdminSession.settings).status == 200)
        }
    }

    /// Large bodies share their memory. One that does not fit is refused, and small ones are not affected.
    @Test func largeBodyThatDoesNotFitIsRefused() async throws {
        try await withService { service in
            _ = try await AdminSession.acme(service)
            let memory = service.dependencies.documentMemory
            let (acme, blogs) = (try #require(TenantID("acme")), try #require(TenantID("blogs")))
            let session = try await AdminSession(service) { $0.tenant = acme }
            let (own, other) = (memory.request(of: .tenant(acme)), memory.request(of: .tenant(blogs)))
            func check(note: String) async throws -> TestResponse {
                let table = #"{"routes": [{"id": "a", "path": "/a", "note": "\#(note)", "open": {"screen": "A"}}]}"#
                return try await session.send(.post, "draft/check", table)
            }
            let note = String(repeating: "x", count: 300_000)

            try own.reserve(32 << 20)
            let refused = try await check(note: note)
            #expect(refused.status == 429 && refused.code == "rate_limited", "\(refused.text)")
            #expect(refused["Retry-After"] == "5")
            own.end()

            try other.reserve(32 << 20)
            let third = memory.request(of: .server)
            try third.reserve(32 << 20)
            let busy = try await check(note: note)
            #expect(busy.status == 503 && busy.code == "busy", "\(busy.text)")
            #expect(try await check(note: "x").status == 200)
            third.end()
            #expect(try await check(note: note).status == 200)
            other.end()
        }
    }

    /// Aliases of a large text: the expanded bytes count.
    @Test func aliasesAreCountedByTheBytesThatTheyExpandTo() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let text = String(repeating: "a", count: 100_000)
            let aliases = String(repeating: ", *x", count: 1_000)
            let table = "routes: [{id: a, path: /a, open: {screen: A}, tags: [&x \"\(text)\"\(aliases)]}]"
            for path in ["draft/check", "draft/plan"] {
                let answer = try await session.send(
                    .post,
                    path,
                    table,
                    headers: [.contentType: "application/yaml"]
                )
                #expect(answer.status == 400, "\(answer.text.prefix(500))")
                #expect(answer.body.count < 10_000)
            }
            #expect(try await session.put("draft", yaml: table).status == 400)
            // A few aliases are fine.
            let honest = "routes: [{id: a, path: /a, open: &o {screen: A}}, {id: b, path: /b, open: *o}]"
            #expect(try await session.put("draft", yaml: honest).status == 200)
        }
    }

    /// A list of zeros takes one or two bytes per element to send, and fifty to read.
    @Test(arguments: ["0", "[]", "{}", #""""#])
    func valuesAreCountedWhileTheyAreRead(_ value: String) async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let values = String(repeating: value + ",", count: Document.maximumValues) + value
            let answer = try await session.post("draft/check", #"{"routes":[\#(values)]}"#)
            #expect(answer.status == 400 && answer.code == "malformed_json", "\(answer.text.prefix(300))")
            let some = String(repeating: value + ",", count: Document.maximumYAMLValues) + value
            let yaml: HTTPFields = [.contentType: "application/yaml"]
            let written = try await session.send(.post, "draft/check", "routes: [\(some)]", headers: yaml)
            #expect(written.status == 400 && written.text.contains("send JSON"), "\(written.text.prefix(300))")
        }
    }

    @Test func tableReportsAtMostAThousandErrors() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let routes = String(repeating: "0,", count: 20_000) + "0"
            let answer = try await session.post("draft/check", #"{"routes":[\#(routes)]}"#)
            #expect(answer.status == 200)
            #expect(answer.json?["findings"]?.elements?.count == 1_001)
        }
    }

    /// A route within the limit must not make the whole draft exceed it.
    @Test func draftIsMeasuredWholeAfterAnEditOfOneRoute() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let editor = try await AdminSession(service, scopes: [.tablesWrite]) {
                $0.tenant = TenantID("acme")
                $0.routes = KeyGrant.RouteLimit(owners: ["blog"], pathPrefixes: ["/blog/"])
            }
            let deep = String(repeating: "[", count: 62) + String(repeating: "]", count: 62)
            let route = #"{"owner":"blog","path":"/blog/deep","open":{"screen":"A"},"data":{"a":\#(deep)}}"#
            let written = try await editor.send(.put, "draft/routes/deep", route)
            #expect(written.status == 422 && written.code == "document_too_large", "\(written.text)")
            #expect(try await session.get("draft")["ETag"] == "\"live-1\"")
        }
    }

    @Test func draftAndMergeAreMeasuredInBytes() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            var limits = service.dependencies.limits.current
            limits.tableBytes = 4_096
            service.dependencies.limits.replace(by: limits)
            func note(_ name: String, _ draft: String) async throws -> TestResponse {
                let note = String(repeating: name, count: 1_500)
                let route = #"{"path":"/\#(name)","note":"\#(note)","open":{"screen":"A"}}"#
                return try await session.send(.put, "draft/routes/\(name)?draft=\(draft)", route)
            }
            #expect(try await note("a", "one").status == 201)
            #expect(try await note("b", "two").status == 201)
            #expect(try await note("c", "one").status == 201)
            #expect(try await note("d", "one").code == "document_too_large")
            #expect(try await session.post("draft/publish?draft=two").status == 201)
            let merge = try await session.post("draft/publish?draft=one")
            #expect(merge.status == 422 && merge.code == "document_too_large", "\(merge.text)")
            // The existing draft can be made smaller.
            #expect(try await session.delete("draft/routes/c?draft=one").status == 204)
            #expect(try await session.post("draft/publish?draft=one").status == 201)
        }
    }

    @Test func draftsOfATenantAndOfAKeyAreCounted() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let editor = try await AdminSession(service, scopes: [.tablesWrite, .tablesRead]) {
                $0.tenant = TenantID("acme")
                $0.routes = KeyGrant.RouteLimit(owners: ["blog"], pathPrefixes: ["/blog/"])
            }
            let route = #"{"owner":"blog","path":"/blog/x","open":{"screen":"A"}}"#
            for index in 0..<32 {
                #expect(try await editor.send(.put, "draft/routes/x?draft=d\(index)", route).status == 201)
            }
            let refused = try await editor.send(.put, "draft/routes/x?draft=d32", route)
            #expect(refused.status == 409 && refused.code == "too_many_drafts", "\(refused.text)")
            // Other keys still can, up to the tenant's limit.
            for index in 0..<32 {
                #expect(try await session.send(.put, "draft/routes/y?draft=e\(index)", Self.other).status == 201)
            }
            let stranger = try await AdminSession(service)
            #expect(try await stranger.send(.put, "draft/routes/y?draft=f", Self.other).code == "too_many_drafts")
            // A limited key can remove drafts that only it has written.
            #expect(try await editor.delete("draft?draft=d0").status == 204)
            #expect(try await editor.delete("draft?draft=e0").code == "forbidden")
            #expect(try await session.send(.put, "draft/routes/y?draft=d1", Self.other).status == 201)
            #expect(try await editor.delete("draft?draft=d1").code == "forbidden")
        }
    }

    @Test func suitesOfATenantAreCounted() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let suite = #"{"formatVersion":1,"cases":[]}"#
            for index in 0..<64 {
                #expect(try await session.send(.put, "suites/s\(index)", suite).status == 200)
            }
            let refused = try await session.send(.put, "suites/s64", suite)
            #expect(refused.status == 409 && refused.code == "too_many_suites", "\(refused.text)")
            // An existing suite can still be replaced, and a new one stored after another is removed.
            #expect(try await session.send(.put, "suites/s0", suite).status == 200)
            #expect(try await session.delete("suites/s0").status == 204)
            #expect(try await session.send(.put, "suites/s64", suite).status == 200)
        }
    }

    @Test func suitesOfATenantAreBoundedTogether() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let suite = #"{"formatVersion":1,"cases":[]}"#
            let large = suite + String(repeating: " ", count: 4 << 20 - suite.utf8.count)
            for index in 0..<4 {
                #expect(try await session.send(.put, "suites/s\(index)", large).status == 200)
            }
            let refused = try await session.send(.put, "suites/s4", suite)
            #expect(refused.status == 409 && refused.code == "too_many_suites", "\(refused.text)")
            #expect(try await session.send(.put, "suites/s3", suite).status == 200)
            #expect(try await session.send(.put, "suites/s4", suite).status == 200)
        }
    }

    private static let other = #"{"path":"/y","open":{"screen":"Y"}}"#

    @Test func onlyChangesAreKeptForARepeat() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let name = try #require(HTTPField.Name("Idempotency-Key"))
            for path in ["draft/check", "draft/plan", "draft/test", "draft/replay"] {
                for _ in 0..<2 {
                    let answer = try await session.post(path, "", headers: [name: "same"])
                    #expect(answer["Idempotency-Replayed"] == nil, "\(path)")
                }
            }
            let first = try await session.send(.put, "draft/routes/y", Self.other, headers: [name: "same"])
            let again = try await session.send(.put, "draft/routes/y", Self.other, headers: [name: "same"])
            #expect(first.status == 201 && again.status == 201 && again["Idempotency-Replayed"] == "true")
            #expect(first.body == again.body)
            // The file itself is streamed. A repeated request streams the same file and does not end another window.
            #expect(try await service.resolve(#"{"url":"acme://item/1"}"#).status == 200)
            let export = try await session.post("exports?download", headers: [name: "file"])
            let file = try await session.post("exports?download", headers: [name: "file"])
            #expect(export.status == 200 && file.status == 200 && export.body == file.body)
            #expect(export["Idempotency-Replayed"] == nil && file["Idempotency-Replayed"] == "true")
            #expect(try await session.get("exports").json?["exports"]?.elements?.count == 1)
        }
    }
}
