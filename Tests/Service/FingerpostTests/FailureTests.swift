import Foundation
import LinkCatalog
import LinkRouting
import Networking
import Testing
import fingerpost

/// What a command prints on standard error, and its exit code.
struct FailureTests {
    @Test func refusalListsItsFindingsAndConflicts() throws {
        let body = try JSONReader.parse(
            """
            {"code":"conflict","detail":"The draft conflicts.","findings":[{"severity":"error","message":"Wrong."}],
             "suiteFailures":[{"suite":"s","line":2,"link":"acme://x","expected":"route","difference":"none"}],
             "conflicts":[{"kind":"route","subject":"a","base":null,"live":{"id":"a"},"draft":{"id":"b"}}]}
            """,
            limits: JSONReader.Limits(maximumBytes: 4_096)
        )
        let failure = AdminClient.Refusal(status: 412, body: body).failure
        #expect(failure.status == .failed)
        #expect(
            failure.lines == [
                "fingerpost: The draft conflicts.", "  error: Wrong.", "  suite 's', line 2: acme://x: route: none",
                "  route 'a'",
                "    base: null", #"    live: {"id":"a"}"#, #"    draft: {"id":"b"}"#,
            ]
        )
    }

    /// The detail of the server names a header field; a person gives a key with an option.
    @Test(arguments: [
        (401, "missing_key", "Use --key or FINGERPOST_KEY."), (401, "invalid_key", "with another key."),
        (403, "forbidden", "'fingerpost keys list' shows what each may do."),
        (403, "explain_forbidden", "with a key that has the scope 'explain'."),
        (409, "conflict", "Send 'Authorization: Bearer fp_…'."),
    ])
    func refusedKeyNamesTheOption(_ status: Int, _ code: String, _ end: String) {
        let body = JSONNode.object(["detail": .string("Send 'Authorization: Bearer fp_…'."), "code": .string(code)])
        let text = ServerRefusal(status: status, body: body).text
        #expect(text.hasSuffix(end))
        #expect(status == 409 || text.contains("--key or FINGERPOST_KEY"))
        #expect(code != "missing_key" || !text.contains("Authorization"))
    }

    /// A command may send several requests, each of which needs another scope.
    @Test(
        arguments: [
            ([], "lacks the scopes 'tables:read', 'tables:write' and 'publish'."),
            (["tables:read"], "lacks the scopes 'tables:write' and 'publish'."),
            (["publish", "tables:read"], "lacks the scope 'tables:write'."),
        ] as [([String], String)]
    )
    func missingScopesOfACommandAreNamedTogether(_ granted: [String], _ missing: String) {
        let body = JSONNode.object([
            "detail": .string("This key lacks the scope 'tables:write'."), "code": .string("forbidden"),
            "keyScopes": .array(granted.map(JSONNode.string)),
        ])
        let needs = KeyNeeds([.tablesRead, .tablesWrite, .publish])
        let text = ServerRefusal(status: 403, body: body, tenant: "acme", needs: needs).text
        #expect(text.contains(missing), "\(text)")
        let advice = "--tenant acme --scope tables:read --scope tables:write --scope publish' creates one"
        #expect(text.contains(advice), "\(text)")
        let single = ServerRefusal(status: 403, body: body, tenant: "acme").text
        #expect(single.hasPrefix("This key lacks the scope 'tables:write'."), "\(single)")
        let created = JSONNode.object(["detail": .string("'fingerpost keys create --scope publish' creates one.")])
        let command = ServerRefusal(status: 403, body: created, tenant: "acme").text
        #expect(command.hasPrefix("'fingerpost keys create --data DIR --tenant acme --scope publish'"), "\(command)")
    }

    /// A key for one tenant can be created only if the server has the tenant.
    @Test(
        arguments: [
            (
                KeyNeeds([.tablesWrite, .publish], owner: "blog", tenant: .exists),
                "'fingerpost keys create --data DIR --tenant acme --scope tables:write --scope publish --owner blog'",
                false
            ),
            (
                KeyNeeds([.publish], owner: "Jane's; rm -rf", tenant: .exists),
                #"'fingerpost keys create --data DIR --tenant acme --scope publish --owner 'Jane'\''s; rm -rf''"#, false
            ),
            (KeyNeeds([.publish], owner: "-x", tenant: .exists), "--scope publish --owner=-x'", false),
            (
                KeyNeeds([.publish], tenant: .mayBeNew),
                "'fingerpost keys create --data DIR --tenant acme --scope publish' creates one", true
            ),
            (
                KeyNeeds([.admin], tenant: .isNew),
                "A new tenant needs a key for all tenants with the scope 'admin', and this key lacks the scope", true
            ),
        ] as [(KeyNeeds, String, Bool)]
    )
    func adviceOnScopesIsACommandThatWorks(_ needs: KeyNeeds, _ part: String, _ isForAllTenants: Bool) {
        let body = JSONNode.object(["code": .string("forbidden"), "keyScopes": .array([])])
        let text = ServerRefusal(status: 403, body: body, tenant: "acme", needs: needs).text
        #expect(text.contains(part), "\(text)")
        #expect(text.contains("'fingerpost keys create --data DIR --scope admin'") == isForAllTenants, "\(text)")
    }

    @Test func refusedChangeEndsWithTheLineThatNothingWasChanged() async throws {
        func lines(_ status: Int, _ detail: String) async -> [String] {
            do {
                try await reportingRefusalsOfChanges {
                    throw AdminClient.Refusal(status: status, body: .object(["detail": .string(detail)]))
                }
                return []
            } catch {
                return (error as? CommandFailure)?.lines ?? []
            }
        }
        #expect(await lines(409, "A conflict.") == ["fingerpost: A conflict.", "Nothing was changed."])
        // The detail says it already.
        #expect(await lines(422, "Errors; nothing was changed.") == ["fingerpost: Errors; nothing was changed."])
        // A command may refuse before it sends the change.
        let early = await #expect(throws: CommandFailure.self) {
            try await reportingRefusalsOfChanges { () async throws -> Void in throw fail("a conflict.", .failed) }
        }
        #expect(early?.lines == ["fingerpost: a conflict.", "Nothing was changed."])
        // After an error of the server, the result is unknown.
        #expect(await lines(503, "Full.") == ["fingerpost: Full."])
    }

    @Test func refusalWithoutADetailNamesItsStatus() {
        let failure = AdminClient.Refusal(status: 502, body: .null).failure
        #expect(failure.lines == ["fingerpost: the server responded with 502"])
    }

    /// A request that is sent fails, because nothing listens there.
    @Test(
        arguments: [
            (.get, "keys", true), (.get, "audit", true), (.get, "tenants", true), (.delete, "tenants/acme", true),
            (.post, "tenants/acme/archive", true), (.post, "tenants/acme/erasures", true),
            (.get, "tenants/acme/retention", true), (.put, "tenants/acme/suites/a", true),
            (.get, "tenants/acme/short-links/a", true), (.get, "tenants/acme/suites/a", false),
            (.get, "tenants/acme/settings", false),
            (.get, "tenants/acme/events/7/explain", false),
        ] as [(OutboundHTTP.Method, String, Bool)]
    )
    func environmentIsRefusedWhereNoneApplies(
        _ method: OutboundHTTP.Method,
        _ path: String,
        _ isRefused: Bool
    ) async {
        let client = AdminClient(server: "http://127.0.0.1:1", key: "k", environment: "staging")
        let failure = await #expect(throws: CommandFailure.self) { try await client.send(method, path) }
        #expect(failure?.status == (isRefused ? .invalidUsage : .unavailable))
        #expect(failure?.lines.first?.contains("remove --environment: ") == isRefused)
    }

    /// Nobody wrote the body that a command composes, so a place in it is left out.
    @Test func placeInAComposedBodyIsLeftOut() async {
        let detail = "line 1, column 9: keep: 0 is wrong."
        let client = AdminClient { _, _, _, _ in
            AdminClient.Response(status: 400, bytes: Array("{\"detail\": \"\(detail)\"}".utf8))
        }
        let composed = await #expect(throws: AdminClient.Refusal.self) {
            try await client.send(.post, "tenants/acme/revisions/prune", json: .object([:]))
        }
        #expect(composed?.failure.lines == ["fingerpost: keep: 0 is wrong."])
        let written = await #expect(throws: AdminClient.Refusal.self) {
            try await client.send(.put, "tenants/acme/suites/a", body: [])
        }
        #expect(written?.failure.lines == ["fingerpost: \(detail)"])
    }

    @Test func serverThatDoesNotRespondIsSixtyNine() async {
        let client = AdminClient(server: "http://127.0.0.1:1", key: "k", environment: nil)
        let failure = await #expect(throws: CommandFailure.self) { try await client.send(.get, "keys") }
        #expect(failure?.status == .unavailable)
    }

    @Test(arguments: ["acme.com:0x", "a b", "acme.com:99999", "acme.com:1:2", ""])
    func textThatIsNoDomainIsSixtyFive(_ text: String) {
        let failure = #expect(throws: CommandFailure.self) { try DoctorTarget(text) }
        #expect(failure?.status == .unreadableInput)
    }

    @Test(arguments: [
        ("www.acme.com", "www.acme.com", nil as UInt16?, false, "acme.com" as String?),
        ("acme.com", "acme.com", nil, false, "www.acme.com"), ("*.acme.com", "acme.com", nil, true, "www.acme.com"),
        ("links.acme.com:8443", "links.acme.com", 8443, false, nil),
        ("bücher.example", "xn--bcher-kva.example", nil, false, "www.xn--bcher-kva.example"),
    ])
    func domainHasItsTwin(_ text: String, _ host: String, _ port: UInt16?, _ isWildcard: Bool, _ twin: String?) throws {
        let target = try DoctorTarget(text)
        #expect(target.host == host)
        #expect(target.port == port)
        #expect(target.isWildcard == isWildcard)
        #expect(target.twin == twin)
    }
}
