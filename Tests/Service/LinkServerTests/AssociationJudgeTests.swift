import HTTPTypes
import LinkCatalog
import LinkRouting
import LinkServer
import Testing

/// The two admin endpoints that analyse association files.
struct AssociationJudgeTests {
    private static let paths =
        #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.a","paths":["*","NOT /a"]}]}}"#

    @Test(arguments: [
        (paths, "", ["AASA-UNREACHABLE-RULE"]), ("[1]", "", ["DAL-STATEMENT"]),
        ("[1]", "?platform=ios", ["AASA-ROOT-TYPE"]),
        (#"{"target":{"namespace":"android_app"}}"#, "", ["DAL-ROOT-TYPE"]),
        ("", "", ["AASA-INVALID-JSON"]), ("{\u{0}", "", ["AASA-INVALID-JSON"]),
    ])
    func fileIsValidated(_ file: String, _ query: String, _ codes: [String]) async throws {
        try await withService { service in
            let key = try service.makeKey(scopes: [.tablesRead])
            let answer = try await service.adminPort(
                .post,
                "/admin/v1/association/validate\(query)",
                key: key,
                body: file
            )

            #expect(answer.status == 200)
            #expect(answer.json?["findings"]?.elements?.compactMap { $0["code"]?.text } == codes)
        }
    }

    @Test(arguments: [
        (#"{"url":"https://x.example/a","file":\#(paths)}"#, "match", 0),
        (#"{"url":"https://farechoice.taxi/legal/terms","tenant":"taxi"}"#, "exclude", 0),
        (#"{"url":"https://www.yourappdomain.com/home","tenant":"shop","platform":"android"}"#, "match", 5),
    ])
    func urlIsSimulated(_ body: String, _ decision: String, _ rule: Int64) async throws {
        try await withService { service in
            let key = try service.makeKey()
            let answer = try await service.adminPort(.post, "/admin/v1/association/simulate", key: key, body: body)

            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.json?["decision"]?.text == decision)
            #expect(answer.json?["rule"]?.int == rule)
        }
    }

    @Test(arguments: [
        ("{}", 400), (#"{"url":"https://x.example/a"}"#, 400), (#"{"url":"https://x.example/a","tenant":"taxi"}"#, 400),
        (#"{"url":"https://x.example/a","tenant":"nobody"}"#, 404), ("{", 400),
        (#"{"url":"u","file":{},"tenant":"taxi"}"#, 400), (#"{"url":"u","file":{},"platform":"windows"}"#, 400),
    ])
    func badQuestionIsRefused(_ body: String, _ status: Int) async throws {
        try await withService { service in
            let key = try service.makeKey()
            let answer = try await service.adminPort(.post, "/admin/v1/association/simulate", key: key, body: body)

            #expect(answer.status == status, "\(answer.text)")
            #expect(answer.json?["detail"]?.text?.isEmpty == false)
        }
    }

    @Test func keyOfAnotherTenantSeesNoTable() async throws {
        try await withService { service in
            let key = try service.makeKey(tenant: "shop", scopes: [.tablesRead])
            let body = #"{"url":"https://farechoice.taxi/","tenant":"taxi"}"#

            #expect(
                try await service.adminPort(.post, "/admin/v1/association/simulate", key: key, body: body).status == 403
            )
            #expect(
                try await service.adminPort(.post, "/admin/v1/association/validate", key: nil, body: "{}").status == 401
            )
        }
    }

    @Test func liveFileIsShownWithItsFindings() async throws {
        try await withService { service in
            let key = try service.makeKey(tenant: "shop", scopes: [.tablesRead])
            let path = "/admin/v1/tenants/shop/association"
            for (platform, served) in [("ios", "apple-app-site-association"), ("android", "assetlinks.json")] {
                let answer = try await service.adminPort(
                    .get,
                    "\(path)?host=www.yourappdomain.com&platform=\(platform)",
                    key: key
                )
                let file = try await service.publicPort(.get, "/.well-known/\(served)", host: "www.yourappdomain.com")
                #expect(answer.json?["platform"]?.text == platform && answer.json?["findings"]?.elements != nil)
                #expect(answer.json?["file"] != nil && answer.json?["file"] == file.json, "\(answer.text)")
            }
            for query in ["", "?host=x.example", "?host=www.yourappdomain.com&platform=windows", "?host=a%2Fb"] {
                #expect(try await service.adminPort(.get, path + query, key: key).code == "invalid_request", "\(query)")
            }
        }
    }

    @Test func bodyOverAMebibyteIsRefused() async throws {
        try await withService { service in
            let key = try service.makeKey()
            let body = String(repeating: " ", count: (1 << 20) + 1)

            #expect(
                try await service.adminPort(.post, "/admin/v1/association/validate", key: key, body: body).status == 413
            )
        }
    }
}
