import LinkRouting
import Testing

@testable import AppAssociation

extension String {
    /// Whether a web link has a path, such as `/`.
    fileprivate var hasPath: Bool { dropFirst("https://".count).first { "/?#".contains($0) } == "/" }
}

/// Intent filters, read from a manifest and generated from a table.
struct AndroidManifestTests {
    @Test(
        arguments: [
            (.literal("/a"), "/a", true), (.literal("/a"), "/a/", false), (.prefix("/a"), "/ab", true),
            (.suffix(".html"), "/a.html", true), (.suffix(".html"), "/a.htm", false),
            // `.*` ends at the first occurrence of the next character.
            (.simple("/a/.*"), "/a/", true), (.simple("/a/.*"), "/a", false), (.simple("/.*/x"), "/a/x", true),
            (.simple("/.*/x"), "/a/b/x", false), (.simple("/a..*"), "/ab", true), (.simple("/a..*"), "/a", false),
            (.simple("/ab*c"), "/abbc", true), (.simple("/ab*c"), "/ac", true), (.simple("/a\\.b"), "/a.b", true),
            (.simple("/a\\.b"), "/axb", false), (.simple("/a.b"), "/axb", true), (.simple("/a\\*"), "/a*", true),
            (.simple(".*\\.html"), "/a.html", true), (.simple(""), "", true),
            // Each token is greedy.
            (.advanced("/[a-z]+"), "/abc", true), (.advanced("/[a-z]+"), "/a1", false),
            (.advanced("/[^/]+/x"), "/ab/x", true), (.advanced("/.*x"), "/x", false),
            (.advanced("/[0-9]{2,3}"), "/12", true), (.advanced("/[0-9]{2,3}"), "/1234", false),
            (.advanced("/a{2}"), "/aa", true), (.advanced("/a\\.b"), "/axb", false), (.advanced("/a+b"), "/aab", true),
        ] as [(PlatformPattern, String, Bool)]
    )
    func patternIsComparedAsAndroidDoes(_ pattern: PlatformPattern, _ text: String, _ matches: Bool) {
        #expect(pattern.matches(text) == matches)
    }

    @Test(arguments: ["*", "/a++", "/[", "/[]", "/a{2", "/a{3,2}", "/a\\", "{1}"])
    func malformedPatternHasNoVerdict(_ pattern: String) {
        #expect(PlatformPattern.advanced(pattern).matches("/a") == nil)
    }

    @Test func escapedDotOfOldSystemsIsAnyCharacter() {
        #expect(PlatformPattern.simple("/a\\.b").matches("/axb", .anyCharacter) == true)
    }

    private static let manifest = """
        <?xml version="1.0" encoding="utf-8"?>
        <!-- The app's links -->
        <manifest xmlns:android="http://schemas.android.com/apk/res/android" package="com.acme">
          <application android:label="@string/name">
            <activity android:name=".LinkActivity" android:exported="true">
              <intent-filter android:autoVerify="true">
                <action android:name="android.intent.action.VIEW" />
                <category android:name="android.intent.category.DEFAULT" />
                <category android:name="android.intent.category.BROWSABLE" />
                <data android:scheme="https" />
                <data android:host="www.acme.com" />
                <data android:host="*.acme.org" />
                <data android:path="/a&amp;b" />
                <data android:pathPrefix="/shop/" />
                <data android:pathPattern="/v1\\\\.0/.*" />
                <data android:pathSuffix=".pdf" />
              </intent-filter>
              <intent-filter>
                <action android:name="android.intent.action.VIEW" />
                <category android:name="android.intent.category.DEFAULT" />
                <category android:name="android.intent.category.BROWSABLE" />
                <data android:scheme="https" android:host="other.example" />
              </intent-filter>
              <intent-filter>
                <action android:name="android.intent.action.MAIN" />
                <data android:scheme="https" android:host="main.example" />
              </intent-filter>
            </activity>
          </application>
        </manifest>
        """

