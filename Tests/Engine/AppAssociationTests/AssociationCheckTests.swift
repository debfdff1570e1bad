import AppAssociation
import LinkCatalog
import LinkRouting
import Testing

/// Findings of a table check about the files generated from the table.
struct AssociationCheckTests {
    private static let iOS = "{id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.acme}"
    private static let android = "{id: droid, platform: android, package: com.acme}"

    /// The findings, except for advice on routes that stay on the web.
    private static func findings(
        domains: String = "{host: www.acme.com, serves: association}",
        apps: String = iOS,
        association: String = "{}",
        _ routes: String...
    ) throws -> [Finding] {
        let routes = zip("abcd", routes).map { "    - {id: \($0), \($1)}" }
        return try TenantDocument(
            """
            formatVersion: 1
            settings:
              domains: [\(domains)]
              apps: [\(apps)]
              association: \(association)
            table:
              routes:
            \(routes.joined(separator: "\n"))
            """
        ).checked(now: Timestamp(milliseconds: 0)).findings.filter { $0.code != .missingTarget }
    }

    /// Of two apps of one package with different routes, none gets rules. The rules of a third app are examined.
    @Test(arguments: [["a", "b", "c"], ["c", "a", "b"]])
    func rulesAreExaminedBesideAPackageConflict(_ order: [String]) throws {
        let fingerprint = Array(repeating: "AB", count: 32).joined(separator: ":")
        let packages = ["a": "com.one", "b": "com.one", "c": "com.two"]
        let apps = order.map {
            "{id: \($0), platform: android, package: \(packages[$0] ?? ""), fingerprints: ['\(fingerprint)']}"
        }
        let found = try Self.findings(
            domains: "www.acme.com",
            apps: apps.joined(separator: ", "),
            #"path: "/x/{id:int}", when: {apps: [a, c]}, open: {screen: X}"#,
            "path: /y/z, open: {screen: Y}"
        )
        let overmatches = found.filter { $0.code == .associationOvermatch }
        #expect(overmatches.map { $0.message.contains("3 kinds") } == [true], "\(found.map(\.message))")
    }

    @Test func androidAppWithoutFingerprintsIsReported() throws {
        let found = try Self.findings(apps: Self.android, "path: /legal", "path: \"/shop/{x...}\", open: {screen: A}")

        #expect(found.map(\.code) == [.associationNotExpressed])
        #expect(found.map(\.severity) == [.warning])
        #expect(found.map(\.path) == ["table.routes[1]"])
        #expect(found.map(\.route?.rawValue) == ["b"])
        #expect(found.map(\.example) == ["https://www.acme.com/shop"])
        #expect(try Self.findings(apps: Self.android, "path: /legal") == [])
    }

    /// Google's example, and the one of config/examples/shop.yaml, which looks like that of a certificate.
    private static let (example, own) = (
        "14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5",
        "D9:6E:66:DE:11:71:05:FC:9B:69:30:AB:AB:FD:0F:12:72:4C:B0:C8:1A:A8:AE:0A:D4:EC:16:14:C8:D0:CB:6D"
    )

    @Test(arguments: [
        ("\"\(example)\"", "", true), ("\"\(own)\", \"\(example)\"", "", true), ("\"\(own)\"", "", false),
        ("\"\(Array(repeating: "AB", count: 32).joined(separator: ":"))\"", "", true),
        ("\"\((1...32).map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":"))\"", "", true),
        // Production's files do not name the app.
        ("\"\(example)\"", ", environments: [staging]", false),
    ])
    func fingerprintOfAnExampleIsReported(_ list: String, _ environments: String, _ isReported: Bool) throws {
        let app = "{id: droid, platform: android, package: com.acme, fingerprints: [\(list)]\(environments)}"
        let found = try Self.findings(apps: app, "path: /a, open: {screen: A}")

        #expect(found.map(\.code) == (isReported ? [Finding.Code.exampleFingerprint] : []))
        #expect(found.allSatisfy { $0.severity == .warning && $0.message.contains("'droid'") })
    }

