import Foundation
import LinkRouting
import NIOHTTP1
import NIOSSL
import TestSupport
import Testing

/// `fingerpost association doctor` against a server with a private certificate authority.
struct AssociationDoctorTests {
    private static let apple =
        #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.acme"],"components":[{"/":"/buy/*"}]}]}}"#
    private static let other =
        #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.acme"],"components":[{"/":"/old/*"}]}]}}"#
    private static let android = """
        [{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app",\
        "package_name":"com.acme","sha256_cert_fingerprints":["\(fingerprint(0x1B))","\(fingerprint(0x2C))"]}}]
        """

    private static func fingerprint(_ seed: UInt8) -> String {
        // Bytes in no order, because a made-up fingerprint is reported.
        (0..<32).map { String(format: "%02X", ($0 * $0 * 73 + $0 * 31) % 251 ^ Int(seed)) }.joined(separator: ":")
    }

    private static func response(
        _ text: String,
        _ status: HTTPResponseStatus = .ok,
        _ headers: HTTPHeaders = ["Content-Type": "application/json"]
    ) -> HTTPSServer.Answer {
        HTTPSServer.Answer(status: status, headers: headers, body: text)
    }

    /// Responses by host. A path that no device requests gets 404.
    private static let respond: HTTPSServer.Responder = { host, path in
        let file = path.hasSuffix("assetlinks.json") ? android : apple
        switch (host, path) {
        case ("eu.cdn.test", "/a/v1/www.acme.test"): return response(apple)
        case ("eu.cdn.test", "/a/v1/good.acme.test"): return response(other)
        case ("eu.cdn.test", _):
            return response(
                "Not Found",
                .notFound,
                ["apple-failure-reason": "SWCERR00301 Timeout", "apple-from": path]
            )
        case (_, "/.well-known/apple-app-site-association"), (_, "/.well-known/assetlinks.json"): break
        default: return response("", .notFound)
        }
        return switch host {
        case "moved.acme.test": response("", .movedPermanently, ["location": "https://www.acme.test\(path)"])
        case "closed.acme.test": response("<html>Access denied", .forbidden, ["content-type": "text/html"])
        case "slow.acme.test": nil
        case "octets.acme.test": response(file, .ok, ["content-type": "application/octet-stream"])
        case "html.acme.test": response("<!doctype html><title>Acme</title>", .ok, ["content-type": "text/html"])
        case "large.acme.test": response(#"{"applinks":"\#(String(repeating: "a", count: 1 << 20))"}"#)
        case "big.acme.test":
            response(#"{"applinks":{"details":[]},"x":"\#(String(repeating: "a", count: 140_000))"}"#)
        case "missing.acme.test", "acme.test": response("", .notFound)
        default: response(file)
        }
    }

    private struct Verdict {
        let status: Int32
        let codes: [String]
        let node: JSONNode
        let text: String
    }

    private func doctor(_ host: String, _ server: HTTPSServer, _ arguments: [String] = []) async throws -> Verdict {
        let result = try await runBeside(
            RunningServer.products.appending(path: "fingerpost").path,
            [
                "association", "doctor", "\(host):\(server.port)", "--address", "127.0.0.1", "--json",
                "--ca", server.authority,
            ] + (arguments.contains("--cdn") ? [] : ["--no-cdn"])
                + (arguments.contains("--google") ? [] : ["--no-google"]) + arguments
        )
        let text = String(decoding: result.output, as: UTF8.self)
        let node = try JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: 1 << 20))
        let codes = (node["findings"]?.elements ?? []).compactMap { $0["code"]?.text }
        return Verdict(status: result.status, codes: codes, node: node, text: text)
    }

