import LinkCatalog
import LinkRouting
import Testing

/// One invalid setting and its error message.
struct WrongSettingTests {
    static let settings: [(String, String)] = [
        (
            "domains: go.example.com",
            #"line 3, column 12: settings.domains: "go.example.com" is a string; write a list."#
        ),
        (
            "domains: [https://go.example.com]",
            #"line 3, column 13: settings.domains[0]: "https://go.example.com": not a host; write a name such as links.example.com, without scheme, port or path."#
        ),
        (
            "domains: [go.example.com/x]",
            #"line 3, column 13: settings.domains[0]: "go.example.com/x": not a host; write a name such as links.example.com, without scheme, port or path."#
        ),
        (
            "domains: [example]",
            #"line 3, column 13: settings.domains[0]: "example" is not a domain; write a host such as links.example.com or *.example.com."#
        ),
        (
            "domains: [{host: a.example, serves: website}]",
            #"line 3, column 39: settings.domains[0].serves: "website" is not one of: links, association."#
        ),
        (
            "domains: [{host: a.example, port: 99999}]",
            "line 3, column 37: settings.domains[0].port: 99999 is not a whole number from 1 to 65535."
        ),
        (
            "domains: [a.example, A.EXAMPLE]",
            "line 3, column 24: settings.domains[1]: duplicate domain; remove one."
        ),
        (
            "schemes: [https]",
            "line 3, column 13: settings.schemes[0]: 'https' is a system scheme or a store's; write a scheme of your own, such as acme."
        ),
        (
            "schemes: [yourapp, YourApp]",
            "line 3, column 22: settings.schemes[1]: duplicate scheme; remove one."
        ),
        (
            "schemes: [{name: yourapp, host: skip}]",
            #"line 3, column 35: settings.schemes[0].host: "skip" is not valid; write ignore, segment, or a list of hosts to ignore."#
        ),
        (
            "schemes: yourapp",
            #"line 3, column 12: settings.schemes: "yourapp" is a string; write a list."#
        ),
        (
            "apps: [{id: ios, platform: iphone}]",
            #"line 3, column 30: settings.apps[0].platform: "iphone" is not one of: ios, android."#
        ),
        (
            "apps: [{id: ios, platform: ios, bundleID: com.example.app}]",
            "line 3, column 10: settings.apps[0]: 'teamID' is missing; add it."
        ),
        (
            "apps: [{id: ios, platform: ios, teamID: abcde12345, bundleID: com.example.app}]",
            #"line 3, column 43: settings.apps[0].teamID: "abcde12345" is not 10 capital letters and digits, as in ABCDE12345."#
        ),
        (
            "apps: [{id: ios, platform: ios, teamID: ABCDE12345, bundleID: app}]",
            #"line 3, column 65: settings.apps[0].bundleID: "app" is not a bundle ID, as in com.example.app."#
        ),
        (
            "apps: [{id: a, platform: android, package: com.example.app, stores: [{kind: appStore, id: 1}]}]",
            "line 3, column 72: settings.apps[0].stores[0]: an iOS app must use appStore, an Android app playStore."
        ),
        (
            "apps: [{id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.example.app, stores: [{kind: appStore, id: id123}]}]",
            #"line 3, column 112: settings.apps[0].stores[0].id: "id123" is not the digits of the App Store ID, as in "123456789"."#
        ),
        (
            "apps: [{id: a, platform: android, package: com.example.app, stores: [{kind: playStore, providerToken: 118}]}]",
            "line 3, column 105: settings.apps[0].stores[0].providerToken: only the App Store has provider tokens; remove 'providerToken'."
        ),
        (
            "apps: [{id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.example.app, stores: [{kind: appStore, id: 1, providerToken: x}]}]",
            #"line 3, column 130: settings.apps[0].stores[0].providerToken: "x" is not the digits of a provider token, as in "118123456"."#
        ),
        (
            "apps: [{id: a, platform: android, package: com.example.app}, {id: a, platform: android, package: com.example.b}]",
            "line 3, column 64: settings.apps[1]: duplicate app id 'a'; give each app its own."
        ),
        (
            "destinations: {schemes: [javascript]}",
            "line 3, column 28: settings.destinations.schemes[0]: 'javascript:' is never allowed as a destination; remove it."
        ),
        (
            "destinations: {schemes: [https]}",
            #"line 3, column 28: settings.destinations.schemes[0]: "https" is not an app's scheme; list the hosts of web pages under 'hosts'."#
        ),
        (
            "destinations: {host: [x.example]}",
            "line 3, column 18: settings.destinations.host: unknown key 'host'; did you mean 'hosts'?"
        ),
        (
            "privacy: {recordQuery: utm_source}",
            #"line 3, column 26: settings.privacy.recordQuery: "utm_source" is a string; write a list."#
        ),
        (
            "privacy: {recordTraits: plan}",
            #"line 3, column 27: settings.privacy.recordTraits: "plan" is a string; write a list."#
        ),
        (
            "privacy: {recordInstall: yes}",
            #"line 3, column 28: settings.privacy.recordInstall: "yes" is a string; write true or false."#
        ),
        (
            "privacy: {ip: full}",
            #"line 3, column 17: settings.privacy.ip: "full" is not one of: truncated, keyed, none."#
        ),
        (
            "privacy: {unmatchedPath: all}",
            #"line 3, column 28: settings.privacy.unmatchedPath: "all" is not one of: full, shape, firstSegment, none."#
        ),
        (
            "export: {schedule: weekly}",
            "line 3, column 22: settings.export.schedule: 'weekly' is not one of: hourly, daily, off."
        ),
        (
            "export: {schedule: daily}",
            "line 3, column 11: settings.export: a daily export needs its time of day; add 'at', such as \"02:00\"."
        ),
        (
            "export: {schedule: daily, at: 2am}",
            #"line 3, column 33: settings.export.at: "2am" is not a time of day; write one such as "02:00"."#
        ),
        (
            "export: {schedule: daily, at: 24:00}",
            #"line 3, column 33: settings.export.at: "24:00" is not a time of day; write one such as "02:00"."#
        ),
        (
            "export: {format: parquet}",
            #"line 3, column 20: settings.export.format: "parquet" is not one of: ndjson, csv."#
        ),
        (
            "export: {level: 12}",
            "line 3, column 19: settings.export.level: 12 is not a whole number from 1 to 9."
        ),
        (
            "brand: {accent: blue}",
            ##"line 3, column 19: settings.brand.accent: "blue" is not a color; write one such as "#0a66c2"."##
        ),
        (
            #"brand: {dark: "0a66c2"}"#,
            ##"line 3, column 17: settings.brand.dark: "0a66c2" is not a color; write one such as "#0a66c2"."##
        ),
        (
            "brand: {accent: ~}",
            "line 3, column 11: settings.brand.accent: 'accent' is empty; write a color in quotes, because YAML reads '#' as the start of a comment."
        ),
        (
            "brand: {logo: PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=}",
            "line 3, column 17: settings.brand.logo: the logo is neither a PNG nor a WebP file; convert it."
        ),
        (
            "brand: {logo: \(String(repeating: "iVBO", count: 5_803))}",
            "line 3, column 17: settings.brand.logo: the logo has more than 16384 bytes; make it smaller."
        ),
        (
            "brand: {logo: 'iVBORw0KGgo'}",
            "line 3, column 17: settings.brand.logo: the logo is not base64; write the output of 'base64 -w0 logo.png'."
        ),
        (
            "brand: {name: \(String(repeating: "é", count: 33))}",
            "line 3, column 17: settings.brand.name: the name has 66 bytes; write one of 1 to 64."
        ),
        (
            "brand: {name: 'Acme\u{202E}'}",
            "line 3, column 17: settings.brand.name: the name has control characters, which no page shows; remove them."
        ),
        (
            "brand: {texts: {de_AT: {open: Los}}}",
            "line 3, column 19: settings.brand.texts.de_AT: 'de_AT' is not a language; write one such as de or pt-BR."
        ),
        (
            "brand: {texts: {de: {opn: Los}}}",
            "line 3, column 24: settings.brand.texts.de.opn: unknown key 'opn'; did you mean 'open'?"
        ),
        (
            "abuse: {contact: 'javascript:alert(1)'}",
            #"line 3, column 20: settings.abuse.contact: "javascript:alert(1)" is neither an e-mail address nor an https URL; write one such as abuse@example.com."#
        ),
        (
            "retentionDays: 0",
            "line 3, column 18: settings.retentionDays: 0 is not a whole number from 1 to 36500."
        ),
        (
            "retentionDays: forever",
            #"line 3, column 18: settings.retentionDays: "forever" is not a whole number from 1 to 36500."#
        ),
        (
            "explain: everybody",
            #"line 3, column 12: settings.explain: "everybody" is not one of: key, public."#
        ),
        (
            "whenLogFails: ignore",
            #"line 3, column 17: settings.whenLogFails: "ignore" is not one of: answer, refuse."#
        ),
        (
            "retention: 30",
            "line 3, column 3: settings.retention: unknown key 'retention'; did you mean 'retentionDays'?"
        ),
        (
            "retain: 30",
            "line 3, column 3: settings.retain: unknown key 'retain'; allowed keys: domains, schemes, apps, destinations, association, links, environments, privacy, export, retentionDays, explain, whenLogFails, clientKey, environmentKey, minimumClient, shortLinks, brand, abuse."
        ),
        (
            "fallback: {}",
            "line 3, column 3: settings.fallback: 'fallback' belongs under 'defaults' of 'table'; move it there."
        ),
        (
            "table: {}",
            "line 3, column 3: settings.table: 'table' belongs beside 'settings'; indent it less."
        ),
        (
            "recordQuery: [a]",
            "line 3, column 3: settings.recordQuery: 'recordQuery' belongs under 'privacy'; indent it."
        ),
        (
            "domain: [a.example]",
            "line 3, column 3: settings.domain: unknown key 'domain'; did you mean 'domains'?"
        ),
        (
            "apps: [{id: a, platform: android, package: com.example.app, teamID: ABCDE12345}]",
            "line 3, column 71: settings.apps[0].teamID: 'teamID' does not apply to apps of the platform android; remove it."
        ),
        (
            "apps: [{id: a, platform: android, package: com.example.app, domains: [b.example]}]",
            #"line 3, column 73: settings.apps[0].domains[0]: "b.example" is not one of the tenant's domains; list it under 'domains' first."#
        ),
        (
            #"apps: [{id: a, platform: android, package: com.example.app, fingerprints: ["14:6D"]}]"#,
            #"line 3, column 78: settings.apps[0].fingerprints[0]: "14:6D" is not a SHA-256 fingerprint; write 32 pairs of hexadecimal digits joined by ':'."#
        ),
        (
            #"destinations: {hosts: ["https://x.example"]}"#,
            #"line 3, column 26: settings.destinations.hosts[0]: "https://x.example": not a host; write a name such as links.example.com, without scheme, port or path."#
        ),
        (
            #"domains: ["*.*.example.com"]"#,
            #"line 3, column 13: settings.domains[0]: "*.*.example.com": not a host; write a name such as links.example.com, without scheme, port or path."#
        ),
        (
            #"domains: ["go.example.com:8443"]"#,
            #"line 3, column 13: settings.domains[0]: "go.example.com:8443": not a host; write a name such as links.example.com, without scheme, port or path."#
        ),
        (
            #"export: {schedule: daily, at: "02:00", zone: Europe/Atlantis}"#,
            "line 3, column 48: settings.export.zone: 'Europe/Atlantis' is not a time zone; write one such as Europe/Paris or UTC."
        ),
        (
            #"export: {schedule: daily, at: "02:00", zone: "GMT+14:99"}"#,
            "line 3, column 48: settings.export.zone: 'GMT+14:99' is not a time zone; write one such as Europe/Paris or UTC."
        ),
        (
            #"export: {schedule: daily, at: "02:00", zone: "GMT+1400"}"#,
            "line 3, column 48: settings.export.zone: 'GMT+1400' is not a time zone; write one such as Europe/Paris or UTC."
        ),
        (
            #"export: {schedule: hourly, at: "02:00"}"#,
            "line 3, column 34: settings.export.at: 'at' is valid only with schedule: daily; remove it."
        ),
        (
            #"schemes: ["yourapp://"]"#,
            #"line 3, column 13: settings.schemes[0]: "yourapp://" is not a scheme; write 2 to 64 of a-z, 0-9, '+', '-', '.', starting with a letter."#
        ),
    ]

