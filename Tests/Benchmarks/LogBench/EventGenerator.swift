import LinkEvents
import LinkRouting

/// Events similar to those of three tenants with 130 routes, with a skewed distribution of values. The same seed
/// produces the same events.
struct EventGenerator {
    private var random: SplitMix
    private let ids: EventIDGenerator
    private let tenants: [TenantID]
    private let routes: [RouteID]
    private let shortLinks: Int

    private static let countries = [
        "US", "GB", "FR", "DE", "ES", "IT", "JP", "BR", "IN", "CA", "NL", "SE", "PL", "MX", "AU",
    ]
    private static let locales = ["en-US", "en-GB", "fr-FR", "de-DE", "es-ES", "it-IT", "ja-JP", "pt-BR", "hi-IN"]
    private static let agents = (0..<400).map {
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_\($0 % 8) like Mac OS X) AppleWebKit/605.1.\($0) (KHTML, like Gecko) Version/17.0 "
            + "Mobile/15E148 Safari/604.1"
    }

    /// - Parameter shortLinks: How many short links, from c0 on, the events have; 0 for none.
    init(seed: UInt64, tenants: [String] = ["shop", "shop", "shop", "taxi", "taxi", "blogs"], shortLinks: Int = 0) {
        random = SplitMix(state: seed)
        var low = SplitMix(state: seed &+ 1)
        let fixed = low.next()
        ids = EventIDGenerator { fixed }
        self.tenants = tenants.compactMap { TenantID($0) }
        self.shortLinks = shortLinks
        routes = (0..<130).compactMap { RouteID("route-\($0)") }
    }

    mutating func next(at instant: Timestamp) -> Event {
        let isClick = chance(4)
        let isMatched = !chance(12)
        var event = Event.Fields(
            id: ids.next(at: instant),
            recordedAt: instant,
            tenant: tenants[below(tenants.count)],
            environment: .production,
            outcome: isMatched ? .matched : chance(8) ? .rejected : .fallback,
            linkLength: 30 + below(60),
            source: isClick ? "click" : "api",
            node: "node-1",
            requestID: ids.next(at: instant),
            method: isClick ? "GET" : "POST"
        )
        event.kind = isClick ? .click : .resolve
        event.purpose = chance(50) ? .test : .live
        event.revision = Revision(rawValue: 1 + instant.day.daysSince1970 % 7)
        event.settingsRevision = 3
        event.action = event.outcome == .rejected ? nil : isClick ? .openWeb : .openApp
        event.scheme = "https"
        event.host = "links.example.com"
        if isMatched {
            event.route = routes[skewed(routes.count)]
            event.path = "/product/\(skewed(100_000))"
            event.parameters = "{\"id\":\(below(100_000))}"
        } else if event.outcome == .rejected {
            event.reason = ["dot_segment", "control_byte", "userinfo"][below(3)]
        } else {
            event.path = "/old/\(skewed(20_000))"
        }
        if chance(2) {
            event.query = [
                Event.QueryItem(name: "utm_source", value: ["mail", "push", "social", "sms"][below(4)]),
                Event.QueryItem(name: "utm_campaign", value: "campaign-\(skewed(300))"),
            ]
        }
        event.app = isClick ? nil : AppID("ios")
        event.platform = chance(3) ? .android : .ios
        event.device = chance(10) ? .tablet : .phone
        event.osVersion = "\(14 + below(4)).\(below(7))"
        event.appVersion = isClick ? nil : "3.\(below(12)).0"
        event.locale = Self.locales[skewed(Self.locales.count)]
        event.country = Self.countries[skewed(Self.countries.count)]
        event.address = "198.51.\(below(256)).0/24"
        event.userAgent = isClick ? Self.agents[skewed(Self.agents.count)] : "Shop/3.2 CFNetwork/1490.0.4 Darwin/23.2.0"
        event.referrerHost = isClick && chance(2) ? "site-\(skewed(5_000)).example" : nil
        event.latencyMicroseconds = Int64(200 + below(900))
        if shortLinks > 0 {
            event.shortLink = Event.ShortLinkName(place: "go.example.com", code: "c\(skewed(shortLinks))")
        }
        return Event(event)
    }

    private mutating func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
    private mutating func chance(_ of: Int) -> Bool { below(of) == 0 }

    /// Small numbers are far more common than large ones.
    private mutating func skewed(_ limit: Int) -> Int {
        let part = Double(random.next() >> 11) / Double(1 << 53)
        return min(limit - 1, Int(Double(limit) * part * part * part))
    }
}

private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