    @Test(arguments: [
        ("https://www.acme.com/shop/1", "match"), ("https://WWW.acme.com/shop/1?x#y", "match"),
        ("https://www.acme.com/shop", "no_match"), ("https://www.acme.com/a&b", "match"),
        ("https://www.acme.com/a%26b", "match"), ("https://www.acme.com/v1.0/x", "match"),
        ("https://www.acme.com/x/y.pdf", "match"), ("http://www.acme.com/shop/1", "no_match"),
        ("https://a.b.acme.org/shop/1", "match"), ("https://acme.org/shop/1", "no_match"),
        ("https://www.acme.com:8443/shop/1", "match"), ("https://other.example/x", "unverified"),
        ("https://main.example/x", "no_match"), ("x", "no_match"),
    ])
    func filterDecides(_ url: String, _ outcome: String) throws {
        let manifest = try AndroidManifest(parsing: Array(Self.manifest.utf8))
        let decision = manifest.decision(for: url)

        #expect(manifest.package == "com.acme" && manifest.filters.count == 3)
        #expect(decision.outcome.rawValue == outcome)
        #expect((decision.line == nil) == (outcome == "no_match"))
    }

    /// A manifest with one activity and one filter for links.
    private static func app(
        _ data: String,
        filter: String = #"android:autoVerify="true""#,
        activity: String = #"activity android:exported="true""#,
        application: String = ""
    ) -> String {
        let element = activity.split(separator: " ")[0]
        return """
            <manifest><application \(application)><\(activity)><intent-filter \(filter)>
            <action android:name="android.intent.action.VIEW"/>
            <category android:name="android.intent.category.DEFAULT"/>
            <category android:name="android.intent.category.BROWSABLE"/>
            \(data)</intent-filter></\(element)></application></manifest>
            """
    }

    private static let web = #"<data android:scheme="https" android:host="app.example"/>"#
    private static let scheme = #"<data android:scheme="myapp"/>"#

