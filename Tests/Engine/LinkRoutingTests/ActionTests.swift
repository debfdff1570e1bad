import LinkRouting
import Testing

/// The list of actions in order: the first one that applies is used.
struct ActionTests {
    private static let routes = [
        #"{"id": "block", "path": "/block", "block": "No."}"#,
        #"{"id": "web", "path": "/web", "web": "https://www.acme.com/w"}"#,
        #"{"id": "store", "path": "/store", "open": {"screen": "S"}, "store": {"campaign": "spring sale"}, "web": "https://www.acme.com/s"}"#,
        #"{"id": "nostore", "path": "/nostore", "open": {"screen": "S"}, "web": "https://www.acme.com/n"}"#,
        #"{"id": "old", "path": "/old", "open": {"screen": "S"}, "minimumVersion": {"ios": "2.0", "droid": {"build": 412}}, "signIn": "required"}"#,
        #"{"id": "sign", "path": "/sign", "open": {"screen": "S"}, "signIn": "required"}"#,
        #"{"id": "app", "path": "/app", "open": {"screen": "S"}}"#,
    ]

    struct Case: Sendable, CustomTestStringConvertible {
        let path: String
        let context: LinkContext
        let action: Action?
        let fallbacks: [Action]
        var testDescription: String { "\(path) → \(action?.rawValue ?? "none")" }

        init(_ path: String, _ context: LinkContext, _ action: Action?, _ fallbacks: [Action] = []) {
            (self.path, self.context, self.action, self.fallbacks) = (path, context, action, fallbacks)
        }
    }

    private static func ios(_ version: String? = nil, installed: Bool = true, signedIn: Bool? = nil) -> LinkContext {
        LinkContext(
            platform: .ios,
            appVersion: version.flatMap { Version($0) },
            installed: installed,
            authenticated: signedIn
        )
    }

    static let cases = [
        Case("/none", ios(), nil), Case("/..", ios(), nil), Case("/block", ios(installed: false), .block),
        Case("/web", ios(), .openWeb), Case("/app", LinkContext(platform: .windows), .openWeb),
        Case("/app", LinkContext(), .openApp),
        Case("/store", LinkContext(platform: .windows), .openWeb),
        Case("/store", ios(installed: false), .openStore, [.openWeb]),
        Case("/nostore", ios(installed: false), .openWeb),
        Case("/store", LinkContext(platform: .android, installed: false), .openStore, [.openWeb]),
        Case("/old", ios("1.9", signedIn: true), .updateApp), Case("/old", ios("1.9", signedIn: false), .updateApp),
        Case("/old", ios("2.0-beta", signedIn: true), .updateApp), Case("/old", ios("2", signedIn: true), .openApp),
        Case("/old", ios(nil, signedIn: true), .openApp),
        Case("/old", ios("2"), .signIn),
        Case("/old", LinkContext(platform: .android, appBuild: 411, authenticated: true), .updateApp),
        Case("/old", LinkContext(platform: .android, appBuild: 412, authenticated: true), .openApp),
        Case("/sign", ios(), .signIn), Case("/sign", ios(signedIn: false), .signIn),
        Case("/sign", ios(signedIn: true), .openApp),
        Case("/app", ios(), .openApp), Case("/store", ios(), .openApp, [.openStore, .openWeb]),
        Case("/nostore", ios(), .openApp, [.openWeb]),
    ]

    @Test(arguments: cases) func firstActionThatHoldsIsTaken(_ test: Case) throws {
        let resolution = try Fixture.router(Self.routes).resolve("https://go.acme.com" + test.path, in: test.context)
        #expect(resolution.action == test.action)
        #expect(resolution.destination?.fallbacks ?? [] == test.fallbacks)
    }

