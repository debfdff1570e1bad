import Foundation
import LinkRouting
import TestSupport
import Testing

/// For random tables and links: the destination is within the tenant's allow-list, and Foundation parses it as we do.
struct DestinationPropertyTests {
    private static let literals = [
        "a", "a-b", "~", "%2F", "%20", "é", "|", ";", "'", "=", "+", "//", "/", "?", "?q=", "&r=", "#", "#f", ":", "@",
        ".", "..", "*", "[]", "\\{", "%",
    ]
    private static let heads = [
        "https://www.acme.com", "https://www.acme.com/", "HTTPS://WWW.acme.com./", "https://www.acme.com:443/",
        "https://shop.example/p/",
        "https://evil.example/", "http://www.acme.com/", "https://", "https:", "acme:", "acme:/", "acme://", "acme:///",
        "ACME://h/", "acme://h-",
        "evil://", "javascript:", "acmeopen://",
    ]
    private static let captures = [
        "x", "7", "..", ".", "//", "/", "evil.example", "//evil.example", "%2F%2Fevil.example", "@evil.example", "%40",
        ":80", "%3A80", "%23", "#", "?", "%3F",
        "&", "%26", ";", "%3B", "%0d%0a", "%00", "%C2%85", "%E2%80%AE", "é", "%5C", "\\", "%25", "%", "javascript:",
        "https:", "{x}", "+", "%2B", "%20", "'",
        "%22", "%3C", "[", "]", "|", "", "=", "*", "..;", "%2e%2e%2f",
    ]

    private func text(_ pieces: [String], upTo count: Int, _ random: inout SeededGenerator) -> String {
        (0..<random.below(count + 1)).map { _ in random.pick(pieces) }.joined()
    }

    private func template(_ random: inout SeededGenerator) -> String {
        let pieces = Self.literals + ["{x}", "{x}", "{r}", "{r}", "{q}"]
        return random.pick(Self.heads) + text(pieces, upTo: 5, &random)
    }

    private func link(_ random: inout SeededGenerator) -> String {
        let head = random.pick([
            "https://go.acme.com", "https://a.acme.link", "http://www.acme.com", "acme:/", "acmeopen://open",
        ])
        let path = "/\(text(Self.captures, upTo: 3, &random))/\(text(Self.captures, upTo: 5, &random))"
        return head + path + "?q=\(text(Self.captures, upTo: 4, &random))"
            + (random.chance(30) ? "#" + text(Self.captures, upTo: 2, &random) : "")
    }

    private func route(_ random: inout SeededGenerator) throws -> String? {
        let (uri, web) = (template(&random), template(&random))
        let forward = random.pick([#""all""#, #""none""#, #"["q", "a"]"#])
        let path = random.pick(["/{x}/{r...}", "/a{x}/{r...}"])
        var target = ""
        // Skips random texts that are not templates, which are most of them.
        if (try? URLTemplate(uri)) != nil {
            target += #", "open": {"screen": "S", "uri": \#(JSONNode.string(uri).json())}"#
        } else if random.chance(50) {
            target += #", "open": {"screen": "S"}"#
        }
        if let template = try? URLTemplate(web), template.host != nil {
            target += #", "web": \#(JSONNode.string(web).json())"#
        }
        guard !target.isEmpty else { return nil }
        return
            #"{"id": "a", "path": "\#(path)", "query": {"q": "string?"}, "forward": \#(forward), "store": true, "campaign": "{q}"\#(target)}"#
    }

    @Test func destinationIsAllowedAndParsesToTheSameURL() throws {
        let settings =
            String(Fixture.acme.dropLast(1)) + #", "destinations": {"hosts": ["www.acme.com", "shop.example"]}}"#
        var random = SeededGenerator(seed: 0xF19E)
        var checked = 0
        for _ in 0..<800 {
            guard let route = try route(&random) else { continue }
            let router = try Fixture.router(
                [route],
                defaults: #"{"fallback": {"web": "https://www.acme.com/", "forward": "all"}}"#,
                settings: settings
            )
            for _ in 0..<5 {
                let link = link(&random)
                let context = LinkContext(
                    platform: random.pick([.ios, .android, .windows, nil]),
                    installed: random.chance(50)
                )
                guard let destination = router.resolve(link, in: context).destination else { continue }
                for (url, hosts) in [
                    (destination.web, ["www.acme.com", "shop.example"]),
                    (destination.store, ["apps.apple.com", "play.google.com"]),
                ] {
                    guard let url else { continue }
                    checked += 1
                    let parts = try #require(URLComponents(string: url), "\(url)")
                    let parsed = try DeepLink.parse(url)
                    #expect(parts.scheme == "https" && parsed.scheme == "https", "\(route) \(link): \(url)")
                    #expect(
                        parts.host.map(hosts.contains) == true && parts.host == parsed.host,
                        "\(route) \(link): \(url)"
                    )
                    #expect(parts.port == nil && parsed.port == nil && parts.user == nil, "\(route) \(link): \(url)")
                }
                // A custom-scheme link whose URI is the link itself comes from the caller.
                guard let uri = destination.uri, uri != link else { continue }
                checked += 1
                let parts = try #require(URLComponents(string: uri), "\(uri)")
                let parsed = try DeepLink.parse(uri)
                let allowed = ["acme", "acmeopen", "acmesome", "https"]
                #expect(
                    parts.scheme?.lowercased() == parsed.scheme && allowed.contains(parsed.scheme),
                    "\(route) \(link): \(uri)"
                )
                #expect(parts.port == nil && parts.user == nil && parts.password == nil, "\(route) \(link): \(uri)")
                let host = parts.encodedHost.flatMap { $0.isEmpty ? nil : $0.removingPercentEncoding }
                let segment = parsed.hasAuthoritySegment ? parsed.segmentText(0) : parsed.host
                #expect(host == segment, "\(route) \(link): \(uri)")
            }
        }
        #expect(checked > 2_000, "too few of the random routes have a destination")
    }
}