    /// Source: `IntentFilter.matchData`, `needsVerification`, `DomainVerificationCollector`.
    @Test(
        arguments: [
            // Hosts are verified by filters that have only schemes of the web, and not by the host `*`.
            (app(web), "https://app.example/a", "match"),
            (app(web, filter: ""), "https://app.example/a", "unverified"),
            (app(web + scheme), "https://app.example/a", "unverified"),
            (app(web + scheme), "myapp://app.example/a", "match"),
            (app(web + #"<data android:scheme="http"/>"#), "https://app.example/a", "match"),
            (app(#"<data android:scheme="https"/><data android:host="*"/>"#), "https://any.example/a", "unverified"),
            (app(#"<data android:scheme="https"/>"#), "https://any.example/a", "unverified"),
            (app(web + #"<data android:host="*"/>"#), "https://any.example/a", "unverified"),
            (app(web + #"<data android:host="*"/>"#), "https://app.example/a", "match"),
            (app(#"<data android:scheme="https" android:host="*.app.example"/>"#), "https://a.app.example/", "match"),
            (
                app(#"<data android:scheme="https" android:host="*app.example"/>"#), "https://app.example/",
                "unverified"
            ),
            // What keeps other apps from starting the activity.
            (app(web, activity: #"activity android:exported="false""#), "https://app.example/a", "no_match"),
            (app(web, activity: #"activity android:enabled="false""#), "https://app.example/a", "no_match"),
            (app(web, activity: #"activity-alias android:enabled="false""#), "https://app.example/a", "no_match"),
            (app(web, activity: #"activity-alias android:exported="FALSE""#), "https://app.example/a", "no_match"),
            (app(web, application: #"android:enabled="false""#), "https://app.example/a", "no_match"),
            (app(web, activity: "activity"), "https://app.example/a", "match"),
            // A link has no MIME type.
            (app(web + #"<data android:mimeType="text/html"/>"#), "https://app.example/a", "no_match"),
            (app(web + #"<data android:mimeType="*/*"/>"#), "https://app.example/a", "no_match"),
            // A custom scheme needs neither a verified host nor any host.
            (app(scheme, filter: ""), "myapp://open/1", "match"), (app(scheme), "myapp:///hello/world", "match"),
            (app(scheme), "myapp:x", "match"), (app(scheme), "myapp:/x?y#z", "match"),
            (app(scheme), "MYAPP:x", "match"),
            (app(scheme), "other:x", "no_match"), (app(scheme), "myapp", "no_match"),
            (app(web), "https:///a", "no_match"),
            (app(#"<data android:scheme="myapp" android:host="open"/>"#), "myapp://open", "match"),
            (app(#"<data android:scheme="myapp" android:host="open"/>"#), "myapp:///open", "no_match"),
            (app(#"<data android:scheme="myapp" android:host="open"/>"#), "myapp:open", "no_match"),
            (app(#"<data android:scheme="myapp" android:host="open" android:path="/a"/>"#), "myapp://open/a", "match"),
            (
                app(#"<data android:scheme="myapp" android:host="open" android:path="/a"/>"#), "myapp://open/b",
                "no_match"
            ),
            // The scheme-specific part ends before the fragment. Without a match, the host decides.
            (app(#"<data android:scheme="myapp" android:sspPrefix="//pay/"/>"#), "myapp://home/1", "no_match"),
            (app(#"<data android:scheme="myapp" android:sspPrefix="//pay/"/>"#), "myapp://pay/1", "match"),
            (app(#"<data android:scheme="myapp" android:ssp="12"/>"#), "myapp:12#x", "match"),
            (app(#"<data android:scheme="myapp" android:ssp="12"/>"#), "myapp:12?x", "no_match"),
            (app(#"<data android:scheme="myapp" android:ssp="a b"/>"#), "myapp:a%20b", "match"),
            (app(#"<data android:scheme="myapp" android:sspPattern="1.*9"/>"#), "myapp:1239", "match"),
            (app(#"<data android:scheme="myapp" android:sspPattern="1.*9"/>"#), "myapp:123", "no_match"),
            (app(#"<data android:scheme="myapp" android:sspAdvancedPattern="[0-9]+"/>"#), "myapp:123", "match"),
            (app(#"<data android:scheme="myapp" android:sspSuffix=".pdf"/>"#), "myapp:123", "no_match"),
            (app(#"<data android:scheme="myapp" android:host="a"/><data android:ssp="12"/>"#), "myapp://a/1", "match"),
        ] as [(String, String, String)]
    )
    func filterDecidesAsAndroidDoes(_ text: String, _ url: String, _ outcome: String) throws {
        let decision = try AndroidManifest(parsing: Array(text.utf8)).decision(for: url)
        #expect(decision.outcome.rawValue == outcome)
    }

    private static let groups =
        web + """
            <uri-relative-filter-group android:allow="false">
            <data android:pathPrefix="/a/private"/></uri-relative-filter-group>
            <uri-relative-filter-group android:allow="true"><data android:pathPrefix="/a"/>
            <data android:query="x=1"/><data android:query="y=2"/></uri-relative-filter-group>
            <uri-relative-filter-group><data android:fragmentPrefix="top"/></uri-relative-filter-group>
            <uri-relative-filter-group/>
            """

    /// The first group whose patterns all match decides, unless a path outside the groups matches.
    @Test(arguments: [
        (groups, "https://app.example/a/b?y=2&x=1", "match"), (groups, "https://app.example/a/b?x=1", "no_match"),
        (groups, "https://app.example/a/private?x=1&y=2", "no_match"),
        (groups, "https://app.example/b#topmost", "match"),
        (groups, "https://app.example/b", "no_match"),
        (groups + #"<data android:path="/a/private"/>"#, "https://app.example/a/private", "match"),
    ])
    func groupsDecideSinceAndroid15(_ data: String, _ url: String, _ outcome: String) throws {
        let decision = try AndroidManifest(parsing: Array(Self.app(data).utf8)).decision(for: url)

        #expect(decision.outcome.rawValue == outcome)
        #expect(decision.notes.contains { $0.contains("ignore uri-relative-filter-group") } == (outcome == "no_match"))
    }

    @Test(
        arguments: [
            (app(web + scheme), "a scheme like 'myapp'"),
            (app(web, activity: #"activity android:exported="false""#), "exported"),
            (app(#"<data android:scheme="https" android:host="*"/>"#), "no file can verify the host '*'"),
            (app(web + #"<data android:mimeType="image/*"/>"#), "the MIME type 'image/*'"),
            (app(web, application: #"android:enabled="false""#), #"the application has enabled="false""#),
        ] as [(String, String)]
    )
    func noteSaysWhyTheBrowserOpensTheLink(_ text: String, _ note: String) throws {
        let notes = try AndroidManifest(parsing: Array(text.utf8)).decision(for: "https://app.example/a").notes
        #expect(notes.contains { $0.contains(note) }, "\(notes)")
    }

    @Test func differenceOfOldSystemsIsNoted() throws {
        let manifest = try AndroidManifest(parsing: Array(Self.manifest.utf8))
        #expect(manifest.decision(for: "https://www.acme.com/v1x0/x").outcome == .noMatch)
        #expect(manifest.decision(for: "https://www.acme.com/v1x0/x").notes.contains { $0.contains("escaped dot") })
    }

    @Test(arguments: [
        ("", 1), ("<a/>", 1), ("<manifest>", 1), ("<manifest>\n</x>", 2), ("<manifest a=1/>", 1),
        ("<!DOCTYPE x><manifest/>", 1), ("<manifest><!-- </manifest>", 1),
        (String(repeating: "<manifest>", count: 100), 1),
    ])
    func textThatIsNoManifestHasAnError(_ text: String, _ line: Int) throws {
        let error = #expect(throws: AndroidManifest.SyntaxError.self) {
            try AndroidManifest(parsing: Array(text.utf8))
        }
        #expect(error?.line == line)
    }

    @Test func generatedFiltersAreThoseOfTheTable() throws {
        let router = try Examples.router("shop")
        let app = try #require(router.identity.apps.first { $0.platform == .android })
        let filters = AndroidManifestGenerator(router: router, app: app).filters()

        #expect(filters.hasPrefix("<intent-filter android:autoVerify=\"true\">\n"))
        for line in [
            #"<data android:host="www.yourappdomain.com" />"#, #"<data android:scheme="https" />"#,
            #"<data android:path="/home" />"#, #"<data android:pathPattern="/product/..*" />"#,
        ] { #expect(filters.contains(line), "\(line) in \(filters)") }
    }

    /// Before Android 15, the manifest decides alone.
    @Test(arguments: UInt64(0)..<20)
    func generatedFiltersAcceptEveryLinkThatTheTableOpens(_ seed: UInt64) throws {
        var chance = Chance(seed &+ 500)
        var opened = 0
        for _ in 0..<40 {
            let world = try RandomTable(&chance)
            let app = try #require(world.router.identity.apps.first { $0.platform == .android })
            let filters = AndroidManifestGenerator(router: world.router, app: app).filters()
            let text = "<manifest><activity>\(filters)</activity></manifest>"
            let manifest = try AndroidManifest(parsing: Array(text.utf8))
            let hosts = chance.one(of: RandomTable.files).covers
            for _ in 0..<8 {
                let url = world.url(on: chance.one(of: hosts), &chance)
                guard !url.hasEncodedSlashInPath, url.hasPath,
                    world.opens(url, in: "android", .android, &chance)
                else { continue }
                opened += 1
                let outcome = manifest.decision(for: url).outcome
                guard outcome == .match else {
                    Issue.record("\(url): \(outcome)\n\(filters)\n\(world)")
                    return
                }
            }
        }
        #expect(opened > 20)
    }

    @Test func partOfAManifestIsExplained() throws {
        let error = #expect(throws: AndroidManifest.SyntaxError.self) {
            try AndroidManifest(parsing: Array("<intent-filter><data/></intent-filter>".utf8))
        }
        #expect(error?.problem.hasSuffix("prints; name the whole AndroidManifest.xml.") == true)
        let other = #expect(throws: AndroidManifest.SyntaxError.self) {
            try AndroidManifest(parsing: Array("<a/>".utf8))
        }
        #expect(other?.problem == "The element is 'a', not 'manifest'.")
    }
}
