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

    @Test func androidAppWithoutFingerprintsIsReported() throws {
        let found = try Self.findings(apps: Self.android, "path: /legal", "path: \"/shop/{x...}\", open: {screen: A}")

        #expect(found.map(\.code) == [.associationNotExpressed])
        #expect(found.map(\.severity) == [.warning])
        #expect(found.map(\.path) == ["table.routes[1]"])
        #expect(found.map(\.route?.rawValue) == ["b"])
        #expect(found.map(\.example) == ["https://www.acme.com/shop"])
        #expect(try Self.findings(apps: Self.android, "path: /legal") == [])
    }

    @Test func publicKeyOfAnAppIsReported() throws {
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
