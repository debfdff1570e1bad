import AppAssociation
import LinkRouting
import Testing

/// Responses in the form of Google's Digital Asset Links API.
struct GoogleResponseTests {
    private static let one = Array(repeating: "1B", count: 32).joined(separator: ":")
    private static let two = Array(repeating: "2C", count: 32).joined(separator: ":")

    private static func file(_ fingerprints: String...) -> [UInt8] {
        Array(
            """
            [{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app",\
            "package_name":"com.acme","sha256_cert_fingerprints":["\(fingerprints.joined(separator: "\",\""))"]}}]
            """.utf8
        )
    }

    private static func list(_ fingerprints: String...) -> String {
        let statements = fingerprints.map { fingerprint in
            """
            {"source":{"web":{"site":"https://www.acme.com."}},"relation":"delegate_permission/common.handle_all_urls",\
            "target":{"androidApp":{"packageName":"com.acme","certificate":{"sha256Fingerprint":"\(fingerprint)"}}}}
            """
        }
        return #"{"statements":[\#(statements.joined(separator: ","))],"maxAge":"599.9s","debugString":"ok"}"#
    }

    private func codes(_ status: Int, _ body: String, served: [UInt8]?, published: [UInt8]? = nil) -> [String] {
        GoogleResponse(status: status, body: Array(body.utf8)).findings(served: served, published: published)
            .map(\.code.rawValue)
    }

    @Test func listIsComparedWithTheFile() {
        #expect(codes(200, Self.list(Self.one), served: Self.file(Self.one)).isEmpty)
        #expect(codes(200, Self.list(Self.one), served: Self.file(Self.one, Self.two)) == ["DAL-GOOGLE-DIFFERS"])
        #expect(codes(200, Self.list(Self.one, Self.two), served: Self.file(Self.one)) == ["DAL-GOOGLE-DIFFERS"])
        // The published file is what the host should serve.
        #expect(
            codes(200, Self.list(Self.one), served: Self.file(Self.one), published: Self.file(Self.two))
                == ["DAL-GOOGLE-DIFFERS", "DAL-GOOGLE-DIFFERS"]
        )
    }

    @Test func errorOfGoogleIsQuotedInOneLine() throws {
        let body =
            #"{"maxAge":"60s","debugString":"Error: unavailable:\nHTTP 404","errorCode":["ERROR_CODE_FETCH_ERROR"]}"#
        let answer = GoogleResponse(status: 200, body: Array(body.utf8))
        let finding = try #require(answer.findings(served: nil, published: nil).first)
        #expect(finding.code == .googleError && finding.severity == .error)
        #expect(finding.message.contains("FETCH_ERROR: 'Error: unavailable: HTTP 404'"), "\(finding.message)")
    }

    @Test(arguments: [
        (429, #"{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED"}}"#, "Quota exceeded"),
        (503, "", "status 503"), (200, "<html>", "not JSON"), (200, "[]", "not JSON"),
    ])
    func missingAnswerIsNoFault(_ status: Int, _ body: String, _ reason: String) throws {
        let findings = GoogleResponse(status: status, body: Array(body.utf8)).findings(
            served: Self.file(Self.one),
            published: nil
        )
        #expect(findings.map(\.code) == [.googleUnanswered] && findings.first?.severity == .info)
        #expect(findings.first?.message.contains(reason) == true)
    }

    @Test func checkSaysWhetherAnAppIsLinked() {
        let app = GoogleResponse.LinkedApp(package: "com.acme", fingerprint: Self.one)
        func codes(_ body: String) -> [AssociationFinding.Code] {
            GoogleResponse(status: 200, body: Array(body.utf8)).findings(checking: app).map(\.code)
        }
        #expect(codes(#"{"linked":true,"maxAge":"1s"}"#).isEmpty)
        #expect(codes(#"{"linked":false,"maxAge":"1s","debugString":"none"}"#) == [.googleNotLinked])
        #expect(codes("{}") == [.googleNotLinked])
    }

    @Test func queriesAreEscaped() {
        #expect(
            GoogleResponse.listQuery(site: "https://www.acme.com:8443")
                == "/v1/statements:list?source.web.site=https%3A%2F%2Fwww.acme.com%3A8443"
                + "&relation=delegate_permission%2Fcommon.handle_all_urls"
        )
        let app = GoogleResponse.LinkedApp(package: "com.a&b", fingerprint: "1B:2C")
        #expect(
            GoogleResponse.checkQuery(site: "https://a.b", app: app).hasSuffix(
                "&target.androidApp.packageName=com.a%26b&target.androidApp.certificate.sha256Fingerprint=1B%3A2C"
            )
        )
    }
}
