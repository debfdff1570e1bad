import Crypto
import Foundation
import HTTPTransport
import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import NIOCore
import Testing

@testable import LinkServer

/// The content of landing pages.
@Suite(.timeLimit(.minutes(15)))
struct LandingPageTests {
    struct Button: Sendable, CustomTestStringConvertible {
        var agent = LandingTenant.instagram
        var hosts = LandingTenant.hosts
        var path = "/both/7?a=1&b=2"
        /// The addresses of the buttons, in their order.
        let links: [String]
        var testDescription: String { "\(path) \(agent.suffix(40)) \(hosts)" }
    }

    private static let appStore = "https://apps.apple.com/app/id123456789"
    private static let playStore = "https://play.google.com/store/apps/details?id=com.acme"
    private static let website = "https://www.acme.example/item/7?a=1&b=2"
    private static let fallback = "S.browser_fallback_url=https%3A%2F%2Fwww.acme.example%2Fitem%2F7%3Fa%3D1%26b%3D2;"

    private static let storeFallback =
        "S.browser_fallback_url=https%3A%2F%2Fplay.google.com%2Fstore%2Fapps%2Fdetails%3Fid%3Dcom.acme%26referrer%3Dfp%253D…;"

    @Test(arguments: [
        Button(links: ["https://open.acme.example/both/7?a=1&b=2", appStore, website]),
        // Without a second host, or with one whose links another route or another app has.
        Button(hosts: "go.acme.example", links: ["acme://both/7?a=1&b=2", appStore, website]),
        Button(hosts: #"go.acme.example, "*.acme.link""#, links: ["acme://both/7?a=1&b=2", appStore, website]),
        Button(
            agent: LandingTenant.androidWebView,
            links: [
                "intent://go.acme.example/both/7?a=1&b=2#Intent;scheme=https;package=com.acme;\(fallback)end",
                playStore + "&referrer=fp%3D…", website,
            ]
        ),
        Button(
            agent: LandingTenant.androidChrome,
            path: "/app/x;end/y",
            links: [
                "intent://go.acme.example/app/x;end/y#Intent;scheme=https;package=com.acme;\(storeFallback)end",
                playStore + "&referrer=fp%3D…",
            ]
        ),
        // An iPad may call itself a Mac.
        Button(agent: LandingTenant.mac, path: "/app/1", links: ["https://open.acme.example/app/1", appStore]),
        Button(agent: LandingTenant.windows, path: "/app/1", links: []), Button(agent: "", path: "/app/1", links: []),
    ])
    func buttonsLeadToAppStoreAndWebsite(_ one: Button) async throws {
        try await withService { service in
            try await service.load(LandingTenant.document(hosts: one.hosts))
            let answer = try await service.land(one.path, one.agent)
            #expect(answer.status == 200)
            let links = answer.text.matches(of: /<a class="button[^"]*" href="([^"]*)"/).map { String($0.output.1) }
            let withoutTokens = links.map { $0.replacing(/fp(%3D|%253D)[\w-]+/) { "fp\($0.output.1)…" } }
            #expect(withoutTokens == one.links.map(\.escapedForHTML))
        }
    }

    @Test func routeOfTheOtherHostMustBeTheSame() async throws {
        let document = LandingTenant.document().replacing(
            "path: \"/both/{id}\",",
            with: "path: \"/both/{id}\", host: go.acme.example,"
        )
        try await withService { service in
            try await service.load(document)
            #expect(try await service.land("/both/7", LandingTenant.instagram).text.contains("href=\"acme://both/7\""))
        }
    }

    @Test func shortLinkOpensTheAppOnTheOtherHost() async throws {
        try await withService { service in
            try await service.load(LandingTenant.document())
            try await ShortLinkFollowTests.add(service, "spring", "https://go.acme.example/both/7")
            let text = try await service.land("/s/spring", LandingTenant.instagram).text
            #expect(text.contains("href=\"https://open.acme.example/s/spring\""))
            #expect(text.contains("id=\"link\" dir=\"ltr\">https://go.acme.example/s/spring</p>"))
            let event = try #require(try await service.events(of: "acme").first)
            #expect(event.route == RouteID("both") && event.action == .openWeb)
        }
    }

    /// Whatever a page contains is in it, and allowed by its hash.
    @Test func pageLoadsNothing() async throws {
        try await withService { service in
            try await service.load(
                LandingTenant.document(settings: "  brand: {logo: iVBORw0KGgo=, accent: \"#ffcc00\"}")
            )
            for path in ["/both/7", "/blocked"] {
                let answer = try await service.land(path, LandingTenant.instagram)
                let policy = answer["Content-Security-Policy"] ?? ""
                let parts = answer.text.matches(of: /<(style|script)>([^<]*)<\/(style|script)>/)
                #expect(parts.count == (path == "/blocked" ? 2 : 3))
                for part in parts {
                    let hash = Data(SHA256.hash(data: Data(part.output.2.utf8))).base64EncodedString()
                    #expect(policy.contains("'sha256-\(hash)'"), "\(part.output.2)")
                }
                #expect(answer.text.contains("<img src=\"data:image/png;base64,iVBORw0KGgo=\" alt=\"\">"))
                #expect(answer.text.contains(":root{--accent:#ffcc00;--on:#000000}"))
                #expect(answer["Referrer-Policy"] == "no-referrer" && answer["Cache-Control"] == "no-store")
                let isSmall = answer.body.count <= 14 << 10
                #expect(isSmall, "\(answer.body.count)")
            }
        }
    }

    @Test(
        arguments: [
            (nil, "en", "Open in go.acme.example"), ("xx, de-AT;q=0.9", "de", "Los"),
            ("pt-BR", "pt", "Abrir em go.acme.example"),
            ("nl-BE", "nl", "Openen"), ("ar-EG", "ar\" dir=\"rtl", "الفتح في \u{2068}go.acme.example\u{2069}"),
        ] as [(String?, String, String)]
    )
    func languageIsTheVisitors(languages: String?, language: String, button: String) async throws {
        try await withService { service in
            let texts = "  brand: {texts: {de: {open: Los}, nl: {open: Openen}}}"
            try await service.load(LandingTenant.document(settings: texts))
            let answer = try await service.land("/both/7", LandingTenant.instagram, languages: languages)
            #expect(answer.text.contains("<html lang=\"\(language)\">"))
            #expect(answer.text.contains(">\(button)</a>"), "\(answer.text)")
            let problem = try await service.land("/blocked", LandingTenant.instagram, languages: languages)
            #expect(problem.status == 403 && problem.text.contains("<html lang=\"\(language)\">"))
        }
    }

    @Test func everyLanguageHasEveryText() {
        #expect(Set(PageTexts.standard.keys.map(\.description)) == ["en", "de", "fr", "es", "it", "pt", "ja", "ar"])
        for (language, texts) in PageTexts.standard {
            for text in PageText.allCases {
                let slots = (texts[text] ?? "").matches(of: /\{[a-z]+\}/).map { String($0.output) }
                let expected: Set<String> =
                    switch text {
                    case .lead, .open: ["{name}"]
                    case .leaveMenu: ["{app}"]
                    case .leaveTop, .leaveBottom: ["{app}", "{menu}"]
                    default: []
                    }
                #expect(texts[text] != nil && Set(slots) == expected, "\(language) \(text)")
            }
        }
    }

    private static let hostile = #"<script>alert(1)</script>"'&{name}{app}"#

    /// Texts of strangers and of the tenant are text in every slot.
    @Test func textsAreEscaped() async throws {
        try await withService { service in
            let name = JSONNode.string("</main><script>'\"&{menu}").json()
            let settings = """
                  brand: {name: \(name), texts: {en: {leave: "<i>{app}</i>", report: "<u>"}}}
                  abuse: {contact: "https://acme.example/?a=1&b='"}
                """
            try await service.load(LandingTenant.document(settings: settings))
            let path = "/both/%3Cx%3E'&a=1?q='&%22"
            var headers: HTTPFields = [.userAgent: LandingTenant.webView + " <script>\"", .acceptLanguage: "<b>, \"en"]
            headers[.referer] = "https://evil.example/<script>"
            let answer = try await service.publicPort(.get, path, host: "go.acme.example", headers: headers)
            #expect(answer.status == 200)
            #expect(answer.text.matches(of: /<script/).count == 1)
            #expect(answer.text.contains(">https://go.acme.example/both/%3Cx%3E&#39;&amp;a=1?q=&#39;&amp;%22</p>"))
            for mark in ["<x>", "<i>", "<u>", "</main><s", "evil"] { #expect(!answer.text.contains(mark), "\(mark)") }
            #expect(answer.text.contains("&lt;/main&gt;&lt;script&gt;&#39;&quot;&amp;{menu}"))
            #expect(answer.text.contains("<a href=\"https://acme.example/?a=1&amp;b=&#39;\">&lt;u&gt;</a>"))
        }
        var page = LandingPage(
            link: Self.hostile,
            open: Self.hostile,
            store: Self.hostile,
            web: Self.hostile,
            isInApp: true,
            app: .instagram,
            platform: .ios
        )
        page.title = Self.hostile
        let frame = TenantPage(nil, host: Self.hostile, languages: [])
        let text = String(buffer: page.response(in: frame).body)
        #expect(text.matches(of: /<script/).count == 1 && !text.contains("alert(1)</"))
        #expect(text.contains("instagram://extbrowser/?url=%3Cscript%3Ealert%281%29%3C%2Fscript%3E"))
    }

    @Test func longLinkHasNoCode() async throws {
        try await withService { service in
            try await service.load(LandingTenant.document())
            let head = "https://go.acme.example/app/"
            for (length, isShown) in [(300, true), (301, false)] {
                let path = "/app/" + String(repeating: "x", count: length - head.utf8.count)
                let answer = try await service.land(path, LandingTenant.windows)
                #expect(answer.text.contains("<svg ") == isShown, "\(length)")
            }
        }
    }
}
