import Foundation
import LinkRouting
import TestSupport
import Testing

/// Invalid requests get the documented status and code and change nothing.
@Suite(.timeLimit(.minutes(15)))
struct BadInputTests {
    struct Case: CustomTestStringConvertible {
        let name: String
        let method: String
        let path: String
        var host = "localhost"
        var key = Key.demo
        var headers: [String: String] = [:]
        var body = ""
        let status: Int
        let code: String

        var testDescription: String { name }
    }

    enum Port { case `public`, admin }
    enum Key { case demo, none, foreign, garbled }

    static let publicCases = [
        Case(
            name: "malformed JSON",
            method: "POST",
            path: "/resolve",
            body: #"{"url":"#,
            status: 400,
            code: "malformed_json"
        ),
        Case(name: "no body", method: "POST", path: "/resolve", status: 400, code: "malformed_json"),
        Case(
            name: "wrong type",
            method: "POST",
            path: "/resolve",
            body: #"{"url":17}"#,
            status: 400,
            code: "invalid_request"
        ),
        Case(
            name: "neither url nor links",
            method: "POST",
            path: "/resolve",
            body: "{}",
            status: 400,
            code: "invalid_request"
        ),
        Case(
            name: "two subjects",
            method: "POST",
            path: "/resolve",
            body: #"{"url":"a:b","links":["a:b"]}"#,
            status: 400,
            code: "invalid_request"
        ),
        Case(
            name: "unknown platform",
            method: "POST",
            path: "/resolve",
            body: #"{"url":"yourapp://home","context":{"platform":"symbian"}}"#,
            status: 400,
            code: "invalid_request"
        ),
        Case(
            name: "17 KiB for one link",
            method: "POST",
            path: "/resolve",
            body: #"{"url":"yourapp://\#(String(repeating: "x", count: 17 << 10))"}"#,
            status: 413,
            code: "body_too_large"
        ),
        Case(
            name: "more than 256 KiB",
            method: "POST",
            path: "/resolve",
            body: String(repeating: " ", count: 300_000),
            status: 413,
            code: "body_too_large"
        ),
        Case(
            name: "101 links",
            method: "POST",
            path: "/resolve",
            body: #"{"links":[\#(Array(repeating: #""yourapp://home""#, count: 101).joined(separator: ","))]}"#,
            status: 400,
            code: "invalid_request"
        ),
        Case(
            name: "a continuation that was not made here",
            method: "POST",
            path: "/resolve",
            body: #"{"continuation":"AQAAAA"}"#,
            status: 400,
            code: "continuation_invalid"
        ),
        Case(
            name: "deep nesting",
            method: "POST",
            path: "/resolve",
            body: String(repeating: "[", count: 10_000),
            status: 400,
            code: "malformed_json"
        ),
        Case(
            name: "a key that is none",
            method: "POST",
            path: "/resolve",
            key: .garbled,
            body: #"{"url":"yourapp://home"}"#,
            status: 401,
            code: "invalid_key"
        ),
        Case(
            name: "unknown host's association file",
            method: "GET",
            path: "/.well-known/apple-app-site-association",
            host: "nobody.example",
            status: 404,
            code: "unknown_host"
        ),
        Case(
            name: "click on an unknown host",
            method: "GET",
            path: "/x",
            host: "nobody.example",
            status: 404,
            code: "unknown_host"
        ),
        Case(
            name: "click on a website's host",
            method: "GET",
            path: "/x",
            host: "farechoice.taxi",
            status: 404,
            code: "unknown_host"
        ),
        Case(
            name: "reserved path",
            method: "GET",
            path: "/.well-known/other",
            host: "go.yourappdomain.com",
            status: 404,
            code: "not_found"
        ),
        Case(name: "host with a user", method: "GET", path: "/x", host: "a@b", status: 404, code: "unknown_host"),
        Case(name: "unknown endpoint", method: "POST", path: "/other", status: 404, code: "not_found"),
    ]

