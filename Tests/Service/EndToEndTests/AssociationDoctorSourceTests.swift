import Foundation
import LinkRouting
import NIOHTTP1
import TestSupport
import Testing

/// What `fingerpost association doctor` reads besides the two files of a host: Google's API, the root, includes.
struct AssociationDoctorSourceTests {
    private static let fingerprint = Array(repeating: "1B", count: 32).joined(separator: ":")
    private static let apple =
        #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.acme"],"components":[{"/":"/a"}]}]}}"#

    private static func statement(_ package: String) -> String {
        """
        {"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app",\
        "package_name":"\(package)","sha256_cert_fingerprints":["\(fingerprint)"]}}
        """
    }

    private static let list = """
        {"statements":[{"source":{"web":{"site":"https://good.acme.test."}},\
        "relation":"delegate_permission/common.handle_all_urls","target":{"androidApp":{"packageName":"com.acme",\
        "certificate":{"sha256Fingerprint":"\(fingerprint)"}}}}],"maxAge":"599.9s"}
        """

    /// Google's API is on one host of the same server: its first label names the response.
    private static let respond: HTTPSServer.Responder = { host, path in
        let isCheck = path.hasPrefix("/v1/assetlinks:check?")
        guard isCheck || path.hasPrefix("/v1/statements:list?") else { return file(host, path) }
        return switch host {
        case "found.cdn.test": answer(isCheck ? #"{"linked":true,"maxAge":"599.9s"}"# : list)
        case "empty.cdn.test":
            answer(isCheck ? #"{"linked":false,"maxAge":"60s"}"# : #"{"maxAge":"60s","debugString":"No statements"}"#)
        case "error.cdn.test":
            answer(
                isCheck
                    ? #"{"linked":true}"#
                    : #"{"debugString":"unavailable: HTTP 404","errorCode":["ERROR_CODE_FETCH_ERROR"]}"#
            )
        case "slow.cdn.test": nil
        default: answer(#"{"error":{"code":429,"message":"Quota exceeded"}}"#, .tooManyRequests)
        }
    }

    private static func file(_ host: String, _ path: String) -> HTTPSServer.Answer {
        switch (host, path) {
        case ("root.acme.test", "/apple-app-site-association"): answer(apple)
        case ("good.acme.test", "/.well-known/assetlinks.json"): answer("[\(statement("com.acme"))]")
        case ("parts.acme.test", "/.well-known/assetlinks.json"):
            // The server's port is not known here, so the include names a port on which nothing listens.
            answer(#"[\#(statement("com.acme")),{"include":"https://more.acme.test:1/list.json"}]"#)
        default: answer("", .notFound)
        }
    }

    private static func answer(_ body: String, _ status: HTTPResponseStatus = .ok) -> HTTPSServer.Answer {
        HTTPSServer.Answer(status: status, body: body)
    }

    private func doctor(_ arguments: [String], _ server: HTTPSServer) async throws -> (codes: [String], text: String) {
        let result = try await runBeside(
            RunningServer.products.appending(path: "fingerpost").path,
            ["association", "doctor", "--address", "127.0.0.1", "--json", "--no-cdn", "--ca", server.authority]
                + arguments
        )
        let text = String(decoding: result.output, as: UTF8.self)
        let node = try JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: 1 << 20))
        return ((node["findings"]?.elements ?? []).compactMap { $0["code"]?.text }, text)
    }

    @Test func googleIsQueriedForTheAppsOfTheHost() async throws {
        try await withTemporaryDirectory { directory in
            try await HTTPSServer.run(in: directory, respond: Self.respond) { server in
                for (google, codes) in [
                    ("found", []), ("empty", ["DAL-GOOGLE-DIFFERS", "DAL-GOOGLE-NOT-LINKED"]),
                    ("error", ["DAL-GOOGLE-DIFFERS", "DAL-GOOGLE-ERROR"]), ("limited", ["DAL-GOOGLE-UNANSWERED"]),
                    ("slow", ["DAL-GOOGLE-UNANSWERED"]),
                ] {
                    let verdict = try await doctor(
                        [
                            "good.acme.test:\(server.port)", "--platform", "android", "--timeout",
                            google == "slow" ? "0.5" : "5", "--google", "https://\(google).cdn.test:\(server.port)",
                        ],
                        server
                    )
                    let found = verdict.codes.filter { $0.hasPrefix("DAL-GOOGLE") }
                    #expect(Set(found) == Set(codes), "\(google): \(verdict.text)")
                }
                let closed = try await doctor(
                    ["good.acme.test:\(server.port)", "--platform", "android", "--google", "https://found.cdn.test:1"],
                    server
                )
                #expect(closed.codes.contains("DAL-GOOGLE-UNANSWERED"), "\(closed.text)")
            }
        }
    }

    @Test func fileAtTheRootOnlyIsNamed() async throws {
        try await withTemporaryDirectory { directory in
            try await HTTPSServer.run(in: directory, respond: Self.respond) { server in
                let arguments = ["--platform", "ios", "--no-google"]
                let root = try await doctor(["root.acme.test:\(server.port)"] + arguments, server)
                #expect(Set(root.codes) == ["AASA-NOT-SERVED", "AASA-ROOT-ONLY"], "\(root.text)")
                let none = try await doctor(["none.acme.test:\(server.port)"] + arguments, server)
                #expect(none.codes == ["AASA-NOT-SERVED"], "\(none.text)")
            }
        }
    }

    @Test func includeThatIsNotServedIsReported() async throws {
        try await withTemporaryDirectory { directory in
            try await HTTPSServer.run(in: directory, respond: Self.respond) { server in
                let verdict = try await doctor(
                    ["parts.acme.test:\(server.port)", "--platform", "android", "--no-google"],
                    server
                )
                #expect(verdict.codes.contains("DAL-INCLUDE"), "\(verdict.text)")
                #expect(verdict.text.contains("more.acme.test:1/list.json"))
            }
        }
    }
}