    @Test func outcomesAreDistinguished() throws {
        let fallback = #"{"fallback": {"open": {"screen": "Home"}, "web": "https://www.acme.com/"}}"#
        let router = try Fixture.router(Self.routes, defaults: fallback)
        func resolve(_ link: String) -> Resolution { router.resolve(link, in: Self.ios()) }
        #expect(resolve("https://go.acme.com/app").outcome == .matched)
        #expect(resolve("https://go.acme.com/none").outcome == .fallback)
        #expect(resolve("https://go.acme.com/none").destination?.screen == "Home")
        #expect(resolve("https://other.example/app").outcome == .unmatched)
        #expect(resolve("https://go.acme.com:8443/app").outcome == .unmatched)
        #expect(resolve("other://app").outcome == .unmatched)
        #expect(resolve("https://go.acme.com/%zz").outcome == .rejected)
        #expect(resolve("https://go.acme.com/%zz").rejection?.code == .invalidEscape)
        #expect(resolve("https://go.acme.com/block").blockReason == "No.")
        #expect(resolve("https://go.acme.com/block").destination == nil)
    }

    @Test func firstAppOfThePlatformIsMeant() throws {
        let router = try Fixture.router(Self.routes)
        #expect(router.resolve("acme://app", in: LinkContext(platform: .android)).app?.rawValue == "droid")
        #expect(
            router.resolve("acme://app", in: LinkContext(app: AppID("ios"), platform: .android)).app?.rawValue == "ios"
        )
        #expect(router.resolve("acme://app", in: LinkContext(platform: .linux)).app == nil)
    }

    @Test func storeURLIsOursWithTheCampaign() throws {
        let router = try Fixture.router(Self.routes)
        let ios = router.resolve("https://go.acme.com/store", in: Self.ios(installed: false))
        #expect(ios.destination?.store == "https://apps.apple.com/app/id123456789?ct=spring%20sale&mt=8")
        let android = router.resolve("https://go.acme.com/store", in: LinkContext(platform: .android, installed: false))
        #expect(
            android.destination?.store
                == "https://play.google.com/store/apps/details?id=com.acme.app&referrer=utm_campaign%3Dspring%2520sale"
        )
    }

    /// The query of a link, keys of the route, and the items of the two store pages.
    @Test(arguments: [
        ("", #""store": true"#, "", ""),
        ("", #""store": {"campaign": "c"}"#, "pt=118&ct=c&mt=8", "utm_source=acme&utm_campaign=c"),
        ("", #""store": true, "campaign": "c""#, "pt=118&ct=c&mt=8", "utm_source=acme&utm_campaign=c"),
        // The link's own items come first.
        ("utm_campaign=bf", #""store": {"campaign": "c"}"#, "pt=118&ct=bf&mt=8", "utm_source=acme&utm_campaign=bf"),
        (
            "utm_content=e&utm_term=d&utm_campaign=c&utm_medium=b&utm_source=a&x=1", #""store": true"#,
            "pt=118&ct=c&mt=8",
            "utm_source=a&utm_medium=b&utm_campaign=c&utm_term=d&utm_content=e"
        ),
        ("utm_medium=b", #""store": true"#, "pt=118&mt=8", "utm_source=acme&utm_medium=b"),
        ("utm_source=a&utm_source=b&UTM_MEDIUM=c&utm_term=", #""store": true"#, "pt=118&mt=8", "utm_source=a"),
        ("utm%5Fsource=a%26b+c", #""store": true"#, "pt=118&mt=8", "utm_source=a%26b%2Bc"),
        ("utm_source=%zz&utm_medium=b", #""store": true"#, "pt=118&mt=8", "utm_source=acme&utm_medium=b"),
        // Forwarding is for pages and apps.
        (
            "utm_source=a", #""store": {"campaign": "c"}, "forward": "none""#, "pt=118&ct=c&mt=8",
            "utm_source=a&utm_campaign=c"
        ),
        // Apple reads thirty characters.
        (
            "utm_campaign=\(String(repeating: "é", count: 31))", #""store": true"#,
            "pt=118&ct=\(String(repeating: "%C3%A9", count: 30))&mt=8",
            "utm_source=acme&utm_campaign=\(String(repeating: "%C3%A9", count: 31))"
        ),
    ])
    func storeGetsTheItemsOfTheLink(_ query: String, _ keys: String, _ apple: String, _ google: String) throws {
        let apps = #"""
            {"id": "ios", "platform": "ios", "teamID": "ABCDE12345", "bundleID": "com.acme.app",
             "stores": [{"kind": "appStore", "id": "1", "providerToken": "118"}]},
            {"id": "droid", "platform": "android", "package": "com.acme.app", "stores": [{"kind": "playStore"}]}
            """#
        let router = Router(
            identity: try Fixture.identity(#"{"domains": ["go.acme.com"], "apps": [\#(apps)]}"#),
            table: try Fixture.table([#"{"id": "a", "path": "/a", "open": {"screen": "A"}, \#(keys)}"#]),
            tenant: TenantID("acme")
        )
        func page(_ platform: Platform) -> String? {
            router.resolve("https://go.acme.com/a?\(query)", in: LinkContext(platform: platform, installed: false))
                .destination?.store
        }
        let referrer = google.replacing("%", with: "%25").replacing("=", with: "%3D").replacing("&", with: "%26")
        let items = google.isEmpty ? "" : "&referrer=\(referrer)"
        #expect(page(.ios) == "https://apps.apple.com/app/id1" + (apple.isEmpty ? "?pt=118&mt=8" : "?\(apple)"))
        #expect(page(.android) == "https://play.google.com/store/apps/details?id=com.acme.app" + items)
    }

    @Test func storePageThatWouldBeTooLongHasNoItems() throws {
        let router = try Fixture.router(Self.routes)
        let link =
            "https://go.acme.com/store?utm_term="
            + String(repeating: "%26", count: 2_600)
        #expect(
            router.resolve(link, in: LinkContext(platform: .android, installed: false)).destination?.store
                == "https://play.google.com/store/apps/details?id=com.acme.app"
        )
    }
}

struct ExperimentTests {
    private static let route = #"""
        {"id": "x", "path": "/x", "open": {"screen": "A"}, "web": "https://www.acme.com/x",
         "experiment": {"id": "new-home", "variants": [
            {"name": "a", "weight": 1}, {"name": "b", "weight": 3, "open": {"screen": "B"}}]}}
        """#

    @Test func stickyKeyDecidesByItsBucket() throws {
        let router = try Fixture.router([Self.route])
        var screens: [String: Int] = [:]
        for number in 0..<2_000 {
            let key = "install-\(number)"
            let resolution = router.resolve("https://go.acme.com/x", in: LinkContext(platform: .ios, stickyKey: key))
            let isFirst = Bucket.of(key, salt: "new-home") < 2_500
            #expect(resolution.destination?.screen == (isFirst ? "A" : "B"))
            #expect(
                resolution.variant
                    == VariantAssignment(experiment: "new-home", variant: isFirst ? "a" : "b", isAssigned: true)
            )
            screens[resolution.destination?.screen ?? "", default: 0] += 1
        }
        #expect((400...600).contains(screens["A"] ?? 0), "\(screens)")
    }

    @Test func withoutAStickyKeyTheFirstIsTakenUnassigned() throws {
        let resolution = try Fixture.router([Self.route]).resolve(
            "https://go.acme.com/x",
            in: LinkContext(platform: .ios)
        )
        #expect(resolution.destination?.screen == "A")
        #expect(resolution.variant == VariantAssignment(experiment: "new-home", variant: "a", isAssigned: false))
    }

    @Test func variantInheritsTheDestinationsItOmits() throws {
        let router = try Fixture.router([Self.route])
        let resolution = router.resolve(
            "https://go.acme.com/x",
            in: LinkContext(platform: .ios, stickyKey: "install-43")
        )
        #expect(resolution.destination?.web == "https://www.acme.com/x")
    }
}
