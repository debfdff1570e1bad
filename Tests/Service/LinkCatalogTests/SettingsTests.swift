import LinkRouting
import Testing

@testable import LinkCatalog

/// Every key of the settings and its default.
struct SettingsTests {
    @Test func defaultsHoldForWhatIsLeftOut() throws {
        let settings = try settings("{}")

        #expect(settings.identity == Identity())
        #expect(
            settings.privacy
                == Settings.Privacy(
                    recordQuery: [],
                    recordTraits: [],
                    recordInstall: false,
                    address: .truncated,
                    unmatchedPath: .shape
                )
        )
        #expect(settings.export == Settings.Export(schedule: .hourly, format: .ndjson, level: 6))
        #expect(settings.retentionDays == 400)
        #expect(settings.explain == .key)
        #expect(settings.whenLogFails == .answer)
        #expect(settings.brand == Settings.Brand() && settings.abuseContact == nil)
    }

    @Test func everyKeyIsRead() throws {
        let settings = try settings(
            """
            domains:
              - go.example.com
              - {host: www.example.com, serves: association}
              - {host: "*.acme.link", port: 8443}
              - bücher.example
            schemes: [Acme, {name: other, host: ignore}, {name: third, host: [open, app]}]
            apps:
              - id: ios
                platform: ios
                kind: clip
                teamID: ABCDE12345
                bundleID: com.example.app
                stores: [{kind: appStore, id: 123456789}]
                domains: ["*.ACME.link", xn--bcher-kva.example]
                environment: staging
              - id: android
                platform: android
                package: com.example.app
                fingerprints: ["\(Array(repeating: "0a", count: 32).joined(separator: ":"))"]
                stores: [{kind: playStore}]
            destinations: {schemes: [acme, tel], hosts: ["*.example.com", example.com], http: true}
            privacy:
              recordQuery: [utm_source, "no"]
              recordTraits: [userType, plan]
              recordInstall: true
              ip: keyed
              unmatchedPath: full
            export: {schedule: daily, at: 02:30, zone: Europe/Paris, format: csv, level: 9}
            retentionDays: 30
            explain: public
            whenLogFails: refuse
            brand:
              name: Acme
              logo: UklGRgAAAABXRUJQ
              accent: "#0A66c2"
              texts: {de: {open: Los}, pt-BR: {web: Ir}}
            abuse: {contact: abuse@acme.example}
            """
        )

        let identity = settings.identity
        #expect(
            identity.domains.map(\.host) == ["go.example.com", "www.example.com", "acme.link", "xn--bcher-kva.example"]
        )
        #expect(identity.domains.map(\.unicodeHost).last == "bücher.example")
        #expect(identity.domains.map(\.serves) == [.links, .association, .links, .links])
        #expect(identity.domains.map(\.coversSubdomains) == [false, false, true, false])
        #expect(identity.domains.map(\.port) == [nil, nil, 8_443, nil])
        #expect(identity.schemes.map(\.name) == ["acme", "other", "third"])
        #expect(identity.schemes.map(\.hosts) == [.segment, .ignored, .ignoring(["open", "app"])])
        #expect(identity.apps[0].product == .ios(teamID: "ABCDE12345", bundleID: "com.example.app"))
        #expect(identity.apps[0].kind == .clip)
        #expect(identity.apps[0].environments?.map(\.rawValue) == ["staging"])
        #expect(identity.apps[0].stores == [RegisteredApp.Store(kind: .appStore, id: "123456789")])
        #expect(identity.apps[0].domains == ["*.acme.link", "xn--bcher-kva.example"])
        #expect(
            identity.apps[1].product
                == .android(
                    package: "com.example.app",
                    fingerprints: [Array(repeating: "0A", count: 32).joined(separator: ":")]
                )
        )
        #expect(identity.apps[1].kind == .app)
        #expect(identity.apps[1].environments == nil)
        #expect(identity.apps[1].domains == nil)
        #expect(identity.apps[1].stores == [RegisteredApp.Store(kind: .playStore, id: "com.example.app")])
        #expect(identity.destinations.schemes == ["acme", "tel"])
        #expect(
            identity.destinations.hosts == [
                .subdomains(of: try HostName("example.com")), .exact(try HostName("example.com")),
            ]
        )
        #expect(identity.destinations.allowsPlainHTTP)
        #expect(
            settings.privacy
                == Settings.Privacy(
                    recordQuery: ["utm_source", "no"],
                    recordTraits: ["userType", "plan"],
                    recordInstall: true,
                    address: .keyed,
                    unmatchedPath: .full
                )
        )
        #expect(
            settings.export
                == Settings.Export(schedule: .daily(hour: 2, minute: 30, zone: "Europe/Paris"), format: .csv, level: 9)
        )
        #expect(settings.retentionDays == 30)
        #expect(settings.explain == .public)
        #expect(settings.whenLogFails == .refuse)
        #expect(settings.brand.name == "Acme")
        #expect(settings.brand.logo?.dataURI == "data:image/webp;base64,UklGRgAAAABXRUJQ")
        #expect(settings.brand.accent == RGBColor("#0a66c2") && settings.brand.dark == settings.brand.accent)
        let texts = settings.brand.texts
        #expect(Set(texts.keys.map(\.description)) == ["de", "pt-BR"])
        let portuguese = try #require(LanguageTag("PT-br"))
        #expect(texts[portuguese] == [.web: "Ir"])
        #expect(settings.abuseContact?.url == "mailto:abuse@acme.example")
    }

    /// Text on any accent can be read.
    @Test func foregroundHasContrast() throws {
        for value in stride(from: 0, through: 0xFF_FFFF, by: 4_099) {
            let digits = String(value | 0x100_0000, radix: 16).dropFirst()
            let color = try #require(RGBColor(String(digits)))
            #expect(color.contrast(to: color.foreground) >= 4.5, "\(color)")
        }
    }

    @Test func linksMayLeadToWhatTheTenantOwns() throws {
        let policy = try settings("domains: [go.example.com, '*.acme.link']\nschemes: [acme]").identity.destinations

        #expect(policy.schemes == ["acme"])
        #expect(policy.hosts == [.exact(try HostName("go.example.com")), .subdomains(of: try HostName("acme.link"))])
        #expect(!policy.allowsPlainHTTP)
    }

    @Test func destinationsThatAreLeftOutKeepWhatTheTenantOwns() throws {
        let policy = try settings(
            "domains: [go.example.com]\nschemes: [acme]\ndestinations: {hosts: [www.example.com]}"
        )
        .identity.destinations

        #expect(policy.schemes == ["acme"])
        #expect(policy.hosts == [.exact(try HostName("www.example.com"))])
    }

    @Test(arguments: [("off", Settings.Export.Schedule.off), ("hourly", .hourly)])
    func scheduleWithoutATime(_ text: String, _ schedule: Settings.Export.Schedule) throws {
        #expect(try settings("export: {schedule: \(text)}").export.schedule == schedule)
    }

    @Test func dailyExportIsInUTCUnlessAZoneIsNamed() throws {
        #expect(
            try settings("export: {schedule: daily, at: 23:59}").export.schedule
                == .daily(hour: 23, minute: 59, zone: "UTC")
        )
    }

    /// The limits apply to new settings, because every link is compared with these lists. Settings stored by older
    /// versions are still read.
    @Test(arguments: [
        ("domains", 1_000), ("schemes", 256), ("apps", 256), ("destinations.schemes", 1_000),
        ("destinations.hosts", 1_000), ("privacy.recordQuery", 256), ("privacy.recordTraits", 256),
    ])
    func listsOfSettingsAreBounded(_ path: String, _ most: Int) throws {
        func field(_ count: Int) -> DocumentField {
            var node = JSONNode(.array((0..<count).map { Self.entry($0, of: path) }))
            for key in path.split(separator: ".").reversed() { node = .object([String(key): node]) }
            return DocumentField(node, path: "settings")
        }
        _ = try Settings(field(most))
        let error = #expect(throws: Settings.DecodingErrors.self) { try Settings(field(most + 1)) }?.errors.first
        #expect(error?.path == "settings.\(path)")
        #expect(error?.message == "the list has more than \(most) entries; remove some.")
    }

    private static func entry(_ number: Int, of path: String) -> JSONNode {
        switch path {
        case "domains", "destinations.hosts": .string("h\(number).example")
        case "apps":
            .object([
                "id": .string("a\(number)"), "platform": .string("android"), "package": .string("com.example.app"),
            ])
        default: .string("n\(number)")
        }
    }

    private func settings(_ text: String) throws -> Settings {
        try Settings(DocumentField(try Document.readYAML(text), path: "settings"))
    }
}