    @Test func publishedPrivateKeyOfAnAppIsReported() throws {
        let key = "FA:C6:17:45:DC:09:03:78:6F:B9:ED:E6:2A:96:2B:39:9F:73:48:F0:BB:6F:89:9B:83:32:66:75:91:03:3B:9C"
        let app = "{id: droid, platform: android, package: com.acme, fingerprints: [\"\(key)\"]}"
        let found = try Self.findings(apps: app, "path: /a, open: {screen: A}")

        #expect(found.map(\.code) == [.associationInvalid])
        #expect(found.first?.message.contains("DAL-PUBLIC-KEY") == true)
    }

    @Test func hostThatNoFileCanDescribeIsReported() throws {
        let port = try Self.findings(domains: "{host: www.acme.com, port: 8443, serves: association}", "path: /")
        #expect(port.map(\.code) == [.associationNotExpressed])
        #expect(port.first?.message.contains("www.acme.com:8443") == true)

        let elsewhere = "{id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.acme, domains: [go.acme.com]}"
        let unnamed = try Self.findings(
            domains: "{host: www.acme.com, serves: association}, {host: go.acme.com, serves: association}",
            apps: elsewhere,
            "path: /"
        )
        #expect(unnamed.map(\.code) == [.associationNotExpressed])
        #expect(unnamed.first?.message.contains("'www.acme.com' name no app") == true)
    }

    /// Writes and publications request findings without advice.
    @Test func adviceIsGivenOnlyOnRequest() throws {
        let router = try Examples.router("shop")

        #expect(router.table.checkAssociation(for: router.identity) == [])
        let advice = router.table.checkAssociation(for: router.identity, advice: .included)
        #expect(advice.map(\.code) == [.associationOvermatch, .associationOvermatch])
    }

    @Test func overOpenLinksAreCountedWithAnExample() throws {
        let found = try Self.findings("path: /legal", "path: \"/product/{id:int}\", open: {screen: A}")

        #expect(found.map(\.code) == [.associationOvermatch])
        #expect(found.map(\.severity) == [.info])
        #expect(found.map(\.path) == ["table.routes[1]"])
        #expect(found.first?.message.hasPrefix("iOS opens 2 kinds of links") == true)
        #expect(found.map(\.example) == ["https://www.acme.com/product/1/~"])
    }

    @Test func intendedOvermatchesHaveNoFinding() throws {
        #expect(try Self.findings("path: /legal", "path: \"/{x...}\", open: {screen: A}") == [])
        // A coarse file opens all paths by design.
        #expect(try Self.findings(association: "{detail: coarse}", "path: \"/{x:int}\", open: {screen: A}") == [])
    }

    /// No link is as long, so no example is made.
    @Test(arguments: ["string", "slug", "alpha", "alnum", "hex"])
    func lengthsOfNoLinkAreChecked(_ type: String) throws {
        for length in [8_193, Int.max] {
            let value = "{v:\(type)(\(length))}"
            _ = try Self.findings(association: "{}", "path: \"/x/\(value)\", open: {screen: A}")
            _ = try Self.findings(association: "{}", "path: /x, query: {v: \"\(value)\"}, open: {screen: A}")
        }
    }

    @Test func generatedFileIsValidated() throws {
        let app = RegisteredApp(id: try #require(AppID("ios")), product: .ios(teamID: "", bundleID: ""))
        let host = try HostName("www.acme.com")
        let domain = Domain(
            host: host.ascii,
            unicodeHost: host.unicode,
            coversSubdomains: false,
            port: nil,
            serves: .association
        )
        let route = Route(
            id: try #require(RouteID("a")),
            path: try RoutePattern("/{x...}"),
            behaviour: .answer(RouteTarget(open: Open(screen: "A")))
        )
        let found = RouteTable(routes: [route]).checkAssociation(for: Identity(domains: [domain], apps: [app]))

        #expect(!found.isEmpty)
        #expect(found.allSatisfy { $0.code == .associationInvalid && $0.severity == .warning })
        #expect(found.first?.message.contains("AASA-") == true)
    }
}