    private func withServer(_ body: @escaping @Sendable (HTTPSServer, String) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            try await HTTPSServer.run(in: directory, respond: Self.respond) { try await body($0, directory) }
        }
    }

    @Test func everyWayToServeAFileWronglyHasItsCode() async throws {
        try await withServer { server, _ in
            for (host, codes) in [
                ("good.acme.test", ["AASA-TEST-ADVICE"]),
                ("moved.acme.test", ["AASA-REDIRECT", "DAL-REDIRECT"]),
                ("closed.acme.test", ["AASA-NOT-SERVED", "DAL-NOT-SERVED"]),
                ("missing.acme.test", ["AASA-NOT-SERVED", "DAL-NOT-SERVED"]),
                ("octets.acme.test", ["AASA-CONTENT-TYPE", "AASA-TEST-ADVICE", "DAL-CONTENT-TYPE"]),
                ("html.acme.test", ["AASA-CONTENT-TYPE", "AASA-HTML", "DAL-CONTENT-TYPE", "DAL-HTML"]),
                ("large.acme.test", ["AASA-TOO-LARGE", "DAL-NOT-SERVED"]),
            ] {
                let verdict = try await doctor(host, server)
                #expect(Set(verdict.codes) == Set(codes), "\(host): \(verdict.text)")
                #expect(verdict.status == (host.hasPrefix("good") ? 0 : 1), "\(host): \(verdict.text)")
            }
            let big = try await doctor("big.acme.test", server, ["--platform", "ios"])
            #expect(big.codes.contains("AASA-TOO-LARGE"))
        }
    }

    @Test func slowServerIsGivenUp() async throws {
        try await withServer { server, _ in
            let verdict = try await doctor("slow.acme.test", server, ["--timeout", "0.5", "--platform", "ios"])
            #expect(verdict.codes == ["AASA-NOT-SERVED"] && verdict.status == 1)
            #expect(verdict.text.contains("timed out after 500 ms"))
        }
    }

    /// The text of the TLS library contains paths of the build.
    private func expectUntrusted(_ verdict: Verdict, because reason: String) {
        #expect(verdict.text.contains("the certificate is not trusted: \(reason)"), "\(verdict.text)")
        for text in ["SSLError", ".swift", "checkouts"] {
            #expect(!verdict.text.contains(text), "\(verdict.text)")
        }
    }

    @Test func untrustedCertificateIsReportedWithItsReason() async throws {
        try await withServer { server, directory in
            // An authority of another run.
            let stranger = "\(directory)/stranger"
            try FileManager.default.createDirectory(atPath: stranger, withIntermediateDirectories: true)
            try await HTTPSServer.run(in: stranger, respond: Self.respond) { other in
                let mixed = HTTPSServer(port: server.port, authority: other.authority)
                let verdict = try await doctor("good.acme.test", mixed, ["--platform", "ios"])
                #expect(verdict.codes == ["AASA-NOT-SERVED"], "\(verdict.text)")
                expectUntrusted(verdict, because: "it is self-signed, expired, or signed by an unknown authority")
            }
            let misnamed = try await doctor("good.other.test", server, ["--platform", "android"])
            #expect(misnamed.codes == ["DAL-NOT-SERVED"], "\(misnamed.text)")
            expectUntrusted(misnamed, because: "it is not for this host")
        }
    }

    /// Phones speak TLS 1.2 and later.
    @Test func tls11IsNoTLS() async throws {
        try await withTemporaryDirectory { directory in
            try await HTTPSServer.run(in: directory, newestVersion: .tlsv11, respond: Self.respond) { server in
                let verdict = try await doctor("good.acme.test", server, ["--platform", "ios"])
                #expect(verdict.codes == ["AASA-NOT-SERVED"], "\(verdict.text)")
                #expect(verdict.text.contains("the TLS handshake with good.acme.test failed"), "\(verdict.text)")
            }
        }
    }

    @Test func wildcardFileAtTheWrongHostIsFound() async throws {
        try await withServer { server, _ in
            let wildcard = try await doctor("*.acme.test", server, ["--platform", "ios"])
            #expect(Set(wildcard.codes) == ["AASA-NOT-SERVED", "AASA-HOST-NOT-COVERED"])
            #expect(wildcard.text.contains("is read from 'acme.test' itself"))
            let www = try await doctor("www.acme.test", server)
            #expect(www.status == 0)
            #expect(Set(www.codes) == ["AASA-HOST-NOT-COVERED", "AASA-TEST-ADVICE", "DAL-HOST-NOT-COVERED"])
            #expect(www.node["answers"]?.elements?.count == 4)
        }
    }

    @Test func appleAnswersForDevices() async throws {
        try await withServer { server, _ in
            let cdn = ["--platform", "ios", "--cdn", "https://eu.cdn.test:\(server.port)/a/v1"]
            let fresh = try await doctor("www.acme.test", server, cdn)
            #expect(!fresh.codes.contains { $0.hasPrefix("AASA-CDN") })
            let stale = try await doctor("good.acme.test", server, cdn)
            #expect(stale.codes.contains("AASA-CDN-STALE") && stale.status == 0)
            let failed = try await doctor("new.acme.test", server, cdn)
            #expect(failed.codes.contains("AASA-CDN-FAILURE") && failed.status == 1)
            #expect(failed.text.contains("SWCERR00301 Timeout") && failed.text.contains("it tried /a/v1/new.acme.test"))
        }
    }

    @Test func appMustBeNamed() async throws {
        try await withServer { server, _ in
            for (app, code) in [
                ("ABCDE12345.com.acme", "AASA-TEST-ADVICE"), ("com.acme", nil),
                ("ABCDE12345.com.other", "AASA-APP-NOT-NAMED"), ("com.other", "DAL-APP-NOT-NAMED"),
            ] {
                let verdict = try await doctor("good.acme.test", server, ["--app", app])
                #expect(verdict.codes == code.map { [$0] } ?? [], "\(verdict.text)")
            }
        }
    }

    @Test func servedFilesAreComparedWithWhatIsPublished() async throws {
        try await withServer { server, directory in
            let table = "\(directory)/acme.yaml"
            func write(path: String, host: String) throws {
                try """
                formatVersion: 1
                tenant: acme
                settings:
                  domains: [{host: \(host), serves: association}]
                  apps: [{id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.acme}]
                table: {routes: [{id: buy, path: "\(path)", open: {screen: Buy}}]}
                """.write(toFile: table, atomically: true, encoding: .utf8)
            }
            let arguments = ["--platform", "ios", "--table", table]
            try write(path: "/sell/{id}", host: "good.acme.test")
            let differing = try await doctor("good.acme.test", server, arguments)
            #expect(differing.codes.contains("AASA-NOT-PUBLISHED") && differing.status == 1)
            #expect(differing.text.contains("the first difference is at '/applinks/details/0/components/0"))
            try write(path: "/buy/{id}", host: "www.acme.test")
            let unknown = try await doctor("good.acme.test", server, arguments)
            #expect(unknown.text.contains("no tenant lists the host"))

            try write(path: "/buy/{id}", host: "good.acme.test")
            let built = try run(
                RunningServer.products.appending(path: "fingerpost").path,
                ["association", "build", "--table", table]
            )
            let published = String(decoding: built.output, as: UTF8.self)
            let mirror = "\(directory)/mirror"
            try FileManager.default.createDirectory(atPath: mirror, withIntermediateDirectories: true)
            // The same content with an additional line break.
            try await HTTPSServer.run(in: mirror, respond: { _, _ in Self.response("\n" + published) }) { server in
                let same = try await doctor("good.acme.test", server, arguments)
                #expect(same.codes == ["AASA-TEST-ADVICE"], "\(same.text)")
            }
        }
    }

    @Test func privateAddressesAreRefusedAfterTheLookUp() throws {
        for host in ["localhost", "127.0.0.1"] {
            let refused = try run(
                RunningServer.products.appending(path: "fingerpost").path,
                ["association", "doctor", "\(host):9", "--no-cdn", "--platform", "ios", "--json"]
            )
            let text = String(decoding: refused.output, as: UTF8.self)
            #expect(refused.status == 1, "\(text)")
            #expect(
                text.contains("not a public address") && text.contains("--allow-private"),
                "\(text)"
            )
        }
    }

    @Test func wrongArgumentsAreRefusedWithAdvice() throws {
        for arguments in [
            ["acme test"], ["acme.test:70000"], ["acme.test", "--address", "here"], ["acme.test", "--timeout", "0"],
            ["acme.test", "--allow-private", "10.0.0.0/40"], ["acme.test", "--table", "/nowhere.yaml"],
        ] {
            let process = try run(
                RunningServer.products.appending(path: "fingerpost").path,
                ["association", "doctor", "--no-cdn"] + arguments
            )
            #expect([64, 65].contains(process.status), "\(arguments)")
        }
    }
}