    static let adminCases = [
        Case(
            name: "missing key",
            method: "PUT",
            path: "/admin/v1/tenants/shop/draft",
            key: .none,
            body: #"{"routes":[]}"#,
            status: 401,
            code: "missing_key"
        ),
        Case(
            name: "garbled key",
            method: "PUT",
            path: "/admin/v1/tenants/shop/draft",
            key: .garbled,
            body: #"{"routes":[]}"#,
            status: 401,
            code: "invalid_key"
        ),
        Case(
            name: "key of another tenant",
            method: "PUT",
            path: "/admin/v1/tenants/shop/draft",
            key: .foreign,
            body: #"{"routes":[]}"#,
            status: 403,
            code: "forbidden"
        ),
        Case(
            name: "key without the scope",
            method: "PUT",
            path: "/admin/v1/tenants/taxi/settings",
            key: .foreign,
            body: "{}",
            status: 403,
            code: "forbidden"
        ),
        Case(
            name: "unknown tenant",
            method: "PUT",
            path: "/admin/v1/tenants/nobody/draft",
            body: #"{"routes":[]}"#,
            status: 404,
            code: "unknown_tenant"
        ),
        Case(
            name: "tenant that is no id",
            method: "GET",
            path: "/admin/v1/tenants/Sh%20op/draft",
            status: 404,
            code: "unknown_tenant"
        ),
        Case(
            name: "malformed table",
            method: "PUT",
            path: "/admin/v1/tenants/shop/draft",
            body: "{",
            status: 400,
            code: "malformed_json"
        ),
        Case(
            name: "unknown field in a table",
            method: "PUT",
            path: "/admin/v1/tenants/shop/draft",
            body: #"{"routes":[{"id":"a","path":"/a","opne":{"screen":"A"}}]}"#,
            status: 422,
            code: "invalid_table"
        ),
        Case(
            name: "broken pattern",
            method: "PUT",
            path: "/admin/v1/tenants/shop/draft",
            body: #"{"routes":[{"id":"a","path":"/{x...}/b"}]}"#,
            status: 422,
            code: "invalid_table"
        ),
        Case(
            name: "unknown field in a route",
            method: "PUT",
            path: "/admin/v1/tenants/shop/draft/routes/a",
            body: #"{"path":"/a","pathh":"/b"}"#,
            status: 422,
            code: "invalid_table"
        ),
        Case(
            name: "another id in the body",
            method: "PUT",
            path: "/admin/v1/tenants/shop/draft/routes/a",
            body: #"{"id":"b","path":"/a"}"#,
            status: 400,
            code: "invalid_request"
        ),
        Case(
            name: "before a route that is not there",
            method: "PUT",
            path: "/admin/v1/tenants/shop/draft/routes/a?before=nobody",
            body: #"{"path":"/a"}"#,
            status: 404,
            code: "unknown_route"
        ),
        Case(
            name: "removing a route that is not there",
            method: "DELETE",
            path: "/admin/v1/tenants/shop/draft/routes/nobody",
            status: 404,
            code: "unknown_route"
        ),
        Case(
            name: "another tenant's domain",
            method: "PUT",
            path: "/admin/v1/tenants/thief/settings",
            body: #"{"domains":["farechoice.taxi"]}"#,
            status: 409,
            code: "domain_taken"
        ),
        Case(
            name: "another tenant's scheme",
            method: "PUT",
            path: "/admin/v1/tenants/thief/settings",
            body: #"{"schemes":["yourapp"]}"#,
            status: 409,
            code: "scheme_taken"
        ),
        Case(
            name: "a scheme of the system",
            method: "PUT",
            path: "/admin/v1/tenants/thief/settings",
            body: #"{"schemes":["javascript"]}"#,
            status: 422,
            code: "invalid_settings"
        ),
        Case(
            name: "unknown setting",
            method: "PUT",
            path: "/admin/v1/tenants/shop/settings",
            body: #"{"domain":[]}"#,
            status: 422,
            code: "invalid_settings"
        ),
        Case(
            name: "time zone that does not exist",
            method: "PUT",
            path: "/admin/v1/tenants/shop/settings",
            body: #"{"export":{"schedule":"daily","at":"02:00","zone":"Mars/Olympus"}}"#,
            status: 422,
            code: "invalid_settings"
        ),
        Case(
            name: "settings that break the live table",
            method: "PUT",
            path: "/admin/v1/tenants/shop/settings",
            body: "{}",
            status: 422,
            code: "invalid_table"
        ),
        Case(
            name: "stale write",
            method: "PUT",
            path: "/admin/v1/tenants/shop/draft",
            headers: ["If-Match": #""77""#],
            body: #"{"routes":[]}"#,
            status: 412,
            code: "stale"
        ),
        Case(
            name: "environment that does not exist",
            method: "GET",
            path: "/admin/v1/tenants/shop/draft?environment=Mo%20on",
            status: 400,
            code: "invalid_request"
        ),
        Case(
            name: "revision that does not exist",
            method: "GET",
            path: "/admin/v1/tenants/shop/revisions/99/table",
            status: 404,
            code: "unknown_revision"
        ),
        Case(
            name: "export outside the folder",
            method: "GET",
            path: "/admin/v1/tenants/shop/exports/../../../../etc/passwd",
            status: 404,
            code: "unknown_export"
        ),
        Case(
            name: "export outside the folder, escaped",
            method: "GET",
            path: "/admin/v1/tenants/shop/exports/%2e%2e/tenant=taxi/x",
            status: 404,
            code: "unknown_export"
        ),
    ]

    @Test func everyMistakeGetsItsStatusAndCodeAndChangesNothing() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory, log: "critical")
            defer { server.killNow() }
            let demo = try #require(server.key)
            let made = try run(
                RunningServer.products.appending(path: "fingerpost").path,
                "keys",
                "create",
                "--data",
                directory,
                "--name",
                "taxi",
                "--tenant",
                "taxi",
                "--scope",
                "tables:write"
            )
            let foreign = String(decoding: made.output, as: UTF8.self).filter { !$0.isNewline }
            let before = try state(of: server, demo)
            for (port, cases) in [(server.publicPort, Self.publicCases), (server.adminPort, Self.adminCases)] {
                for one in cases {
                    var headers = one.headers
                    switch one.key {
                    case .demo: if port == server.adminPort { headers["Authorization"] = "Bearer \(demo)" }
                    case .none: break
                    case .foreign: headers["Authorization"] = "Bearer \(foreign)"
                    case .garbled: headers["Authorization"] = "Bearer \(demo.dropLast(3))AAA"
                    }
                    let answer = try HTTPConnection(port: port).request(
                        one.method,
                        one.path,
                        host: one.host,
                        headers: headers,
                        body: one.body
                    )
                    let node = try? JSONReader.parse(answer.body, limits: JSONReader.Limits(maximumBytes: 1 << 20))
                    #expect(answer.status == one.status, "\(one.name): \(answer.text)")
                    #expect(node?["code"]?.text == one.code, "\(one.name): \(answer.text)")
                    #expect(node?["status"]?.int == Int64(one.status), "\(one.name)")
                    #expect(node?["detail"]?.text?.isEmpty == false, "\(one.name)")
                    #expect(node?["requestId"]?.text?.isEmpty == false, "\(one.name)")
                }
            }
            #expect(try state(of: server, demo) == before)
        }
    }

    @Test func unknownFieldsOfAResolutionAreNamedAndIgnored() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory)
            defer { server.killNow() }
            let answer = try HTTPConnection(port: server.publicPort).request(
                "POST",
                "/resolve",
                body: #"{"url":"yourapp://home","colour":"red","context":{"mood":"fine"}}"#
            )
            #expect(answer.status == 200)
            let node = try JSONReader.parse(answer.body, limits: JSONReader.Limits(maximumBytes: 1 << 20))
            #expect(node["outcome"]?.text == "matched")
            #expect(
                node["warnings"]?.elements?.compactMap(\.text) == [
                    "colour is not known and was ignored.", "context.mood is not known and was ignored.",
                ]
            )
        }
    }

    /// The state of the whole server: tenants, settings, tables, revisions and recorded events, as texts.
    private func state(of server: RunningServer, _ key: String) throws -> [String] {
        let connection = try HTTPConnection(port: server.adminPort)
        let paths =
            ["/admin/v1/tenants"]
            + ["shop", "taxi"].flatMap { tenant in
                ["settings", "table", "revisions"].map { "/admin/v1/tenants/\(tenant)/\($0)" }
            }
        let answers = try paths.map { path in
            try connection.request("GET", path, headers: ["Authorization": "Bearer \(key)"]).text
        }
        return answers + (try ExportedRows("shop", of: server, key: key).requestIDs)
    }
}
