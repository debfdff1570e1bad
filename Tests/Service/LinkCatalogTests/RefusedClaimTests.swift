import LinkRouting
import Testing

@testable import LinkCatalog

/// Names that no tenant may claim, and those beside them that one may.
struct RefusedClaimTests {
    @Test(arguments: [
        ("co.uk", "'co.uk' is a public suffix"), ("*.co.uk", "'co.uk' is a public suffix"),
        ("CO.UK.", "'co.uk' is a public suffix"), ("appspot.com", "'appspot.com' is a public suffix"),
        ("*.appspot.com", "'appspot.com' is a public suffix"), ("*.ts.net", "'ts.net' is a public suffix"),
        ("*.github.io", "write your own name, such as example.github.io"),
        ("公司.cn", "'xn--55qx5d.cn' is a public suffix"), ("*.xn--55qx5d.cn", "is a public suffix"),
        // `*.ck`, and `*.kobe.jp`, whose level is below a domain.
        ("foo.ck", "'foo.ck' is a public suffix"), ("*.foo.kobe.jp", "'foo.kobe.jp' is a public suffix"),
        ("*.kobe.jp", "'*.kobe.jp' covers only public suffixes"),
        ("*.amazonaws.com", "'*.amazonaws.com' covers '"),
        ("127.0.0.1", "is an IP address"), ("169.254.169.254", "is an IP address"), ("10.0.0.1.", "is an IP address"),
        ("127.1", "is an IP address"), ("a.2130706433", "is an IP address"), ("0x7f.1", "is an IP address"),
        ("1.0x7F000001", "is an IP address"), ("a.0x", "is an IP address"), ("*.127.1", "is an IP address"),
        ("localhost", "write your own domain"), ("*.localhost", "RFC 6761"), ("shop.localhost", "RFC 6761"),
        ("*.shop.localhost", "RFC 6761"), ("LOCALHOST.", "RFC 6761"), ("printer.local", "RFC 6762"),
        ("a.invalid", "RFC 6761"), ("a.onion", "RFC 7686"), ("home.arpa", "RFC 3172"), ("a.home.arpa", "RFC 3172"),
        ("*.corp", "is not a domain"), ("*.com", "is not a domain"), ("::1", "not a host"), ("[::1]", "not a host"),
    ])
    func domainIsRefused(_ domain: String, _ message: String) throws {
        for written in [#""\#(domain)""#, #"{host: "\#(domain)", port: 8443, serves: association}"#] {
            let error = try #require(throws: Settings.DecodingErrors.self) { try settings("domains: [\(written)]") }
            #expect(error.errors.count == 1 && error.errors.first?.path.hasPrefix("settings.domains[0]") == true)
            #expect(error.errors.first?.message.contains(message) == true, "\(error)")
        }
    }

    @Test(arguments: [
        "links.example.co.uk", "*.example.co.uk", "example.co.uk", "shop.appspot.com", "*.shop.appspot.com",
        "example.com", "*.example.com", "go.shop.test", "*.shop.test", "shop.internal", "*.go.corp", "go.corp",
        // Exceptions of `*.ck` and `*.kobe.jp`.
        "www.ck", "*.www.ck", "city.kobe.jp", "*.city.kobe.jp", "kobe.jp", "foo.bar.ck",
        "1.example.com", "0x7f.example", "127.0.0.1.example.com", "localhost.example.com", "local.example",
        "bücher.example", "食狮.公司.cn", "*.食狮.公司.cn", "test.xn--p1ai",
    ])
    func domainIsAccepted(_ domain: String) throws {
        #expect(try settings(#"domains: ["\#(domain)"]"#).identity.domains.count == 1)
    }

    /// The list is searched in its sorted text, so each rule of it must be found.
    @Test func everyRuleIsFound() throws {
        let rules = PublicSuffixes.text.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }.split(separator: "\n")
        #expect(rules.count > 9_000)
        for (rule, next) in zip(rules, rules.dropFirst()) {
            #expect(rule.utf8.lexicographicallyPrecedes(next.utf8), "\(rule)")
        }
        for rule in rules {
            let labels = rule.split(separator: ".").reversed().map(String.init)
            let parent = labels.dropFirst().joined(separator: ".")
            let isException = labels[0].hasPrefix("!")
            let first = isException ? String(labels[0].dropFirst()) : labels[0] == "*" ? "no-such-name" : labels[0]
            let name = parent.isEmpty ? first : "\(first).\(parent)"
            #expect(PublicSuffixes.contains(name) != isException, "\(rule)")
            let isLevel = PublicSuffixes.suffix(below: name)?.hasPrefix("*.") == true
            #expect(!PublicSuffixes.contains("no-such-name.\(name)") || isLevel, "\(rule)")
            if !parent.isEmpty { #expect(PublicSuffixes.suffix(below: parent) != nil, "\(rule)") }
        }
    }