    @Test(arguments: settings)
    func settingIsRefused(_ setting: String, _ message: String) {
        #expect(refusals(of: "formatVersion: 1\nsettings:\n  \(setting)\n") == [message])
    }

    /// The number of reported errors is bounded, whatever is sent.
    @Test(arguments: [
        "{" + (0..<5_000).map { #""k\#($0)": 1"# }.joined(separator: ",") + "}",
        #"{"domains": [\#((0..<900).map { "\"bad\($0)\"" }.joined(separator: ","))]}"#,
    ])
    func errorsAreBounded(_ settings: String) throws {
        let node = try JSONReader.parse(settings, limits: JSONReader.Limits(maximumBytes: 1 << 20))
        let error = #expect(throws: Settings.DecodingErrors.self) {
            try Settings(DocumentField(node, path: "settings"))
        }
        #expect(error?.errors.count == 100)
    }

    /// Errors that follow from others are not reported: the app's domain may be the one that cannot be read.
    @Test func allErrorsAreReportedTogether() {
        let text = """
            formatVersion: 1
            settings:
              domains: [example, go.example.com]
              scheme: [yourapp]
              apps:
                - {id: ios, platform: ios, teamID: abc, bundleID: com.example.app}
                - {id: android, platform: android, package: com.example.app, domains: [example.com]}
              retentionDays: "400"
              privacy: {ip: some}
            """
        #expect(
            refusals(of: text) == [
                #"line 3, column 13: settings.domains[0]: "example" is not a domain; write a host such as links.example.com or *.example.com."#,
                "line 4, column 3: settings.scheme: unknown key 'scheme'; did you mean 'schemes'?",
                #"line 6, column 40: settings.apps[0].teamID: "abc" is not 10 capital letters and digits, as in ABCDE12345."#,
                #"line 8, column 18: settings.retentionDays: "400" is not a whole number from 1 to 36500. Remove the quotes."#,
                #"line 9, column 17: settings.privacy.ip: "some" is not one of: truncated, keyed, none."#,
            ]
        )
    }
}