    @Test(arguments: [
        "market", "Market", "itms-apps", "itms-appss", "itms", "itms-beta", "itms-services", "http", "https", "mailto",
        "tel", "sms", "facetime", "maps", "geo", "intent", "android-app", "content", "file", "javascript", "data",
        "app-settings", "prefs", "shortcuts", "x-apple.systempreferences", "x-apple-health", "ms-settings",
        "ms-windows-store", "chrome", "about", "blob", "ws", "wss", "ftp", "amzn", "appmarket", "samsungapps",
        "mimarket", "macappstore",
    ])
    func schemeOfASystemOrAStoreIsRefused(_ scheme: String) throws {
        for written in [scheme, "{name: \(scheme), host: ignore}"] {
            let error = try #require(throws: Settings.DecodingErrors.self) { try settings("schemes: [\(written)]") }
            #expect(error.errors.first?.message.contains("is a system scheme or a store's; write") == true, "\(error)")
        }
    }

    @Test(arguments: ["acme", "acme-market", "com.acme.app", "marketplace", "itmsx", "msapp", "xapple", "fb123456"])
    func schemeOfATenantIsAccepted(_ scheme: String) throws {
        #expect(try settings("schemes: [\(scheme)]").identity.schemes.map(\.name) == [scheme])
    }

    /// A link may lead to a store.
    @Test func destinationsMayHaveSchemesOfStores() throws {
        let settings = try settings("destinations: {schemes: [market, itms-apps, tel]}")
        #expect(settings.identity.destinations.schemes == ["market", "itms-apps", "tel"])
    }

    // MARK: Joiners

    /// U+200C and U+200D where UTS #46 refuses them (CheckJoiners), as characters and as an A-label.
    @Test(arguments: [
        // Beside Latin letters, at the ends of a label, and alone.
        "farechoice\u{200D}", "fare\u{200D}choice", "fare\u{200C}choice", "\u{200D}farechoice", "\u{200C}farechoice",
        "farechoice\u{200C}", "\u{200D}", "\u{200C}\u{200C}",
        // U+200D after a letter; only a virama may precede it.
        "\u{0915}\u{200D}\u{0937}", "\u{0628}\u{200D}\u{0628}",
        // U+200C: no joining letter before (U+0627 joins the previous one alone), after, or on both sides.
        "\u{0627}\u{200C}\u{0628}", "\u{0628}\u{200C}a", "a\u{200C}\u{0628}", "\u{0628}\u{200C}", "\u{200C}\u{0628}",
        // Two in a row, and marks without a letter.
        "\u{0628}\u{200C}\u{200C}\u{0628}", "\u{0628}\u{064B}\u{200C}\u{064B}",
        // Left-joining after, where a right- or dual-joining letter must be (U+A872 joins the next one).
        "\u{0628}\u{200C}\u{A872}",
    ])
    func misplacedJoinerIsRefused(_ label: String) throws {
        let name = try HostName("\(label).taxi")
        for host in [name.unicode, name.ascii] {
            let error = try #require(throws: Settings.DecodingErrors.self) { try settings(#"domains: ["\#(host)"]"#) }
            #expect(error.errors.first?.message.contains("has the invisible character U+200") == true, "\(error)")
        }
    }

    @Test(arguments: [
        // After a virama: Devanagari (U+094D) and Sinhala (U+0DCA).
        "\u{0915}\u{094D}\u{200D}\u{0937}", "\u{0915}\u{094D}\u{200C}\u{0937}",
        "\u{0DC1}\u{0DCA}\u{200D}\u{0DBB}\u{0DD3}",
        // Persian: between a dual-joining and a dual- or right-joining letter, also with marks between.
        "\u{0646}\u{0627}\u{0645}\u{0647}\u{200C}\u{0627}\u{06CC}", "\u{0628}\u{200C}\u{0628}",
        "\u{0628}\u{064B}\u{200C}\u{064B}\u{0627}", "\u{A872}\u{200C}\u{A840}",
        "bücher", "ελληνικά",
    ])
    func joinerInItsPlaceIsAccepted(_ label: String) throws {
        #expect(try settings(#"domains: ["\#(label).example"]"#).identity.domains.count == 1)
    }

    // MARK: Stored settings

    /// A later list of public suffixes must not make settings unreadable.
    @Test func storedDomainsStay() throws {
        let document = try Document.readYAML(
            """
            domains: [localhost, 127.0.0.1, "*.co.uk", "farechoice\u{200D}.taxi", go.example.com]
            """
        )
        #expect(try Settings(stored: document).identity.domains.count == 5)
        #expect(throws: Settings.DecodingErrors.self) { try Settings(DocumentField(document, path: "settings")) }
    }

    private func settings(_ text: String) throws -> Settings {
        try Settings(DocumentField(try Document.readYAML(text), path: "settings"))
    }
}
